#pragma once

#include "core/fields/found_value.hpp"

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

} // namespace holdfast::core::fields
