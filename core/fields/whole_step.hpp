#pragma once

#include "core/fields/step_values.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::core::fields {

/// The answers of all units of a step by the rule's method, be it one that looks at the step or
/// not. `pairs` by unit, for pairwise fields with items; may be empty.
step_found combine_step(const field_rule& rule, std::uint32_t units, std::uint32_t contributors,
                        const std::vector<step_value>& given,
                        const std::vector<compared_pair>& pairs = {});

/// Agreement of a step about a field: Krippendorff's alpha with the distance of the kind (nominal;
/// ordinal; interval of numbers; else 1 - `likeness` as the distance), with missing values; none
/// where chance alone leaves nothing to agree about. Source: K. Krippendorff, "Computing
/// Krippendorff's alpha-reliability", 2011.
std::optional<double> alpha(const field_rule& rule, std::uint32_t units,
                            const std::vector<step_value>& given);

/// Mean `likeness` over all pairs of judgments of a unit, over units with at least two.
std::optional<double> mean_likeness(const field_rule& rule, std::uint32_t units,
                                    const std::vector<step_value>& given);

} // namespace holdfast::core::fields
