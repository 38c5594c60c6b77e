#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
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

/// How much a contributor is trusted in a step at some moment.
struct trust_mark {
  double mean = 1;
  /// Answers to test questions that it rests on; `quality::trust_of` tells more by them. None:
  /// nobody is tested.
  std::optional<std::uint32_t> questions{};
};

inline bool operator==(const trust_mark& a, const trust_mark& b) {
  return std::equal_to<>{}(a.mean, b.mean) && a.questions == b.questions;
}

/// How much a contributor is trusted in a step from answer to answer, by the test questions that
/// count now.
struct trust_course {
  struct turn {
    judgment_moment after; ///< The answer that it follows from.
    trust_mark trust{};
  };

  trust_mark at_first{};
  std::vector<turn> turns{}; ///< In order.

  /// What a judgment that came in then is stored with: by all answers that came in before it.
  trust_mark at(const judgment_moment& when) const;
};

} // namespace holdfast::core
