#pragma once

#include "core/eligibility.hpp"
#include "core/trust_course.hpp"

#include <optional>

/// How far a contributor is trusted by what is known of them outside of a step.
namespace holdfast::core {

/// The findings of a step outside of itself.
struct trust_elsewhere {
  /// The step goes by trust and has looked. Steps that do not take everybody as they are.
  bool looked = false;
  std::optional<double> mean{}; ///< None: nothing is known of the contributor.
};

/// By the test questions of other steps, else by the profile; none where neither says anything.
std::optional<double> trust_by_others(const contributor_profile& profile,
                                      const tested& in_other_steps);

/// Whether a judgment keeps the trust that it is stored with when trust is reckoned anew by the
/// test questions of the step: it rests on none of them, and would not now. The findings
/// elsewhere of that time are not kept.
bool keeps_trust(const std::optional<std::uint32_t>& questions_then, const trust_mark& now);

} // namespace holdfast::core
