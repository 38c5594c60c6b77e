#include "actors/intake.hpp"

#include "actors/actor_guard.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<intake_state>*;

/// The next look comes after the answer to the last, so that there is never more than one.
void rest(self_ptr self) {
  self->delayed_send(self, self->state.context->settings.intake_interval, intake_tick{});
}

void on_found(self_ptr self, staged_queues& found) {
  auto& st = self->state;
  st.failing = false;
  if (!found.queues.empty())
    self->send(st.shards, tasks_staged{std::move(found.queues)});
  rest(self);
}

void on_failed(self_ptr self, const caf::error& why) {
  auto& st = self->state;
  if (!st.failing) // once, and not ten times a second while the database is away
    st.context->log(log_level::warning, "intake_failed", {{"reason", msg::failure_of(why).detail}});
  st.failing = true;
  rest(self);
}

void look(self_ptr self) {
  self->request(self->state.loader, internal_timeout, find_staged{})
      .then([=](staged_queues& found) { on_found(self, found); },
            [=](const caf::error& error) { on_failed(self, error); });
}

} // namespace

caf::behavior intake(caf::stateful_actor<intake_state>* self, context_ptr context,
                     const caf::actor& loader, const caf::actor& shards) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.loader = loader;
  st.shards = shards;
  rest(self);
  return {
      [=](intake_tick) { look(self); },
  };
}

} // namespace holdfast::actors
