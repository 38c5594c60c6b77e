#include "actors/consumer.hpp"
#include "actors/fan_in.hpp"
#include "actors/step_state.hpp"
#include "core/job_status.hpp"
#include "core/object_ref.hpp"
#include "core/unit_tasks.hpp"
#include "documents/event_details.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace holdfast::actors {

namespace {

using parts = std::shared_ptr<fan_in>;

/// Looks at which a full unit is aggregated without being told. One may find a unit whose last
/// judgment came in a moment ago.
constexpr std::uint32_t full_looks_max = 2;

/// Units that one look has aggregated at most: each is read by itself.
constexpr std::size_t forgotten_max = 100;

/// Sends `part` to `target` as one of these.
template <class Message>
void ask_part(step_ptr self, const parts& whole, const caf::actor& target, Message part) {
  whole->begin_part();
  self->request(target, delivery_timeout, std::move(part))
      .then([=](events_applied) { whole->end_part(); },
            [=](const caf::error& why) { whole->end_part(msg::failure_of(why)); });
}

/// Answers the delivery when all of its parts have answered.
parts parts_of_delivery(step_ptr self) {
  const held_promise promise{self->make_response_promise()};
  return std::make_shared<fan_in>([promise](const core::failure& why) {
    if (why.code == core::errc::none)
      promise.deliver(events_applied{});
    else
      promise.deliver(msg::to_error(why));
  });
}

/// Why a unit cannot take its part of a delivery, as far as that is to come again. One that is gone
/// needs it no more; one that is damaged keeps none of those behind it waiting.
core::failure holds_back(const core::failure& why) {
  return core::describe(why.code).retryable ? why : core::failure{};
}

judgment_seen seen_by(step_ptr self, std::string consumer, const core::message_id& message,
                      const core::unit_id& unit) {
  const auto& model = self->state.model;
  return {std::move(consumer), message,
          model ? std::optional{model->opinion_of(unit)} : std::nullopt};
}

/// Judgments came in: whichever unit may have all of them now decides whether to finalize.
void aggregate(step_ptr self, const apply_events& delivery) {
  auto& st = self->state;
  auto whole = parts_of_delivery(self);
  for (const auto& [message, event] : delivery.events) {
    if (st.judgments_corrected.count(event.unit) != 0) {
      whole->begin_part();
      whole->end_part({core::errc::unavailable, "a judgment of the unit is being corrected"});
      continue;
    }
    // While its actor is coming or going, what the step believes of the unit may not be durable: a
    // refused write takes back even its end. Then the unit must say so itself.
    const bool settled = st.awaited.count(event.unit) == 0;
    const bool waiting = !st.ready.contains(event.unit) // finished already
                         || st.ready.free_slots(event.unit) > 0
                         || st.expiry_of.count(event.unit) != 0;
    if (settled && waiting)
      continue;
    whole->begin_part();
    with_unit(self, event.unit,
              // Not the delivery itself, which would be copied for each of its events.
              [=, by = delivery.consumer, id = message,
               about = event.unit](const caf::actor& unit, const core::failure& why) {
                if (unit) {
                  heed_cancellation(self, unit);
                  ask_part(self, whole, unit, unit_command{seen_by(self, by, id, about)});
                }
                whole->end_part(holds_back(why)); // see `aggregate_mended`
              });
  }
  whole->end_part();
}

/// The unit learns that its task is over, with or without a result.
void tell_unit(step_ptr self, const parts& whole, const core::unit_id& unit, task_over over) {
  whole->begin_part();
  with_unit(self, unit, [=](const caf::actor& actor, const core::failure& why) {
    if (actor) {
      heed_cancellation(self, actor);
      ask_part(self, whole, actor, unit_command{over});
    }
    whole->end_part(holds_back(why)); // the task's lease ends in time, if nothing else
  });
}

/// The unit learns of a task's result, which is stored before when it is too large for the row of a
/// judgment. One that is lost is none: people are asked instead.
void take_result(step_ptr self, const parts& whole, const core::unit_id& unit, task_over over) {
  auto& st = self->state;
  if (core::begins_like_object_ref(over.result)) {
    st.context->log(log_level::error, "payload_unreadable",
                    {{"unit", to_string(unit)},
                     {"task", to_string(over.task)},
                     {"reason", "its result is not in the object store"}});
    over.result.clear();
  }
  if (!is_large(st.context->settings, over.result)) {
    tell_unit(self, whole, unit, std::move(over));
    return whole->end_part();
  }
  const auto kept = std::make_shared<task_over>(std::move(over));
  put_payloads(
      self, st.links.objects, {{&kept->result, &kept->ref}},
      [=](const std::vector<core::failure>& outcomes) {
        const auto why = first_failure(outcomes);
        if (why.code == core::errc::none)
          tell_unit(self, whole, unit, std::move(*kept));
        whole->end_part(why);
      },
      when_busy::wait);
}

/// `take_result`, of a result that may be in the object store. One that is lost stays a reference.
void with_whole_result(step_ptr self, const parts& whole, const core::unit_id& unit,
                       task_over over) {
  const auto kept = std::make_shared<task_over>(std::move(over));
  get_payloads(self, self->state.links.objects, {&kept->result}, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 const auto why = first_failure(outcomes);
                 if (why.code != core::errc::none && !is_lost(why))
                   return whole->end_part(unreadable(why));
                 take_result(self, whole, unit, std::move(*kept));
               });
}

/// Tasks of units have ended. Not through the inbox: a unit recognises what it has dealt with.
void take_results(step_ptr self, const apply_events& delivery) {
  auto& st = self->state;
  auto whole = parts_of_delivery(self);
  for (const auto& [message, event] : delivery.events) {
    const auto ended = documents::ended_task_in(event.details);
    task_over over{ended.task, ended.ending};
    if (ended.ending != core::task_ending::completed || !st.step.executor) {
      tell_unit(self, whole, event.unit, std::move(over));
      continue;
    }
    // They are asked no test questions: all of a step are trusted alike.
    over.trust = trust_now(self, core::task_judges(*st.step.executor).front());
    whole->begin_part();
    read(self, st.links.loader,
         [task = ended.task](persistence::store& db) { return db.load_task(task); })
        .then(
            [=, unit = event.unit](persistence::task_history& found) mutable {
              if (found.finished)
                over.result = std::move(found.finished->result);
              with_whole_result(self, whole, unit, std::move(over));
            },
            [=, unit = event.unit](const core::failure& why) {
              if (why.code != core::errc::not_found)
                return whole->end_part(unreadable(why));
              tell_unit(self, whole, unit, over); // so long ago that nobody knows the result
              whole->end_part();
            });
  }
  whole->end_part();
}

/// Units are finished, or to be done again: count them, once each.
void count_finished(step_ptr self, const apply_events& delivery) {
  // An earlier life of this step may have counted some of them, in a batch whose outcome was not
  // known yet when the consumer looked into its inbox. Before it comes again, it looks again.
  const auto& row = self->state.step.row;
  const auto& events = delivery.events;
  const auto reopened =
      static_cast<std::uint64_t>(std::count_if(events.begin(), events.end(), [](const auto& e) {
        return e.event.type == core::event_type::unit_reopened;
      }));
  const auto finished = events.size() - reopened;
  const auto most = row.completed_units + finished;
  if (most < reopened || most - reopened > row.total_units) {
    self->make_response_promise().deliver(
        msg::to_error(core::errc::unavailable, "some of these units have been counted already"));
    return;
  }
  auto decided =
      core::units_finished(self->state.step, finished, now(self, self->state.context), reopened);
  for (const auto& [message, event] : delivery.events)
    decided.changes.writes.push_back(core::insert_inbox{delivery.consumer, message});
  write(self, std::move(decided.changes), reply(self->make_response_promise(), events_applied{}));
}

bool is_upstream_of(const step_state& st, std::uint32_t position) {
  return (st.workflow.upstreams(position) >> st.step.row.position & 1) != 0;
}

/// Tells the steps after this one that it is complete, or no longer is. What goes back says nothing
/// about whether more will come.
void pass_on_status(step_ptr self, const parts& whole, bool more_to_come) {
  const auto& st = self->state;
  // By the time this runs the step may have changed again; the last state is what counts.
  const bool completed = !more_to_come && st.step.row.status == core::step_status::completed;
  for (std::uint32_t position = 0; position < st.siblings.size(); ++position)
    if (is_upstream_of(st, position))
      ask_part(self, whole, st.links.shards,
               upstream_progress{st.siblings[position], st.step.row.position, completed});
}

/// Where contributors look for work, the step is listed as it stands now; by the time this runs,
/// that may be newer than the event. Not before it is durable, and not later than the event counts
/// as delivered.
void list_anew(step_ptr self, const parts& whole) {
  auto& st = self->state;
  whole->begin_part();
  st.pending.after_all([=, listing = core::listed(st.step)](const core::failure& lost) {
    if (lost.code == core::errc::none)
      self->send(self->state.links.shards, list_step{listing});
    whole->end_part(lost);
  });
}

/// The first step tells what has become of the job. Refused where the job has ended: then it comes
/// too late, and that is all right.
void heed_job(step_ptr self, const apply_events& delivery, const parts& whole) {
  auto& st = self->state;
  const auto when_durable = [whole](const core::failure& lost) { whole->end_part(lost); };
  for (const auto& [message, event] : delivery.events) {
    if (event.type != core::event_type::job_step_updated)
      continue;
    const auto news = documents::job_news_in(event.details);
    if (!news)
      continue;
    auto noted = core::note_job_status(st.step, *news, now(self, st.context));
    whole->begin_part();
    if (noted.changes.empty())
      st.pending.after_all(when_durable);
    else
      write(self, std::move(noted.changes), when_durable);
  }
  cancel_open_units(self);
}

/// What the steps learn to which the routes of finished units lead, or have led.
std::map<core::step_id, add_children> by_target(const step_state& st,
                                                const apply_events& delivery) {
  std::map<core::step_id, add_children> targets;
  for (const auto& [message, event] : delivery.events) {
    if (event.type == core::event_type::job_step_updated)
      continue;
    const auto result = documents::routed_result_in(event.details);
    for (const auto& key : result.next_steps) {
      const auto target = st.siblings[*st.workflow.position_of(key)];
      auto& told = targets.try_emplace(target, add_children{delivery.consumer, target, {}, {}})
                       .first->second;
      if (event.type == core::event_type::unit_finalized)
        told.parents.push_back({message, event.unit, result.revision});
      else
        told.taken_back.push_back({event.unit, result.revision});
    }
  }
  return targets;
}

/// Whether a result was taken back since the step last told how it stands, as far as the delivery
/// goes. The step may still take itself for complete; it tells anew when it has counted that.
bool reopened_last(const apply_events& delivery) {
  const auto& events = delivery.events;
  const auto last = std::find_if(events.rbegin(), events.rend(), [](const auto& e) {
    return e.event.type == core::event_type::unit_reopened
           || e.event.type == core::event_type::job_step_updated;
  });
  return last != events.rend() && last->event.type == core::event_type::unit_reopened;
}

/// Finished units go on to the next steps, and those that have are called back when their results
/// are taken back; then these learn whether more will come.
void route(step_ptr self, const apply_events& delivery) {
  auto& st = self->state;
  const auto has = [&](core::event_type type) {
    return std::any_of(delivery.events.begin(), delivery.events.end(),
                       [&](const auto& e) { return e.event.type == type; });
  };
  const bool status_changed = has(core::event_type::job_step_updated);
  const bool more_to_come = reopened_last(delivery);
  auto whole = parts_of_delivery(self);
  heed_job(self, delivery, whole);
  // In this order: a step that is sealed before its last units arrive would complete too early.
  parts units = std::make_shared<fan_in>([=](const core::failure& lost) {
    // What cannot be read now goes on when it can: nobody waits with the rest, or for the end of
    // it.
    const bool damaged = lost.code == core::errc::damaged;
    if (!status_changed || (lost.code != core::errc::none && !damaged) || whole->failed())
      return whole->end_part(lost);
    // Later versions may have put others behind this step.
    with_versions(self, [=](const core::failure& why) {
      if (why.code == core::errc::none) {
        list_anew(self, whole);
        pass_on_status(self, whole, more_to_come || damaged);
      }
      whole->end_part(why.code == core::errc::none ? lost : why);
    });
  });
  // What is taken back comes again, perhaps: whoever gathers must not take the others for all there
  // are before they hear how this step stands. When it is complete all the same, they have heard
  // that it was not since what is withdrawn here was.
  const bool comes_again =
      has(core::event_type::unit_reopened) || st.step.row.status != core::step_status::completed;
  for (auto& [target, told] : by_target(st, delivery)) {
    const auto at = std::find(st.siblings.begin(), st.siblings.end(), target);
    const auto position = static_cast<std::uint32_t>(at - st.siblings.begin());
    if (told.taken_back.empty() || !comes_again || !is_upstream_of(st, position)) {
      ask_part(self, units, st.links.shards, std::move(told));
      continue;
    }
    units->begin_part();
    self->request(st.links.shards, delivery_timeout,
                  upstream_progress{target, st.step.row.position, false})
        .then(
            [=, what = std::move(told)](events_applied) {
              ask_part(self, units, self->state.links.shards, what);
              units->end_part();
            },
            [=](const caf::error& why) { units->end_part(msg::failure_of(why)); });
  }
  units->end_part();
}

bool leads_to_aggregation(core::event_type type) {
  for (const auto& consumer : node_consumers())
    if (consumer.name == aggregation_consumer)
      return std::find(consumer.types.begin(), consumer.types.end(), type) != consumer.types.end();
  return false;
}

/// Of units, the last message about each that may make it complete; 0 where none was found.
using last_messages = std::map<core::unit_id, core::event_seq>;

/// Tells the units of the last messages about them, from those after `after`.
void look_for_messages(step_ptr self, const last_messages& known, core::event_seq after) {
  const auto& st = self->state;
  read(self, st.links.loader,
       [shard = st.identity.shard, after, limit = st.context->settings.events_batch_max](
           persistence::store& db) { return db.events_after(shard, after, limit); })
      .then(
          [=](const std::vector<core::sequenced_event>& page) {
            auto last = known;
            for (const auto& [message, event] : page)
              if (const auto about = last.find(event.unit);
                  about != last.end() && leads_to_aggregation(event.type))
                about->second = message.seq;
            if (!page.empty())
              return look_for_messages(self, last, page.back().id.seq);
            for (const auto& [about, seq] : last) {
              // None is left of judgments that came in before what is kept of the events.
              const core::message_id message{self->state.identity.shard, seq};
              with_unit(self, about, [=, id = about](const caf::actor& unit, const core::failure&) {
                if (!unit || self->state.judgments_corrected.count(id) != 0)
                  return;
                heed_cancellation(self, unit);
                // Nobody waits for its answer.
                caf::anon_send(unit,
                               unit_command{seen_by(self, aggregation_consumer, message, id)});
              });
            }
          },
          [=](const core::failure& why) {
            self->state.context->log(
                log_level::warning, "unit_load_failed",
                {{"unit", to_string(known.begin()->first)}, {"reason", why.detail}});
          });
}

/// Calls `use` with those of the units that are stored as full, if any.
void with_full_units(step_ptr self, const std::vector<core::unit_id>& units,
                     const std::function<void(const last_messages&)>& use) {
  const auto full = std::make_shared<last_messages>();
  const auto whole = std::make_shared<fan_in>([=](const core::failure&) {
    if (!full->empty())
      use(*full);
  });
  // Each by itself: one that is damaged is no matter of the others.
  for (const auto& unit : units) {
    whole->begin_part();
    read_units(self, {unit})
        .then(
            [=](const std::vector<core::unit_record>& loaded) {
              for (const auto& stored : loaded)
                if (stored.step == self->state.identity.step() && !core::is_test_question(stored)
                    && core::ready_to_aggregate(stored))
                  full->emplace(stored.id, 0);
              whole->end_part();
            },
            [=](const core::failure&) {
              whole->end_part();
            }); // whoever asks for it next asks again
  }
  whole->end_part();
}

} // namespace

void on_apply_events(step_ptr self, const apply_events& delivery) {
  if (delivery.consumer == aggregation_consumer)
    aggregate(self, delivery);
  else if (delivery.consumer == completion_consumer)
    count_finished(self, delivery);
  else if (delivery.consumer == task_results_consumer)
    take_results(self, delivery);
  else
    route(self, delivery);
}

void aggregate_mended(step_ptr self, const core::unit_id& unit) {
  with_full_units(self, {unit},
                  [=](const last_messages& full) { look_for_messages(self, full, 0); });
}

void aggregate_forgotten(step_ptr self) {
  auto& st = self->state;
  std::vector<core::unit_id> still;
  for (const auto& unit : st.ready.full_units())
    if (st.expiry_of.count(unit) == 0 && st.reserved.count(unit) == 0
        && st.unreadable.count(unit) == 0)
      still.push_back(unit);
  const auto forgotten = core::judge_full(st.found_full, still, full_looks_max, forgotten_max);
  if (forgotten.empty())
    return;
  with_full_units(self, forgotten, [=](const last_messages& full) {
    const auto& context = *self->state.context;
    context.log(log_level::warning, "units_not_aggregated",
                {{"step", to_string(self->state.identity.step())},
                 {"units", std::to_string(full.size())},
                 {"first", to_string(full.begin()->first)}});
    look_for_messages(self, full, 0);
  });
}

} // namespace holdfast::actors
