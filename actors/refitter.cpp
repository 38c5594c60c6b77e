#include "actors/refitter.hpp"

#include "actors/actor_guard.hpp"
#include "actors/internal_messages.hpp"

#include <utility>

namespace holdfast::actors {

caf::behavior refitter(caf::stateful_actor<refitter_state>* self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  return {
      [](const refit_model& question) {
        return model_refitted{
            std::make_shared<const core::quality::refit>(refit_of(*question.input))};
      },
  };
}

} // namespace holdfast::actors
