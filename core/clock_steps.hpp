#pragma once

#include "core/lease.hpp"

/// Leases and waiting tasks on a clock that may be set back.
namespace holdfast::core {

struct queue;

/// Nodes correct their clock by less at each renewal; more is taken for a step of the clock.
inline constexpr duration clock_corrections_max = std::chrono::seconds{1};

/// Shortens the leases that a clock has granted or extended which has been set back since: they end
/// later than any lease of `longest` can at `now`, or began after `now`. Each is taken for one that
/// was granted now, or a dead holder would be waited for as long as the clock had stood ahead.
/// Answers whether there were any.
bool heed_clock(lease_table& table, duration longest, instant now);

/// The same for the leases of a queue, by the policy of each type; and brings forward the tasks
/// that would wait for as long as the clock had stood ahead: those that were due at once, or a
/// pause after a try. Looks at them only when the clock was set back since the last time, and after
/// they were loaded; then only at leases that began after `now`, since the policy may have been
/// changed.
bool heed_clock(queue& q, instant now);

} // namespace holdfast::core
