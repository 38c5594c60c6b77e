#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <tuple>
#include <vector>

namespace holdfast::core {

/// When a judgment came in, among all of its contributor: those of one instant are told apart by
/// id.
struct judgment_moment {
  instant at{};
  judgment_id id{};
};

inline bool operator<(const judgment_moment& a, const judgment_moment& b) {
  return std::tie(a.at, a.id) < std::tie(b.at, b.id);
}

/// How much a contributor is trusted in a step from answer to answer, by the test questions that
/// count now.
struct trust_course {
  struct turn {
    judgment_moment after; ///< The answer that it follows from.
    double trust = 1;
  };

  double at_first = 1;
  std::vector<turn> turns{}; ///< In order.

  /// What a judgment that came in then is stored with: by all answers that came in before it.
  double at(const judgment_moment& when) const;
};

} // namespace holdfast::core
