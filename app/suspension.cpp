#include "app/suspension.hpp"

#include <ctime>

namespace holdfast::app {

static core::duration reading_of(clockid_t clock) {
  timespec at{};
  clock_gettime(clock, &at);
  return std::chrono::duration_cast<core::duration>(std::chrono::seconds{at.tv_sec}
                                                    + std::chrono::nanoseconds{at.tv_nsec});
}

core::duration time_suspended() {
  // In this order: it is too long rather than too short, by the time between.
  const auto monotonic = reading_of(CLOCK_MONOTONIC);
  return reading_of(CLOCK_BOOTTIME) - monotonic;
}

} // namespace holdfast::app
