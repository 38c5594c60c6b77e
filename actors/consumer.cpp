#include "actors/consumer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/fan_in.hpp"
#include "actors/held_promise.hpp"

#include <map>
#include <memory>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<consumer_state>*;

/// Splits one delivery by step.
void apply(self_ptr self, deliver& delivery, const held_promise& promise) {
  auto& st = self->state;
  const auto& done = st.applied[delivery.shard];
  std::map<core::step_id, apply_events> parts;
  for (auto& e : delivery.events) {
    if (e.id.seq <= done.cursor || done.above.count(e.id.seq) != 0)
      continue;
    auto& part = parts[e.event.step];
    part.consumer = st.spec.name;
    part.step = e.event.step;
    part.events.push_back(std::move(e));
  }
  const auto whole = std::make_shared<fan_in>([promise](const core::failure& why) {
    if (why.code == core::errc::none)
      promise.deliver(events_applied{});
    else
      promise.deliver(msg::to_error(why));
  });
  for (auto& [step, part] : parts) {
    whole->begin_part();
    self->request(st.shards, delivery_timeout, std::move(part))
        .then([=](events_applied) { whole->end_part(); },
              [=](const caf::error& error) {
                const auto why = msg::failure_of(error);
                // The step may be gone for good; then nobody needs its events.
                whole->end_part(why.code == core::errc::not_found ? core::failure{} : why);
              });
  }
  whole->end_part();
}

} // namespace

std::vector<consumer_spec> node_consumers() {
  using core::event_type;
  // A result that is taken back may leave a unit with all the judgments that it needs.
  return {
      {aggregation_consumer,
       {event_type::judgment_received, event_type::unit_reopened, event_type::judgment_reinstated}},
      {completion_consumer,
       {event_type::unit_finalized, event_type::unit_canceled, event_type::unit_reopened}},
      {routing_consumer,
       {event_type::unit_finalized, event_type::unit_reopened, event_type::unit_withdrawn,
        event_type::job_step_updated}},
      {task_results_consumer, {event_type::unit_task_ended}}};
}

caf::behavior consumer(caf::stateful_actor<consumer_state>* self, context_ptr context,
                       consumer_spec spec, caf::actor loader, caf::actor shards, caf::actor relay) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.spec = std::move(spec);
  st.loader = std::move(loader);
  st.shards = std::move(shards);
  self->send(relay, subscribe{st.spec.name, st.spec.types, caf::actor_cast<caf::actor>(self)});
  return {
      [=](deliver& delivery) {
        const held_promise promise{self->make_response_promise()};
        if (!delivery.again) {
          self->state.applied.erase(delivery.shard);
          apply(self, delivery, promise);
          return;
        }
        const read_position where{self->state.spec.name, delivery.shard};
        self->request(self->state.loader, internal_timeout, where)
            .then(
                [=, delivery = std::move(delivery)](const consumer_position& position) mutable {
                  self->state.applied[delivery.shard] = {
                      position.cursor, {position.applied.begin(), position.applied.end()}};
                  apply(self, delivery, promise);
                },
                [=](caf::error& error) { promise.deliver(std::move(error)); });
      },
  };
}

} // namespace holdfast::actors
