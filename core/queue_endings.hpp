#pragma once

#include "core/change.hpp"
#include "core/queue_state.hpp"

#include <string>

/// How leases and tasks of a queue end, for the decisions of core/queue.cpp: each function changes
/// the queue and adds what must be written. Nothing else includes this.
namespace holdfast::core {

/// Enters a task that is not leased where it belongs.
void settle(queue& q, const task& t, instant now);

/// Takes a task that is not leased out of wherever it waits.
void unsettle(queue& q, const task& t);

/// Ends a live task for good. Its lease, if any, ends with it.
void finish(queue& q, const task_id& id, task_ending ending, std::string result, task_error error,
            instant now, change& changes);

/// Ends the task's lease and lets it wait for `next_action`.
lost_lease end_lease_of(queue& q, task& t, attempt_ending how, task_error error,
                        instant next_action, instant now, change& changes);

/// A worker that is gone counts against the task: some tasks kill their workers.
lost_lease crash(queue& q, task& t, attempt_ending how, const std::string& what, instant now,
                 change& changes);

/// A try that failed, and may go well the next time, unless it was the last.
void fail_try(queue& q, task& t, task_error error, duration retry_after, instant now,
              change& changes);

/// The lease has run out. `connected`: it is bound to a connection that is there.
lost_lease run_out(queue& q, task& t, bool connected, instant now, change& changes);

/// The world outside asked for a pause.
void pause_task(queue& q, task& t, task_error error, duration retry_after, instant now,
                change& changes);

/// Gives a task back that had no progress, and would be granted again at once: with the next lease
/// later each time. A worker that takes a task and gives it back would else do nothing but that.
void give_back_idle(queue& q, task& t, task_error error, instant now, change& changes);

/// The words for a worker whose end was seen, see `crash`.
inline constexpr const char* its_end_was_seen = "its connection or process had ended";

} // namespace holdfast::core
