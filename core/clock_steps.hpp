#pragma once

#include "core/lease.hpp"

/// Leases and waiting tasks on a clock that may be set back.
namespace holdfast::core {

struct queue;
struct task_progress;

/// Nodes correct their clock by less at each renewal; more is taken for a step of the clock.
inline constexpr duration clock_corrections_max = std::chrono::seconds{1};

/// Shortens the leases that end later than any of `longest` can at `now`: a clock has granted or
/// extended them that has been set back since. Each is taken for one that was granted now, or a
/// dead holder would be waited for as long as the clock had stood ahead. Answers whether there were
/// any.
bool heed_clock(lease_table& table, duration longest, instant now);

/// The same for the leases of a queue, by the policy of each type; and brings forward the tasks
/// that would wait for as long as the clock had stood ahead: those that were due at once, or a
/// pause after a try, or whose type and credential the world outside asked to hold off. Looks at
/// them only when the clock was set back since the last time, and after they were loaded; then only
/// at leases that began after `now`, since the policy may have been changed.
bool heed_clock(queue& q, instant now);

/// When a task that waits is to be looked at, as its last action meant it. A time that a producer
/// or a release has named for a task which nobody has tried is kept: it may be one of the calendar.
/// Of a task that was tried it is not known what has named the time; it is taken for the end of a
/// pause, since most are.
instant due_after_step(const task_progress& p, instant now);

} // namespace holdfast::core
