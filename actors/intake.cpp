#include "actors/intake.hpp"

#include "actors/actor_guard.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<intake_state>*;

void look(self_ptr self) {
  self->state.looks.ask(self, self->state.loader, find_staged{}, [=](staged_queues& found) {
    auto& st = self->state;
    if (!found.queues.empty())
      self->send(st.shards, tasks_staged{std::move(found.queues)});
    st.looks.end(self);
  });
}

} // namespace

caf::behavior intake(caf::stateful_actor<intake_state>* self, context_ptr context,
                     const caf::actor& loader, const caf::actor& shards) {
  guard(self, context);
  auto& st = self->state;
  const auto interval = context->settings.intake_interval;
  st.looks = {std::move(context), interval, "intake_failed"};
  st.loader = loader;
  st.shards = shards;
  st.looks.rest(self);
  return {
      [=](upkeep_tick) {
        self->state.looks.rang();
        look(self);
      },
  };
}

} // namespace holdfast::actors
