#include "core/quality/standing.hpp"

#include <cmath>

namespace holdfast::core::quality {

bool is_tainted(const taint_rule& rule, const trust& now) {
  return now.chance_below(rule.threshold) > rule.certainty;
}

standing standing_of(const sequential_test& test, const test_record& record) {
  const auto right = static_cast<double>(record.right);
  const auto wrong = static_cast<double>(record.asked) - right;
  const auto for_bad =
      right * std::log(test.bad / test.good) + wrong * std::log((1 - test.bad) / (1 - test.good));
  if (for_bad >= std::log((1 - test.bad_called_good_max) / test.good_called_bad_max))
    return standing::bad;
  if (for_bad <= std::log(test.bad_called_good_max / (1 - test.good_called_bad_max)))
    return standing::good;
  return standing::undecided;
}

} // namespace holdfast::core::quality
