#include "core/trust_elsewhere.hpp"

#include "core/quality/trust.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// Read at two moments, the part may be more than the whole.
tested without(const tested& all, const tested& part) {
  const auto answered = all.answered - std::min(part.answered, all.answered);
  return {std::min(all.right - std::min(part.right, all.right), answered), answered};
}

} // namespace

bool* source_named(trust_sources& sources, std::string_view name) {
  if (name == "step")
    return &sources.step;
  if (name == "workflow")
    return &sources.workflow;
  if (name == "everywhere")
    return &sources.everywhere;
  return name == "profile" ? &sources.profile : nullptr;
}

std::optional<double> trust_by_others(const trust_sources& sources,
                                      const contributor_profile& profile, const tests_seen& seen,
                                      const tested& everywhere) {
  if (sources.workflow && seen.in_workflow.answered > 0)
    return trust_in({}, seen.in_workflow);
  if (const auto others = without(everywhere, seen.here); sources.everywhere && others.answered > 0)
    return trust_in({}, others);
  return sources.profile ? profile.trust : std::nullopt;
}

bool keeps_trust(const std::optional<std::uint32_t>& questions_then, const trust_mark& now) {
  return !questions_then && now.questions.value_or(0) == 0;
}

} // namespace holdfast::core
