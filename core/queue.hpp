#pragma once

#include "core/change.hpp"
#include "core/placement.hpp"
#include "core/queue_policy.hpp"
#include "core/queue_state.hpp"
#include "core/schedule.hpp"
#include "core/task.hpp"

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::core {

/// Enters a task as loaded from the database.
void enter(queue& q, task loaded);

/// Compares the queue with tasks of which the database says that they are due and wait for a
/// worker. What the queue has but had lost sight of waits again from now on.
struct overlooked_tasks {
  std::vector<task_id> unknown; ///< The queue does not have them: they are over, or it forgot them.
  std::vector<task_id> found;   ///< It had lost sight of them.
};
overlooked_tasks look_for(queue& q, const std::vector<task_id>& due, instant now);

/// Shortens leases that end later than they can at `now`, by the policy of each type, as the
/// function of the same name in core/clock_steps.hpp does for one table; and brings forward the
/// tasks that would wait for as long as the clock had stood ahead: those that were due at once, or
/// a pause after a try, or whose type and credential the world outside asked to hold off. Looks at
/// them only when the clock was set back since the last time, and after they were loaded; then only
/// at leases that began after `now`, since the policy may have been changed.
bool heed_clock(queue& q, instant now);

/// Whether the worker holds a suspect, see `is_suspect`.
bool holds_suspect(const queue& q, const worker_id& worker);

/// The row of the queue, as it is now.
put_queue row_of(const queue& q, instant at);

/// When the queue has something to do next without being asked: a lease that runs out, a task that
/// becomes due, a rate that lets the next one go. Schedules are not among it: see
/// `next_schedule`.
instant next_wake(const queue& q, instant now);

/// How much is in a queue.
struct queue_load {
  std::size_t ready = 0; ///< Due, and held by nobody.
  std::size_t later = 0; ///< Not due yet.
  std::size_t leased = 0;
  std::size_t paused = 0; ///< One by one, and held by nobody.
  /// Since when the ready one is due that waits longest of those next in line with their key, type
  /// and credential; none when none is ready. To look at all of them would cost too much.
  std::optional<instant> ready_since;
};
/// Counts those that have become due as ready, and leaves it to a claim to move them.
queue_load load_of(const queue& q, instant now);

/// The world outside asked for a pause when it last had this task, and nothing has happened to it
/// since: until it is due, all of its type and credential wait.
void hold_off_again(queue& q, const task_id& id);

/// The tasks were just leased, and the grants are not durable yet: nobody has received them. A
/// lease that ends before `take_delivered` costs its task nothing, whatever ends it.
void note_undelivered(queue& q, const std::vector<task_id>& tasks);

// Decisions change `q` and return what must be written. What is asked of many tasks at once is
// decided for each by itself: one bad item harms no other, and its outcome says what is wrong.

/// The outcome for one item.
struct item_outcome {
  task_id task;
  errc refusal = errc::none;
  std::string detail;
  bool repeated = false; ///< It had been done before; nothing was written.
};

/// Makes tasks. Each outcome names the task that is there now: of a repetition or a unique key that
/// is taken, the older one. Refuses with `overloaded` above the depth, `wrong_state` for a state
/// that the type does not have, and by `check_form`. The caller has made sure that no id is of a
/// finished task.
struct enqueue {
  std::vector<new_task> tasks;
  /// Whether a task under the id of a live one is refused unless `check_repetition` finds them the
  /// same. Schedules and staged tasks have ids of our own making, and want what is there.
  bool compares = false;
};
decision<std::vector<item_outcome>> decide(queue& q, enqueue command, instant now);

/// Grants leases on up to `most` tasks. Answers the tasks, all of which the worker now holds.
/// Repeated with the same claim id it answers those of its tasks that are still leased. Of
/// suspects a worker gets one at a time: the one that kills it is then known, and harmless ones
/// that happened to be beside it do not end with it.
struct claim {
  worker_id worker;
  assignment_id id;
  std::uint32_t most = 1;
  std::vector<std::string> types; ///< Those the worker knows; empty for all.
  /// No more are granted once their texts together have as many, those in the object store
  /// included: an answer must fit a message.
  std::size_t bytes_most = std::size_t{4} * 1024 * 1024;
};
decision<std::vector<task_id>> decide(queue& q, const claim& command, instant now);

/// Claims that found nothing since the last time something may have become ready: others that know
/// the same types need not look, however many they are.
class missed_claims {
public:
  /// It was decided and found nothing.
  void add(const queue& q, const claim& command);
  /// Whether it would find nothing either.
  bool covers(const queue& q, const claim& command) const;

private:
  // By the types that they know.
  std::set<std::vector<std::string>> of_all_;
  std::set<std::vector<std::string>> of_harmless_; ///< Their workers hold a suspect already.
};

/// Grants a lease on one particular task to whoever ejected its owner, due or not, whatever the
/// limits. Refuses with `not_found` or `already_exists`.
struct claim_task {
  worker_id worker;
  assignment_id id;
  task_id task;
};
decision<bool> decide(queue& q, const claim_task& command, instant now);

/// A task under the lease that its worker says it holds.
struct held_task {
  task_id task;
  core::token token = 0;
};

/// The grants of these leases are durable: answers those that still hold at `now`. They are in the
/// hands of their worker from now on. One that has run out meanwhile is not handed out.
std::vector<task_id> take_delivered(queue& q, const std::vector<held_task>& leases, instant now);

/// Moves the ends of leases to `now + ttl`. Refuses each item by `check_lease`, or with
/// `not_found`.
struct extend_tasks {
  worker_id worker;
  std::vector<held_task> tasks;
};
decision<std::vector<item_outcome>> decide(queue& q, const extend_tasks& command, instant now);

/// What a worker has come to know; what is not given stays.
struct task_update {
  std::optional<std::string> state;
  std::optional<std::string> data;
  std::optional<std::string> execution_state;
  std::optional<std::uint32_t> percent;
};

/// Stores progress and keeps the lease, which lives on as if extended. Moving to another state
/// forgives the tries and crashes of the one before, as far as `failures_most` allows. Refuses with
/// `wrong_state` a move that the type does not allow.
///
/// A worker that numbers its saves under each lease, from 1, is safe from its own: one that was
/// sent again, and comes when a later one is stored, would move the bookmark back. It changes
/// nothing, and is answered as if it had come in time.
struct save_task {
  worker_id worker;
  held_task task;
  task_update update;
  std::uint64_t number = 0; ///< 0: without; it counts whenever it comes.
};
decision<item_outcome> decide(queue& q, const save_task& command, instant now);

/// Gives a task back, to be looked at again at `next_action`.
///
/// Progress is a change of the task under this lease: by a save, or by the update. A release
/// without progress whose `next_action` is not after `now` would be granted again at once. The
/// first of them is; after each further one in a row the next lease begins later after this one
/// began, by `full_jitter`, and with `retry_policy::releases_max` of them the task is dead with the
/// code `NO_PROGRESS`.
struct release_task {
  worker_id worker;
  held_task task;
  task_update update;
  instant next_action; ///< The default is at once.
  task_error error{};  ///< Why, for the history; none when its worker just has enough of it.
};
decision<item_outcome> decide(queue& q, const release_task& command, instant now);

/// Takes a task back that was just granted, because its payload cannot be read: what the worker
/// would get is not what was handed in. When the payload is missing (`not_found`) or `damaged` the
/// task fails for good, with the code `PAYLOAD_MISSING` or `PAYLOAD_DAMAGED`; for any other reason
/// it waits until `retry_at` (`PAYLOAD_UNREACHABLE`), which is not counted as a try.
struct withhold_task {
  worker_id worker;
  held_task task;
  failure why;
  instant retry_at;
};
decision<item_outcome> decide(queue& q, withhold_task command, instant now);

struct completion {
  held_task task;
  std::string result; ///< JSON; empty for none.
};
/// Ends tasks well. From a worker that has lost the lease the result is recorded and refused. A
/// task that is not live is refused with `not_found`; whether this is a repetition only its history
/// knows.
struct complete_tasks {
  worker_id worker;
  std::vector<completion> tasks;
};
decision<std::vector<item_outcome>> decide(queue& q, complete_tasks command, instant now);

/// Ends a task well and makes the one that follows from it, leased to the same worker at once: both
/// or, when either is refused, neither. The depth does not count: the one that is done leaves its
/// place. Refuses with `already_exists` a `next` whose id is live, or that has the unique key of
/// `done`: a task that goes on with its key moves to another state instead. Answers the older task
/// of a unique key that is taken, unless `next` is to be refused then; `done` has ended all the
/// same. From a worker that has lost the lease the result is recorded and refused.
struct follow_task {
  worker_id worker;
  completion done;
  new_task next;
  assignment_id claim; ///< Under which `next` is leased.
};
decision<item_outcome> decide(queue& q, follow_task command, instant now);

/// What a worker sends about a task that is not live any more: recorded only.
change late_result(const held_task& item, const worker_id& worker, std::string outcome,
                   std::string detail, instant now);

/// Reports an error. A transient one is tried again after a wait that grows, until the tries are
/// used up, or `failures_most`: then the task is dead. A rate limit is a pause and not a try: with
/// `retry_policy::pauses_max` of them the task is dead, with the code of the last one. It holds off
/// all tasks of the same type and credential, unless the task has been paused before and others of
/// them have gone well since: then the limit is the task's own, and it alone waits. When the pause
/// is over the task comes after those that were made before.
struct fail_task {
  worker_id worker;
  held_task task;
  failure_kind kind = failure_kind::transient;
  task_error error;
  duration retry_after = duration::zero(); ///< At least this long; the world outside said so.
  task_update update;
};
decision<item_outcome> decide(queue& q, fail_task command, instant now);

/// Takes a task from whoever holds it, because something better is known: its state may change at
/// once, and it is due at `next_action`. Answers the lease that was lost, if any. Under the claim
/// of the task's last ejection it is a repetition, and changes nothing.
struct eject_task {
  task_id task;
  task_update update;
  instant next_action;
  assignment_id claim{}; ///< Nil: it cannot be told from another one.
};
/// Whether this is a repetition.
bool is_done(const queue& q, const eject_task& command);
decision<std::optional<lost_lease>> decide(queue& q, const eject_task& command, instant now);

/// Repeating a verb succeeds and writes nothing. Answers the lease that was lost, if any.
decision<std::optional<lost_lease>> decide(queue& q, task_verb verb, const task_id& task,
                                           instant now);

/// Ends the leases that have run out.
///
/// A lease that lived as long as one may (`lease_of`) has failed with the code `TIMEOUT`, which is
/// a try: its worker has extended it, or is connected, and is well. So it does where the type has a
/// timeout. In any other case the worker was not heard of in time, which is counted as a lost one:
/// a task of which that happened too often is dead with the code `WORKER_LOST`.
struct expire_tasks {
  /// Whether the lease of the task is bound to a connection that is there; empty: nobody knows.
  std::function<bool(const task_id&)> is_connected{};
};
decision<std::vector<lost_lease>> decide(queue& q, const expire_tasks& command, instant now);

/// A worker has died: its leases are over.
struct lose_worker {
  worker_id worker;
};
decision<std::vector<lost_lease>> decide(queue& q, const lose_worker& command, instant now);

/// The connection of a worker has ended, and with it these leases. Others of the same worker's name
/// go on.
struct lose_leases {
  std::vector<held_task> leases;
};
decision<std::vector<lost_lease>> decide(queue& q, const lose_leases& command, instant now);

/// Workers inside these processes of nodes are gone, if they are not among the living ones: the
/// leases that they had when that was seen are over. Those of workers that are programs of their
/// own, and what was granted later, go on.
bool has_ended(const living_processes& processes, const worker_id& worker);
struct lose_processes {
  const living_processes& processes;
};
decision<std::vector<lost_lease>> decide(queue& q, const lose_processes& command, instant now);

/// Makes a finished task live again, due now, with all its tries. Refuses with `already_exists`
/// when another live task has its unique key.
struct redrive_task {
  task_spec spec;
  task_progress progress;
  core::token last_token = 0;
};
decision<item_outcome> decide(queue& q, redrive_task command, instant now);

/// Sets the policy. It holds for everything that is decided from now on.
struct set_policy {
  queue_policy policy;
  std::string definition;
};
decision<bool> decide(queue& q, set_policy command, instant now);

/// Stops or resumes grants of the whole queue, or of one type when `type` is not empty.
struct pause_queue {
  bool paused = true;
  std::string type;
};
decision<bool> decide(queue& q, const pause_queue& command, instant now);

/// Removes the queue with its policy and its schedules; its finished tasks stay. From then on
/// `enqueue`, `redrive_task` and `put_schedule` refuse with `not_found`. Refuses with `wrong_state`
/// while it has live or staged tasks. Answers how many schedules went.
struct remove_queue {
  std::uint64_t staged = 0;     ///< Tasks on its stage.
  std::uint64_t unreadable = 0; ///< Live tasks that are not in `tasks`.
};
decision<std::uint64_t> decide(queue& q, const remove_queue& command, instant now);

/// Why nothing comes into a queue that was removed; none when it was not.
failure check_not_removed(const queue& q);

} // namespace holdfast::core
