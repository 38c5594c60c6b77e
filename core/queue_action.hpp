#pragma once

#include "core/queue.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

/// The decisions of bulk actions. An action goes through the tasks of its queue in order of their
/// ids, a chunk at a time; what becomes of one task is decided as if it had been asked for alone.
/// The tasks of a chunk, the counts and the bookmark behind the chunk are one change, so that an
/// action that is interrupted goes on behind the last task that it has dealt with (docs/adr/0107).
namespace holdfast::core {

/// Why no action of this kind can have the filter; none when it can.
failure check_filter(queue_action_kind kind, const queue_action_filter& filter);

/// Whether the two rows were asked for by the same request.
bool same_request(const queue_action_row& a, const queue_action_row& b);

/// The moment before which a task must be made for the action to be about it: tasks that arrive
/// after the action was asked for are left alone.
instant created_limit(const queue_action_row& action);

/// Whether the action is about a live task, as it is now.
bool matches(const queue_action_row& action, const task& live);

/// A finished task, as a redrive needs it.
struct ended_task {
  task_spec spec;
  task_progress progress;
  token last_token = 0;
  task_ending ending = task_ending::completed;
  task_error error;
  instant finished_at;
};

/// Whether the action is about a finished task. One that has ended after the action was asked for
/// is not meant, or a task that fails at once would be revived by the action that revived it.
bool matches(const queue_action_row& action, const ended_task& ended);

/// How far the search for tasks has come.
struct searched_tasks {
  task_id last;      ///< The tasks up to here have been looked at.
  bool more = false; ///< There may be others behind it.
};

/// A chunk of live tasks, as they were found by the search: what has ended since, or does not match
/// any more, is passed over.
struct act_on_live {
  std::vector<task_id> found; ///< Ascending.
  searched_tasks searched;
  /// Whether the database does not give back the row of the task; it is then refused as `damaged`.
  std::function<bool(const task_id&)> is_unreadable;
};

/// A chunk of finished tasks for a redrive.
struct act_on_ended {
  std::vector<ended_task> found; ///< Ascending, without the unreadable ones.
  std::uint32_t unreadable = 0;  ///< Tasks whose rows the database does not give back.
  searched_tasks searched;
};

/// Decide a chunk. `action` becomes what it is behind the chunk, and its row is among the changes.
/// Answer the leases that were lost.
decision<std::vector<lost_lease>> decide(queue& q, queue_action_row& action,
                                         const act_on_live& chunk, instant now);
decision<std::vector<lost_lease>> decide(queue& q, queue_action_row& action, act_on_ended chunk,
                                         instant now);

/// Ends a running action: `stopped`, or `failed` with a problem. One that has ended stays as it is,
/// and nothing is written.
change end_action(queue_action_row& action, queue_action_status how, std::string problem,
                  instant now);

} // namespace holdfast::core
