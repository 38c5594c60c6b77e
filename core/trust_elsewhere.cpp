#include "core/trust_elsewhere.hpp"

#include "core/quality/trust.hpp"

namespace holdfast::core {

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
