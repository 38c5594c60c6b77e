#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <mutex>

namespace holdfast::app::demo {

/// How fast the recorded contributors work, all together: as planned on the first units that they
/// are given, then so many judgments a second. Safe to use from any thread.
///
/// Once they are slow, each takes the next free place in a row of even intervals. So the job goes
/// on at the same pace however many of them still have work, and each of them holds a unit for
/// about as long as a person would.
class work_pace {
public:
  /// `at_once`: the number of the first units. `per_second`: greater than 0.
  work_pace(std::uint64_t at_once, double per_second);

  bool is_slow() const;

  /// How long somebody thinks who was given a unit at `now`, and planned to think for `planned`.
  core::duration thinking(core::duration planned, core::instant now);

private:
  const core::duration interval_;
  mutable std::mutex mutex_;
  std::uint64_t left_at_once_;
  core::instant last_{}; ///< The last place that somebody has taken.
};

} // namespace holdfast::app::demo
