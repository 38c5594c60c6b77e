#include "actors/step.hpp"

#include "actors/actor_guard.hpp"
#include "actors/metrics_source.hpp"
#include "actors/step_state.hpp"
#include "actors/step_views.hpp"
#include "metrics/scrape.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::actors {

namespace {

void fail(const held_promise& promise, core::errc code, std::string detail) {
  promise.deliver(msg::to_error(code, std::move(detail)));
}

/// Puts `m` off until the step is loaded. False when it may be handled now.
template <class Message>
bool put_off(step_ptr self, const Message& m) {
  auto& st = self->state;
  if (st.loaded)
    return false;
  const held_promise promise{self->make_response_promise()};
  if (st.stashed.size() >= st.context->settings.batching.high_water) {
    fail(promise, core::errc::overloaded, "the step is still loading");
    return true;
  }
  st.stashed.push_back([self, promise, m](const core::failure& why) mutable {
    if (why.code == core::errc::none)
      promise.delegate_noted(caf::actor_cast<caf::actor>(self), std::move(m));
    else
      promise.deliver(msg::to_error(why));
  });
  return true;
}

/// Answers a request that the step itself decides about, or puts it off. False when it may be
/// handled now.
template <class Message>
bool not_now(step_ptr self, const Message& m) {
  if (put_off(self, m))
    return true;
  const auto why = room_for<Message>(*self->state.context);
  if (why.code == core::errc::none)
    return false;
  self->make_response_promise().deliver(msg::to_error(why));
  return true;
}

// --- loading ---

void load(step_ptr self);

/// All who wait for the step hear how loading it went.
void end_waiting(step_ptr self, const core::failure& why) {
  for (auto& request : std::exchange(self->state.stashed, {}))
    request(why);
}

void retry_loading(step_ptr self, const core::failure& why) {
  auto& st = self->state;
  const auto wait = retry_pause(st.context, ++st.load_attempts);
  const auto step = to_string(st.identity.step());
  if (st.load_fault.met(why.detail))
    st.context->log(log_level::warning, "step_load_failed",
                    {{"step", step}, {"reason", why.detail}});
  // Somebody has to mend it: nobody is to wait for that.
  if (!core::describe(why.code).retryable)
    end_waiting(self, {why.code, "step " + step + " cannot be loaded: " + why.detail});
  self->delayed_send(self, wait, retry_tick{st.load_attempts});
}

void on_loaded(step_ptr self, step_loaded& stored) {
  auto& st = self->state;
  st.step.row = stored.step.row;
  st.step.next_ordinal = stored.step.next_ordinal;
  take_versions(self, stored.workflow);
  const auto& mine = definition_of(st);
  st.step.hides_origin = mine.test_questions.has_value();
  st.step.token_min = st.context->tokens_above + 1;
  st.step.executor = mine.tasks;
  for (const auto& unit : stored.step.open_units)
    enter_unit(self, unit);
  restore_quality(self, stored.history);
  for (const auto& unit : stored.step.unreadable)
    set_unit_aside(self, unit.id, {core::errc::damaged, unit.why});
  for (const auto& unit : stored.step.open_units)
    for (const auto& holder : unit.holders)
      st.board->holding(holder.contributor, unit.id);
  restore_waiting(self, stored.step.waiting);
  st.loaded = true;
  if (st.load_fault.over())
    st.context->log(log_level::info, "step_loaded", {{"step", to_string(st.identity.step())}});
  st.loaded_at = now(self, st.context);
  heed_ended_removals(self);
  arm_expiry(self);
  end_waiting(self, {});
  restore_repairs(self, stored.repairs);
  gather_when_due(self);
  cancel_open_units(self);
}

void load(step_ptr self) {
  auto& st = self->state;
  read(self, st.links.loader,
       [step = st.identity.step()](persistence::store& db) { return load_step(db, step); })
      .then([=](step_loaded& stored) { on_loaded(self, stored); },
            [=](const core::failure& why) {
              if (why.code != core::errc::not_found)
                return retry_loading(self, why);
              end_waiting(self, {core::errc::not_found,
                                 "no step " + to_string(self->state.identity.step())});
              self->quit();
            });
}

// --- requesters ---

void answer_step(step_ptr self, core::decision<core::step_row> decided) {
  auto& st = self->state;
  auto promise = self->make_response_promise();
  if (decided.refusal != core::errc::none) {
    st.pending.answer(
        self, st.context, st.identity.shard,
        reply_refusal(std::move(promise), {decided.refusal, std::move(decided.detail)}));
    return;
  }
  auto effect = reply(std::move(promise), to_view(decided.answer));
  if (decided.changes.empty())
    st.pending.answer(self, st.context, st.identity.shard, std::move(effect));
  else
    write(self, noted(std::move(decided.changes), note_in_hand::get()), std::move(effect));
}

} // namespace

core::failure unreadable(core::failure why) {
  if (!core::describe(why.code).retryable)
    why.code = core::errc::damaged;
  return why;
}

void refuse(step_ptr self, const held_promise& promise, core::failure why) {
  auto& st = self->state;
  st.pending.answer(self, st.context, st.identity.shard,
                    [promise, why = std::move(why)](const core::failure& lost) {
                      promise.deliver(msg::to_error(lost.code == core::errc::none ? why : lost));
                    });
}

void again_later(step_ptr self, std::uint32_t attempt, std::function<void()> what) {
  self->delayed_send(self, retry_pause(self->state.context, attempt), try_again{std::move(what)});
}

void write(step_ptr self, core::change changes, std::function<void(const core::failure&)> effect) {
  auto& st = self->state;
  st.pending.write(self, st.context, st.links.writer, st.identity, std::move(changes),
                   std::move(effect));
}

/// Adds the units of the step to a scrape of metrics.
static void add_units(step_ptr self, const read_metrics& reading) {
  using metrics::metric;
  const auto& st = self->state;
  if (!st.loaded)
    return;
  const auto& row = st.step.row;
  reading.into->add(metric::units, {row.key, "open"},
                    static_cast<double>(row.total_units - row.completed_units));
  reading.into->add(metric::units, {row.key, "done"}, static_cast<double>(row.completed_units));
}

static caf::behavior step_actor(caf::stateful_actor<step_state>* self, context_ptr context,
                                decider identity, step_links links) {
  guard(self, context);
  auto& st = self->state;
  const auto seed = context->take_seed();
  st.ids = core::uuid_source{seed};
  st.vacancies = seed;
  st.context = std::move(context);
  st.identity = std::move(identity);
  st.links = std::move(links);
  st.reported = report_metrics(self, st.context);
  // A barrier: whatever an earlier life of this step has decided is settled before this one reads.
  write(self, {}, [=](const core::failure& why) {
    if (why.code == core::errc::none)
      load(self);
  });
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](const unit_report& report) {
        for (const auto& end : report.ended)
          end_held(self, end.contributor, report.unit);
        on_unit_report(self, report);
        if (report.free > 0)
          note_vacancy(self);
        note_for_quality(self, report);
        note_for_cap(self, report);
      },
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
      },
      [=](owned_ask& m) {
        if (!put_off(self, m))
          on_ask(self, m);
      },
      [=](owned_submit& m) {
        if (!put_off(self, m))
          on_submit(self, m);
      },
      [=](const apply_events& m) {
        if (!put_off(self, m))
          on_apply_events(self, m);
      },
      [=](const part_undone& undone) { on_part_undone(self, undone); },
      [=](offer_refused& refused) { on_offer_refused(self, refused); },
      [=](input_wanted& wanted) { on_input_wanted(self, wanted); },
      [=](offer_delayed& delayed) { on_offer_delayed(self, delayed); },
      [=](owned_release& m) {
        if (!put_off(self, m))
          on_release(self, m);
      },
      [=](owned_extend& m) {
        if (!put_off(self, m))
          on_extend(self, m);
      },
      [=](const msg::change_unit& m) {
        if (!not_now(self, m))
          on_change_unit(self, m);
      },
      [=](msg::add_source_data& m) {
        if (!not_now(self, m))
          on_add_source_data(self, m);
      },
      [=](msg::load_source_data& m) {
        if (!not_now(self, m))
          on_load_source_data(self, m);
      },
      [=](msg::add_test_questions& m) {
        if (!not_now(self, m))
          on_add_test_questions(self, m);
      },
      [=](const msg::update_workflow& m) {
        if (!not_now(self, m))
          on_update_workflow(self, m);
      },
      [=](const msg::job_status_changed& m) {
        if (!not_now(self, m))
          on_job_status_changed(self, m);
      },
      [=](const msg::seal_step& m) {
        if (!not_now(self, m))
          answer_step(self, core::seal(self->state.step, now(self, self->state.context)));
        gather_when_due(self);
      },
      [=](const msg::change_step& m) {
        if (!not_now(self, m))
          answer_step(self, core::decide(self->state.step, static_cast<core::unit_verb>(m.verb),
                                         now(self, self->state.context)));
        cancel_open_units(self);
        note_vacancy(self);
      },
      [=](const msg::remove_contributor& m) {
        if (!not_now(self, m))
          on_remove_contributor(self, m);
      },
      [=](const msg::forgive_question& m) {
        if (!not_now(self, m))
          on_forgive_question(self, m);
      },
      [=](const msg::repair_contributor& m) {
        if (!not_now(self, m))
          on_repair_contributor(self, m);
      },
      [=](const msg::repair_question& m) {
        if (!not_now(self, m))
          on_repair_question(self, m);
      },
      [=](const msg::reopen_unit& m) {
        if (!not_now(self, m))
          on_reopen_unit(self, m);
      },
      [=](const msg::override_result& m) {
        if (!not_now(self, m))
          on_override_result(self, m);
      },
      [=](const msg::taint_judgment& m) {
        if (!not_now(self, m))
          on_taint_judgment(self, m);
      },
      [=](const msg::reinstate_judgment& m) {
        if (!not_now(self, m))
          on_reinstate_judgment(self, m);
      },
      [=](const msg::correct_judgment& m) {
        if (!not_now(self, m))
          on_correct_judgment(self, m);
      },
      [=](const msg::list_contributors& m) {
        if (!not_now(self, m))
          on_list_contributors(self, m);
      },
      [=](const msg::await_units& m) {
        if (!not_now(self, m))
          on_await_units(self, m);
      },
      [=](const vacancy_tick& tick) { on_vacancy_tick(self, tick); },
      [=](const msg::get_feedback& m) {
        if (!not_now(self, m))
          on_get_feedback(self, m);
      },
      [=](const msg::explain_unit& m) {
        if (!not_now(self, m))
          on_explain_unit(self, m);
      },
      [=](const msg::explain_contributor& m) {
        if (!not_now(self, m))
          on_explain_contributor(self, m);
      },
      [=](const msg::get_step_quality& m) {
        if (!not_now(self, m))
          on_get_step_quality(self, m);
      },
      [=](const add_children& m) {
        if (!put_off(self, m))
          on_add_children(self, m);
      },
      [=](const upstream_progress& m) {
        if (!put_off(self, m))
          on_upstream_progress(self, m);
      },
      [=](const test_answered& answer) { conclude(self, answer); },
      [=](const judgment_kept& kept) {
        if (kept.is_counted)
          self->state.board->judged(kept.contributor);
      },
      [=](const unit_ended& ended) { on_unit_ended(self, ended); },
      [=](const retry_tick&) { load(self); },
      [=](const expiry_tick& tick) { on_expiry_tick(self, tick); },
      [=](const read_metrics& reading) { add_units(self, reading); },
      [=](look_again) {
        on_look_again(self);
        if (self->state.loaded) {
          go_on_with_repairs(self);
          aggregate_forgotten(self);
          cancel_open_units(self);
        }
        gather_when_due(self);
      },
      [=](removals_changed) { heed_ended_removals(self); },
      [=](repair_tick) { go_on_with_repairs(self); },
      [](const try_again& m) { m.what(); },
      [=](gather_tick) { gather_when_due(self); },
      [=](sweep_tick) { on_sweep_tick(self); },
      with_notes(self),
      // Started by its shard's host with the sending of this message.
      [](const activate&) {},
  };
}

caf::actor spawn_step(caf::event_based_actor* parent, context_ptr context, decider identity,
                      step_links links) {
  return parent->spawn(step_actor, std::move(context), std::move(identity), std::move(links));
}

} // namespace holdfast::actors
