#pragma once

#include "core/fields/combine.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::core::fields {

/// One judgment of a step about one field; units and contributors are numbers from 0.
struct step_value {
  std::uint32_t unit = 0;
  std::uint32_t contributor = 0;
  value said;
  double weight = 1;
  std::uint64_t lot = 0;
};

/// Of a pairwise field: what the two that a unit compares are called, in the order of the labels
/// that judgments name them by. Empty for other kinds.
struct compared_pair {
  std::string first;
  std::string second;
};

/// The standing of one of the compared items.
struct item_score {
  std::string item;
  double score = 0; ///< Strength; all of a step add up to 1.
};

struct step_found {
  std::vector<found_value> units;   ///< By unit.
  std::vector<double> contributors; ///< By contributor: how reliable, 0 to 1; may be empty.
  std::vector<item_score> scale;    ///< pairwise and ranking: the best first.
  std::uint32_t iterations = 0;
};

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
