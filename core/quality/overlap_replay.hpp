#pragma once

#include "core/quality/estimates.hpp"
#include "core/quality/stopping.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::core::quality {

/// What a stopping rule would have made of recorded answers.
struct overlap_replay {
  std::size_t judgments = 0;       ///< Used on units that are no test questions.
  std::size_t judgments_fixed = 0; ///< What a fixed number would have used on the same units.
  estimates found; ///< By the rule: the incremental method; without `stop_at` votes.
  estimates fixed; ///< By the majority of the fixed number.

  double saved() const {
    return judgments_fixed == 0
               ? 0
               : 1 - static_cast<double>(judgments) / static_cast<double>(judgments_fixed);
  }
};

/// Hands the recorded judgments of each unit out in an order that `seed` decides, each open unit
/// one after every other, until the rule has enough of it or no more are recorded. Contributors
/// have answered the test questions before, as in a quiz; those are held at the truth.
/// `test_questions` is empty or has one entry per unit.
overlap_replay replay(const answers& recorded, const stopping_rule& rule,
                      const known_labels& test_questions, std::uint32_t fixed, std::uint64_t seed);

} // namespace holdfast::core::quality
