#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace holdfast::core::quality {

/// How much a contributor agrees with the others, beyond chance: the best sign of bad work there is
/// without test questions.
struct peer_agreement {
  std::uint32_t compared = 0; ///< Judgments of units on which the others have a majority.
  double agreed = 0;          ///< Share of them with the same answer; ties count their share.
  double expected = 0;        ///< What the label shares of both sides make by chance.

  /// 1 for a copy of the majority, 0 for chance, below 0 for one who contradicts. None where the
  /// others always say the same as everybody would by chance.
  std::optional<double> kappa() const;
};

/// One for each contributor, with their own votes left out of the majority. Source: J. Cohen, "A
/// coefficient of agreement for nominal scales", 1960, with the majority of the others as the
/// second observer.
std::vector<peer_agreement> peer_agreements(const answers& given);

} // namespace holdfast::core::quality
