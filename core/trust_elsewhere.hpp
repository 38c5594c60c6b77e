#pragma once

#include "core/eligibility.hpp"
#include "core/trust_course.hpp"

#include <optional>
#include <string_view>

/// How far a contributor is trusted by what is known of them outside of a step.
namespace holdfast::core {

/// By what a step trusts people: the first that says something counts, in this order.
struct trust_sources {
  bool step = true;       ///< Test questions of the step itself.
  bool workflow = true;   ///< Those of the other steps of its workflow.
  bool everywhere = true; ///< Those of all other steps.
  bool profile = true;    ///< What was put of the contributor.
  bool named = false;     ///< The definition says which: the step goes by trust then.
};

/// The source of this name, to be changed; null: there is none.
bool* source_named(trust_sources& sources, std::string_view name);

/// Answers to test questions that count, as a step looks at them.
struct tests_seen {
  tested here;        ///< In the step itself.
  tested in_workflow; ///< In the other steps of its workflow.
};

/// The findings of a step outside of itself.
struct trust_elsewhere {
  /// The step goes by trust and has looked. Steps that do not take everybody as they are.
  bool looked = false;
  std::optional<double> mean{}; ///< None: nothing is known of the contributor.
  bool without_own = false;     ///< The test questions of the step itself say nothing.
};

/// By what is known outside of the step; none where nothing that counts says anything.
/// `everywhere`: the answers of all steps together.
std::optional<double> trust_by_others(const trust_sources& sources,
                                      const contributor_profile& profile, const tests_seen& seen,
                                      const tested& everywhere);

/// Whether a judgment keeps the trust that it is stored with when trust is reckoned anew by the
/// test questions of the step: it rests on none of them, and would not now. The findings
/// elsewhere of that time are not kept.
bool keeps_trust(const std::optional<std::uint32_t>& questions_then, const trust_mark& now);

} // namespace holdfast::core
