#pragma once

#include "core/queue.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

/// What a queue decides about its schedules.
namespace holdfast::core {

inline constexpr std::size_t schedules_most = 1000; ///< Of one queue.

/// Tasks that one decision makes at most, so that other requests to the queue need not wait long.
inline constexpr std::size_t occurrences_most = 100;

/// How long an occurrence whose task was refused, e.g. by a full queue, waits for the next try.
inline constexpr duration schedule_retry_pace = std::chrono::seconds{10};

/// Enters a schedule as loaded from the database.
void enter(queue& q, schedule loaded);

/// The row of a schedule, as it is now.
put_schedule_row row_of(const queue& q, const schedule& s, instant at);

/// When the next schedule is to be run; `instant::max()` for never. A queue that is paused runs its
/// schedules all the same: their tasks wait.
instant next_schedule(const queue& q);

/// Facts from the database on tasks which schedules will make. Callers know the ids of occurrences
/// before a schedule makes them: an occurrence whose id another queue has makes no task, and the
/// schedule says so.
struct looked_up_tasks {
  std::set<task_id> looked_for{};            ///< Of these it is known whether they exist,
  std::set<task_id> exist{};                 ///< and these do, in the schedule's own queue.
  std::map<task_id, queue_name> elsewhere{}; ///< The queues that have tasks of these ids.
};

struct schedule_put {
  bool changed = false;   ///< The new plan stands; else the schedule had it before, or see below.
  bool owes_more = false; ///< The old plan stands still: see `put_schedule`.
};

/// Makes a schedule, which begins now, or changes one. What is due by the old plan makes its tasks
/// first, at most `occurrences_most` in one decision: while it owes more, the answer says so, and
/// the command is to be decided again when the changes are durable. A plan with the same times goes
/// on where the old one is; one with others begins now, so that no past is made up for it. What the
/// old plan owes and the queue refuses, e.g. because it is full, is dropped then, and `problem` has
/// the number. Refuses with `limit_reached`, `wrong_state` for a state that the type of its task
/// does not have, or by `check_form`.
struct put_schedule {
  std::string name;
  std::string definition;
  schedule_plan plan;
  looked_up_tasks known{}; ///< Of those that the old plan owes: see `owed_tasks`.
};
decision<schedule_put> decide(queue& q, put_schedule command, instant now);

/// The ids of the tasks that the old plan owes when the schedule is put: all that are due, of which
/// the decision makes at most `occurrences_most`. None where it changes nothing.
std::vector<task_id> owed_tasks(const queue& q, const put_schedule& command, instant now);

/// Repeating it succeeds and writes nothing. Answers whether there was such a schedule.
struct remove_schedule {
  std::string name;
};
decision<bool> decide(queue& q, const remove_schedule& command, instant now);

/// Makes the task of a schedule once more, at once and under an id of the caller: beside its
/// occurrences, of which none counts as made by it, and also while it is paused. Refuses with
/// `not_found`, with `wrong_state` while the definition cannot be read, and as `enqueue` does.
struct run_schedule {
  std::string name;
  task_id task;
};
decision<item_outcome> decide(queue& q, const run_schedule& command, instant now);

/// So far may `handled_until` lie ahead of the clock, as that of a node follows the database's.
inline constexpr duration schedule_clock_slack = std::chrono::seconds{5};

struct schedules_run {
  std::size_t made = 0;
  std::vector<std::string> stuck; ///< Those that began to have a problem.
  /// Tasks of occurrences that are due and may have been made while the clock stood ahead: whether
  /// they exist must be known before these are dealt with.
  std::vector<task_id> unsure;
};

/// Makes the tasks of what is due, and writes with them how far each schedule is: all in one
/// change. An occurrence whose task is refused is not lost: it is tried again, and others after it
/// wait.
///
/// A schedule that is further than the clock was run by a clock that stood ahead. It goes on from
/// now, and says so; what it has made by then is not made again. One whose task was refused then is
/// tried again as soon as it is due.
struct run_schedules {
  looked_up_tasks known{};
};
decision<schedules_run> decide(queue& q, const run_schedules& command, instant now);

/// The ids under which `run_schedules` makes tasks next: at least as many as it makes at once, if
/// so many are due.
std::vector<task_id> due_tasks(const queue& q, instant now);

} // namespace holdfast::core
