#include "actors/refitter.hpp"

#include "actors/actor_guard.hpp"
#include "actors/internal_messages.hpp"

#include <exception>
#include <utility>

namespace holdfast::actors {

caf::behavior refitter(caf::stateful_actor<refitter_state>* self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  return {
      [](const refit_model& question) -> caf::result<model_refitted> {
        // The writers and all that stands below would end with it, and so, at the next refits, the
        // node: for the judgments of one step.
        try {
          return model_refitted{
              std::make_shared<const core::quality::refit>(refit_of(*question.input))};
        } catch (const std::exception& bug) {
          return msg::to_error(core::errc::unavailable, bug.what());
        }
      },
  };
}

} // namespace holdfast::actors
