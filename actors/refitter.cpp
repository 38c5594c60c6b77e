#include "actors/refitter.hpp"

#include "actors/actor_guard.hpp"
#include "actors/internal_messages.hpp"

#include <exception>
#include <utility>

namespace holdfast::actors {

namespace {

/// The writers and all that stands below would end with the refitter, and so, at the next
/// questions, the node: for the judgments of one step.
template <class Answer, class Work>
caf::result<Answer> answer_or_fail(Work work) {
  try {
    return work();
  } catch (const std::exception& bug) {
    return msg::to_error(core::errc::unavailable, bug.what());
  }
}

} // namespace

caf::behavior refitter(caf::stateful_actor<refitter_state>* self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  return {
      [](const refit_model& question) {
        return answer_or_fail<model_refitted>([&] {
          return model_refitted{
              std::make_shared<const core::quality::refit>(refit_of(*question.input))};
        });
      },
      [](const survey_step& question) {
        return answer_or_fail<step_surveyed>([&] {
          return step_surveyed{core::survey(question.material->judgments),
                               question.material->finished, question.material->unreadable};
        });
      },
  };
}

} // namespace holdfast::actors
