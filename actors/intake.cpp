#include "actors/intake.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reads.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<intake_state>*;

void look(self_ptr self) {
  self->state.looks.ask(
      self, self->state.loader, [](persistence::store& db) { return db.queues_with_staged(); },
      [=](std::vector<core::queue_name>& queues) {
        auto& st = self->state;
        if (!queues.empty())
          self->send(st.shards, tasks_staged{std::move(queues)});
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
