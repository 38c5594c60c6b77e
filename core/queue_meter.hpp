#pragma once

#include "core/change.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace holdfast::core {

/// What was decided in a queue in some span of time.
struct queue_tally {
  std::uint64_t made = 0;
  std::uint64_t granted = 0;   ///< Leases.
  std::uint64_t completed = 0; ///< Tasks, like the following three.
  std::uint64_t failed = 0;
  std::uint64_t canceled = 0;
  std::uint64_t dead = 0;
  std::uint64_t tries_failed = 0; ///< Leases that left their task live, like the following two.
  std::uint64_t rate_limited = 0;
  std::uint64_t crashes = 0;

  queue_tally& operator+=(const queue_tally& other);
};

/// How much of the work that came to an end by itself, with its task or not, ended with an error.
/// What was canceled, given back or asked to come later is neither. From 0 to 1; 0 when there was
/// none.
double error_share(const queue_tally& tally);

/// How many of the tasks that ended are dead letters, without those that were canceled. From 0 to
/// 1; 0 when none ended.
double dead_share(const queue_tally& tally);

/// Counts what a queue decides, by the time of the decision, and forgets it after a while. It has a
/// fixed size, and a decision costs it an addition for each write.
class queue_meter {
public:
  static constexpr duration slot = std::chrono::seconds{10};
  static constexpr duration longest = std::chrono::minutes{5};

  explicit queue_meter(instant began) : began_(began) {}

  /// `at` never goes back by more than a slot.
  void count(const change& decided, instant at);

  struct span {
    instant from;
    queue_tally tally;
  };
  /// What was counted in about the last `window`: whole slots and the one that is not over.
  span last(duration window, instant now) const;

private:
  struct counted {
    std::int64_t number = -1; ///< Of the slot since the epoch.
    queue_tally tally;
  };
  static std::int64_t number_of(instant at);

  instant began_;
  std::array<counted, longest / slot + 1> slots_;
};

} // namespace holdfast::core
