#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::core::quality {

/// Two contributors who make the same mistakes more often than their own error rates and the
/// difficulty of the units explain. Shared right answers say nothing: everybody shares those.
struct suspected_copy {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t units = 0;  ///< Answered by both, with a majority of others to disagree with.
  std::uint32_t shared = 0; ///< Times both gave the same label against that majority.
  double expected = 0;      ///< How many of them were to be expected.
  double chance = 1;        ///< Of so many or more, over all pairs looked at; at most 1.
};

struct copy_rule {
  std::uint32_t units_min = 10;
  /// So many others must agree for somebody to be mistaken. Two may well be wrong together, and
  /// then those who are right against them would be taken for copies.
  std::uint32_t majority_min = 3;
  double chance_max = 0.001; ///< Once in so many honest steps, a pair is flagged.
  /// So many contributors are compared with each other on one unit: 4,950 pairs, where a test
  /// question that thousands have answered would make millions. Of more it is those who have
  /// answered most in all. They are the same everywhere, so that pairs get to `units_min`, and
  /// their copies harm most.
  std::size_t compared_max = 100;
};

/// Every pair that is flagged, the least likely first. Compares each pair on each unit that both
/// answered, within `compared_max`; everybody's answers make the majority.
///
/// A shared disagreement is expected on a unit with the product of both contributors' rates of
/// disagreement, each scaled by how contested the unit is among the others, times how likely two
/// who disagree there choose the same label; the sum is taken for the mean of a Poisson
/// distribution. After the detection of copying in tests: G. Frary, T. Tideman, T. Watts, "Indices
/// of cheating on multiple-choice tests", 1977.
std::vector<suspected_copy> suspected_copies(const answers& given, const copy_rule& rule);

} // namespace holdfast::core::quality
