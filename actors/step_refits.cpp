#include "actors/step_state.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

/// Other steps of the node may be before this one.
constexpr auto refit_timeout = std::chrono::minutes{10};

using input_ptr = std::shared_ptr<const core::quality::refit_input>;

void take_over(step_ptr self, const input_ptr& input, const core::quality::refit& refitted) {
  auto& st = self->state;
  if (!st.model->adopt(input, refitted))
    return; // it is of a model that there is no more
  st.refits.ended();
  const auto& rule = refitted.rule;
  st.context->log(log_level::info, "model_refitted",
                  {{"step", to_string(st.identity.step())},
                   {"units", std::to_string(input->given.units())},
                   {"method", std::string{core::quality::name_of(rule.chosen)}},
                   {"calibrated_on", std::to_string(rule.sureness.fitted_on)}});
}

} // namespace

void take_model(step_ptr self, core::answer_model model) {
  auto& st = self->state;
  st.model = std::move(model);
  st.refits = {};
  refit_when_due(self);
}

void refit_when_due(step_ptr self) {
  auto& st = self->state;
  if (!st.model || !st.refits.due(st.model->judgments()))
    return;
  const auto input = st.model->begin_refit();
  if (!input) {
    // There are judgments, or none would be due. Told each time, which is ever more seldom:
    // whoever reads results must know that they are not what the step's method names.
    const auto& policy = definition_of(st).aggregation;
    st.context->log(log_level::warning, "refit_left_out",
                    {{"step", to_string(st.identity.step())},
                     {"method", std::string{to_string(policy.method)}},
                     {"judgments", std::to_string(st.model->judgments())},
                     {"contributors", std::to_string(st.model->contributors())},
                     {"labels", std::to_string(policy.labels.size())}});
    return st.refits.ended();
  }
  self->request(st.links.refitter, refit_timeout, refit_model{input})
      .then([=](const model_refitted& done) { take_over(self, input, *done.found); },
            // More judgments lead to another one; as long as it goes badly, results come from the
            // model as it was.
            [=](const caf::error& error) {
              auto& state = self->state;
              if (!state.model->give_up(input))
                return; // that of the model that there is now may still be under way
              state.refits.ended();
              state.context->log(log_level::error, "refit_failed",
                                 {{"step", to_string(state.identity.step())},
                                  {"reason", msg::failure_of(error).detail}});
            });
}

} // namespace holdfast::actors
