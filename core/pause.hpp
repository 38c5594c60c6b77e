#pragma once

#include "core/time.hpp"

/// Pauses that end by themselves, on a clock that may be set back.
namespace holdfast::core {

/// Whether a pause until `until`, which lasts `longest` at most, is under way at `now`. One that
/// ends later than it could was begun before the clock was set back: it is over, or it would last
/// as long as the clock stood ahead.
inline bool is_under_way(instant until, duration longest, instant now) {
  return now < until && until - longest <= now;
}

} // namespace holdfast::core
