#include "actors/consumer.hpp"
#include "actors/step_state.hpp"

#include <memory>

namespace holdfast::actors {

namespace {

/// Answers a delivery when all of its parts have answered; with the first failure, if any.
struct gathering {
  explicit gathering(held_promise p) : promise(std::move(p)) {}

  held_promise promise;
  std::size_t open = 1; ///< One for the one who gathers.
  caf::error failed;

  void part_done() {
    if (--open > 0)
      return;
    if (failed)
      promise.deliver(failed);
    else
      promise.deliver(events_applied{});
  }
  void part_failed(caf::error& why) {
    if (!failed)
      failed = std::move(why);
    part_done();
  }
};

/// Sends `part` to `target` as one part of the delivery.
template <class Message>
void ask_part(step_ptr self, const std::shared_ptr<gathering>& whole, const caf::actor& target,
              Message part) {
  ++whole->open;
  self->request(target, delivery_timeout, std::move(part))
      .then([=](events_applied) { whole->part_done(); },
            [=](caf::error& why) { whole->part_failed(why); });
}

std::shared_ptr<gathering> gather(step_ptr self) {
  return std::make_shared<gathering>(held_promise{self->make_response_promise()});
}

/// Judgments came in: whichever unit may have all of them now decides whether to finalize.
void aggregate(step_ptr self, const apply_events& delivery) {
  auto& st = self->state;
  auto whole = gather(self);
  for (const auto& [message, event] : delivery.events) {
    // While its actor is coming or going, what the step believes of the unit may not be durable: a
    // refused write takes back even its end. Then the unit must say so itself.
    const bool settled = st.awaited.count(event.unit) == 0;
    const bool waiting = !st.ready.contains(event.unit) // finished already
                         || st.ready.free_slots(event.unit) > 0
                         || st.expiry_of.count(event.unit) != 0;
    if (settled && waiting)
      continue;
    ++whole->open;
    with_unit(
        self, event.unit,
        [=, id = message, about = event.unit](const caf::actor& unit, const core::failure& why) {
          const auto& model = self->state.model;
          if (unit)
            ask_part(self, whole, unit,
                     unit_command{judgment_seen{delivery.consumer, id,
                                                model ? std::optional{model->opinion_of(about)}
                                                      : std::nullopt}});
          else
            whole->failed = msg::to_error(why);
          whole->part_done();
        });
  }
  whole->part_done();
}

/// Units are finished: count them, once each.
void count_finished(step_ptr self, const apply_events& delivery) {
  // An earlier life of this step may have counted some of them, in a batch whose outcome was not
  // known yet when the consumer looked into its inbox. Before it comes again, it looks again.
  const auto& row = self->state.step.row;
  if (row.completed_units + delivery.events.size() > row.total_units) {
    self->make_response_promise().deliver(
        msg::to_error(core::errc::unavailable, "some of these units have been counted already"));
    return;
  }
  auto decided = core::units_finished(self->state.step, delivery.events.size(),
                                      now(self, self->state.context));
  for (const auto& [message, event] : delivery.events)
    decided.changes.writes.push_back(core::insert_inbox{delivery.consumer, message});
  write(self, std::move(decided.changes), reply(self->make_response_promise(), events_applied{}));
}

/// Tells the next steps that this one is complete, or no longer is.
void pass_on_status(step_ptr self, const std::shared_ptr<gathering>& whole,
                    const std::string& consumer, const core::sequenced_event& last) {
  const auto& st = self->state;
  const auto& mine = st.definition.steps[st.step.row.position];
  // By the time this runs the step may have changed again; the last state is what counts.
  const bool completed = st.step.row.status == core::step_status::completed;
  for (const auto& key : mine.next)
    ask_part(self, whole, st.links.shards,
             upstream_changed{consumer, st.siblings[*core::position_of(st.definition, key)],
                              last.id, completed});
}

/// Finished units go on to the next steps; then these learn whether more will come.
void route(step_ptr self, const apply_events& delivery) {
  auto& st = self->state;
  const auto& next = st.definition.steps[st.step.row.position].next;
  std::vector<finished_parent> parents;
  auto status = std::make_shared<std::optional<core::sequenced_event>>();
  for (const auto& e : delivery.events) {
    if (e.event.type == core::event_type::unit_finalized)
      parents.push_back({e.id, e.event.unit});
    else if (e.event.type == core::event_type::job_step_updated)
      *status = e;
  }
  auto whole = gather(self);
  if (next.empty()) {
    whole->part_done();
    return;
  }
  // In this order: a step that is sealed before its last units arrive would complete too early.
  auto remaining = std::make_shared<std::size_t>(parents.empty() ? 0 : next.size());
  const auto then_status = [=] {
    if (*status && !whole->failed)
      pass_on_status(self, whole, delivery.consumer, **status);
    whole->part_done();
  };
  if (*remaining == 0)
    return then_status();
  for (const auto& key : next) {
    const auto target = st.siblings[*core::position_of(st.definition, key)];
    self->request(st.links.shards, delivery_timeout,
                  add_children{delivery.consumer, target, parents})
        .then(
            [=](events_applied) {
              if (--*remaining == 0)
                then_status();
            },
            [=](caf::error& why) {
              if (!whole->failed)
                whole->failed = std::move(why);
              if (--*remaining == 0)
                then_status();
            });
  }
}

} // namespace

void on_apply_events(step_ptr self, const apply_events& delivery) {
  if (delivery.consumer == aggregation_consumer)
    aggregate(self, delivery);
  else if (delivery.consumer == completion_consumer)
    count_finished(self, delivery);
  else
    route(self, delivery);
}

} // namespace holdfast::actors
