#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::core::quality {

/// When a unit has judgments enough.
struct stopping_rule {
  std::uint32_t min = 1;
  std::uint32_t max = 1; ///< `judgments_per_unit` where min and max are the same.
  /// Enough when some label is so likely, as the method finds it.
  std::optional<double> stop_at;
  /// Enough when the label in front would stay there whatever the votes still missing say: the
  /// majority is the same as with all of them. What another method finds need not be.
  bool curtail = false;
};

/// Whether `rule` wants no more than `votes`; `confidence` is the share of the likeliest label.
bool enough(const stopping_rule& rule, const vote_range& votes, std::uint32_t labels,
            double confidence);

} // namespace holdfast::core::quality
