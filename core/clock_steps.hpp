#pragma once

#include "core/lease.hpp"
#include "core/task.hpp"

/// Leases and waiting tasks on a clock that may be set back.
namespace holdfast::core {

/// Nodes correct their clock by less at each renewal; more is taken for a step of the clock.
inline constexpr duration clock_corrections_max = std::chrono::seconds{1};

/// Shortens the leases that end later than any of `longest` can at `now`: a clock has granted or
/// extended them that has been set back since. Each is taken for one that was granted now, or a
/// dead holder would be waited for as long as the clock had stood ahead. Answers whether there were
/// any.
bool heed_clock(lease_table& table, duration longest, instant now);

/// When a task that waits is to be looked at, as its last action meant it. A time that a producer
/// or a release has named for a task which nobody has tried is kept: it may be one of the calendar.
/// Of a task that was tried it is not known what has named the time; it is taken for the end of a
/// pause, since most are.
instant due_after_step(const task_progress& p, instant now);

} // namespace holdfast::core
