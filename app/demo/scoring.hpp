#pragma once

#include "app/demo/dataset.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::app::demo {

/// How many contributors gave each label to one unit.
using votes = std::map<std::string, std::uint32_t>;

/// The votes of every unit of the set, straight from the file.
std::vector<votes> recorded_votes(const dataset& set);

/// How often the majority is right.
struct accuracy {
  double credit = 0;     ///< Right units; a tie of n labels with the true one among them: 1/n.
  std::size_t known = 0; ///< Units whose truth is known.

  /// None when nothing is known to be true.
  std::optional<double> value() const;
};

/// Judges `of_units` (one entry for each unit of the set, empty where there is no result) against
/// the truth. The units are added up in the order of the set, so equal votes give equal bits.
accuracy score(const dataset& set, const std::vector<votes>& of_units);

} // namespace holdfast::app::demo
