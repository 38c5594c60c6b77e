#include "core/trust_elsewhere.hpp"

#include "core/quality/trust.hpp"

#include <algorithm>

namespace holdfast::core {

bool goes_by_trust(const step_definition& step) {
  const auto method = step.aggregation.method;
  return method == aggregation_method::weighted || method == aggregation_method::weighted_log_odds
         || std::any_of(step.routes.begin(), step.routes.end(),
                        [](const route& one) { return one.when.trust_below.has_value(); });
}

std::optional<double> trust_by_others(const contributor_profile& profile,
                                      const tested& in_other_steps) {
  if (in_other_steps.answered == 0)
    return profile.trust;
  return trust_in({}, in_other_steps);
}

bool keeps_trust(const std::optional<std::uint32_t>& questions_then, const trust_mark& now) {
  return !questions_then && now.questions.value_or(0) == 0;
}

} // namespace holdfast::core
