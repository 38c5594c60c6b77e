#pragma once

#include "core/quality/trust.hpp"

#include <optional>

/// Verdicts on contributors, from their test questions alone: monitors may flag, only these taint.
namespace holdfast::core::quality {

/// A sequential test between a good contributor and a bad one: asks as few questions as a test with
/// these errors can. Source: A. Wald, "Sequential tests of statistical hypotheses", 1945.
struct sequential_test {
  double good = 0.85; ///< Accuracy of a good contributor.
  double bad = 0.60;  ///< Of a bad one.
  double good_called_bad_max = 0.05;
  double bad_called_good_max = 0.05;
};

/// When the judgments of a contributor stop counting: when it is all but certain that they are
/// right less often than `threshold`. A bound on the share of right answers itself would taint more
/// than a quarter of good contributors for two mistakes at the beginning.
struct taint_rule {
  double threshold = 0.70;
  double certainty = 0.90;
  /// In place of these two. It gives one verdict: whoever it finds good stays so.
  std::optional<sequential_test> sequential{};
};

/// By `threshold` and `certainty`.
bool is_tainted(const taint_rule& rule, const trust& now);

enum class standing { undecided, good, bad };

standing standing_of(const sequential_test& test, const test_record& record);

} // namespace holdfast::core::quality
