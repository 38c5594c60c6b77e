#include "actors/consumer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"

#include <map>
#include <memory>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<consumer_state>*;

/// One delivery, split by step.
struct spread {
  held_promise promise;
  std::size_t open = 0;
  caf::error failed;
};

void finish(const std::shared_ptr<spread>& whole) {
  if (--whole->open > 0)
    return;
  if (whole->failed)
    whole->promise.deliver(whole->failed);
  else
    whole->promise.deliver(events_applied{});
}

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
  const auto whole = std::make_shared<spread>(spread{promise, parts.size() + 1, {}});
  for (auto& [step, part] : parts)
    self->request(st.shards, delivery_timeout, std::move(part))
        .then([=](events_applied) { finish(whole); },
              [=](caf::error& error) {
                // The step may be gone for good; then nobody needs its events.
                if (msg::failure_of(error).code != core::errc::not_found && !whole->failed)
                  whole->failed = std::move(error);
                finish(whole);
              });
  finish(whole);
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
