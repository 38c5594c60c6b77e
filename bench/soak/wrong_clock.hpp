#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::soak {

/// What the harness and a process on a wrong clock share: a file of this size, mapped by both.
struct wrong_clock {
  std::atomic<std::int64_t> seconds_ahead{0};
  /// How often the process has read the time while that was not zero.
  std::atomic<std::uint64_t> misled{0};
};

/// Names the file to the process. Not `HOLDFAST_`, which is for options of the node.
constexpr auto wrong_clock_variable = "WRONG_CLOCK_FILE";

} // namespace holdfast::soak
