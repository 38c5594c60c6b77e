#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/task.hpp"
#include "messages/inspect.hpp"
#include "messages/reason.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// What producers, workers and operators of tasks send.
///
/// Every request may be repeated after a lost reply: the ids that make it unique are chosen by the
/// caller. All answers are sent after the commit they report. In a request about many tasks each
/// stands for itself: its outcome says what is wrong with it, and the others are carried out.
namespace holdfast::msg {

// --- queues ---

/// Makes a queue, or sets the policy of one. Answered by `queue_view`; `payload_invalid` lists
/// every problem of the policy with its place.
struct put_queue {
  core::queue_name queue;
  std::string policy; ///< JSON, as in docs/API.md; `{}` for all defaults.
};
HOLDFAST_WIRE(put_queue, x.queue, x.policy)

struct queue_view {
  core::queue_name queue;
  std::string policy; ///< As it was given.
  bool paused = false;
  std::vector<std::string> paused_types;
  std::uint64_t revision = 0;
};
HOLDFAST_WIRE(queue_view, x.queue, x.policy, x.paused, x.paused_types, x.revision)

/// Stops or resumes grants of a queue, or of one of its types. Leases that are out go on. Answered
/// by `queue_view`.
struct pause_queue {
  core::queue_name queue;
  std::string type; ///< Empty: the whole queue.
  bool paused = true;
};
HOLDFAST_WIRE(pause_queue, x.queue, x.type, x.paused)

/// Removes a queue that has no live and no staged task, with its policy and its schedules. Its
/// finished tasks stay for as long as its policy said. Answered by `queue_removed`, also when there
/// is no such queue; `wrong_state` tells how many tasks are in the way.
struct remove_queue {
  core::queue_name queue;
};
HOLDFAST_WIRE(remove_queue, x.queue)

struct queue_removed {
  core::queue_name queue;
  bool removed = false;        ///< By this request; else there was none, and the rest is zero.
  std::uint64_t schedules = 0; ///< Went with it.
  std::uint64_t finished = 0;  ///< Tasks that remain, as counted just before.
};
HOLDFAST_WIRE(queue_removed, x.queue, x.removed, x.schedules, x.finished)

/// Answered by `queue_list`, by name.
struct list_queues {
  std::string prefix; ///< Only those whose names begin with it.
};
HOLDFAST_WIRE(list_queues, x.prefix)

struct queue_list {
  std::vector<queue_view> queues;
};
HOLDFAST_WIRE(queue_list, x.queues)

/// Answered by `queue_statistics`. Counts what is stored; not for the hot path.
struct get_queue_statistics {
  core::queue_name queue;
};
HOLDFAST_WIRE(get_queue_statistics, x.queue)

struct queue_statistics {
  std::uint64_t live = 0;
  std::uint64_t leased = 0; ///< Of the live ones.
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t canceled = 0;
  std::uint64_t dead = 0;
};
HOLDFAST_WIRE(queue_statistics, x.live, x.leased, x.completed, x.failed, x.canceled, x.dead)

/// Asks how many tasks producers have staged for a queue by SQL that it has not taken in. Answered
/// by `queue_intake`. Counts what is stored; not for the hot path.
struct get_queue_intake {
  core::queue_name queue;
};
HOLDFAST_WIRE(get_queue_intake, x.queue)

struct queue_intake {
  std::uint64_t staged = 0;     ///< The queue takes them in next, when it has room.
  core::instant staged_since;   ///< Since when the oldest of them waits; the epoch when none does.
  std::uint64_t refused = 0;    ///< Set aside for people: `report.task_intake` says why.
  std::uint64_t unreadable = 0; ///< Of the refused: rows that the database does not give back.
  std::string last_refusal;     ///< Why the latest of them was refused; empty when none was.
};
HOLDFAST_WIRE(queue_intake, x.staged, x.staged_since, x.refused, x.unreadable, x.last_refusal)

/// Asks how much is in a queue and what it has done lately. Answered by `queue_metrics`, from what
/// the queue has in memory.
struct get_queue_metrics {
  core::queue_name queue;
  core::duration window = std::chrono::minutes{1}; ///< 10 seconds to 5 minutes.
};
HOLDFAST_WIRE(get_queue_metrics, x.queue, x.window)

struct queue_metrics {
  // How much is in it now.
  std::uint64_t ready = 0; ///< Due, and held by nobody.
  std::uint64_t later = 0; ///< Not due yet.
  std::uint64_t leased = 0;
  std::uint64_t paused = 0;  ///< One by one, and held by nobody.
  core::instant ready_since; ///< Since when the ready one that waits longest is due, of those
                             ///< next in line; the epoch when none is.
  // What was decided from `counted_from` to `now`: about as long as was asked for, less when the
  // queue has not been here so long.
  core::instant counted_from;
  core::instant now;
  std::uint64_t made = 0;
  std::uint64_t granted = 0;   ///< Leases.
  std::uint64_t completed = 0; ///< Tasks, like the following three.
  std::uint64_t failed = 0;
  std::uint64_t canceled = 0;
  std::uint64_t dead = 0;
  std::uint64_t tries_failed = 0; ///< Leases that ended so and left their task live, like these:
  std::uint64_t rate_limited = 0;
  std::uint64_t crashes = 0;
  double completed_per_second = 0;
  double error_share = 0; ///< Of all ends of work that were not asked for from outside: errors.
  double dead_share = 0;  ///< Of the tasks that ended, without canceled ones: dead letters.
};
HOLDFAST_WIRE(queue_metrics, x.ready, x.later, x.leased, x.paused, x.ready_since, x.counted_from,
              x.now, x.made, x.granted, x.completed, x.failed, x.canceled, x.dead, x.tries_failed,
              x.rate_limited, x.crashes, x.completed_per_second, x.error_share, x.dead_share)

// --- schedules ---

/// Makes a schedule of a queue, or changes one. Answered by `schedule_view`; `payload_invalid`
/// lists every problem of the definition with its place.
struct put_schedule {
  core::queue_name queue;
  std::string name;
  std::string definition; ///< JSON, as in docs/API.md.
};
HOLDFAST_WIRE(put_schedule, x.queue, x.name, x.definition)

struct schedule_view {
  core::queue_name queue;
  std::string name;
  std::string definition; ///< As it was given.
  bool paused = false;
  std::uint64_t revision = 0;
  core::instant created_at;
  core::instant handled_until; ///< Occurrences up to here are dealt with.
  core::instant last_made;     ///< The last occurrence that made a task; the epoch for none.
  core::instant next_due;      ///< The epoch for none.
  std::string problem;         ///< Why it does not do what it should; empty when it does.
};
HOLDFAST_WIRE(schedule_view, x.queue, x.name, x.definition, x.paused, x.revision, x.created_at,
              x.handled_until, x.last_made, x.next_due, x.problem)

/// Removes a schedule. What it has made stays. Answered by `schedule_removed`, also when there is
/// none.
struct remove_schedule {
  core::queue_name queue;
  std::string name;
};
HOLDFAST_WIRE(remove_schedule, x.queue, x.name)

struct schedule_removed {
  core::queue_name queue;
  std::string name;
};
HOLDFAST_WIRE(schedule_removed, x.queue, x.name)

/// Answered by `schedule_list`: by name, beginning after `after`.
struct list_schedules {
  core::queue_name queue;
  std::string after;         ///< Empty: from the start.
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(list_schedules, x.queue, x.after, x.limit)

struct schedule_list {
  std::vector<schedule_view> schedules;
  bool more = false; ///< Ask again after the last one's name.
};
HOLDFAST_WIRE(schedule_list, x.schedules, x.more)

/// Asks for the next occurrences of a schedule. Answered by `schedule_preview`; `not_found`, or
/// `wrong_state` when its definition cannot be read.
struct preview_schedule {
  core::queue_name queue;
  std::string name;
  std::uint32_t count = 10; ///< 1 to 100.
};
HOLDFAST_WIRE(preview_schedule, x.queue, x.name, x.count)

struct schedule_preview {
  core::queue_name queue;
  std::string name;
  std::string time_zone;                  ///< By whose clocks it runs.
  bool paused = false;                    ///< Then none of them makes a task before it is resumed.
  std::vector<core::instant> occurrences; ///< In order; fewer when there are no more.
};
HOLDFAST_WIRE(schedule_preview, x.queue, x.name, x.time_zone, x.paused, x.occurrences)

/// Makes the task of a schedule now, beside its occurrences and also while it is paused. Answered
/// by `schedule_ran`; refused as `enqueue_tasks` refuses a task, with `not_found`, or with
/// `wrong_state` when the definition cannot be read.
struct run_schedule {
  core::queue_name queue;
  std::string name;
  core::task_id task; ///< Chosen by the caller; the same id repeats the request.
};
HOLDFAST_WIRE(run_schedule, x.queue, x.name, x.task)

struct schedule_ran {
  core::queue_name queue;
  std::string name;
  core::task_id task;    ///< Of a unique key that is taken, the task that has it.
  bool repeated = false; ///< The task had been made before.
};
HOLDFAST_WIRE(schedule_ran, x.queue, x.name, x.task, x.repeated)

// --- producers ---

struct task_request {
  core::task_id task;             ///< Chosen by the caller: making it again is a repetition.
  std::string type;               ///< Chooses the handler.
  std::string version = "1.0";    ///< Of the body's form; see `versions` in the policy.
  std::string body;               ///< JSON; never changes.
  std::string state;              ///< Empty: the first of its type.
  std::string data = "{}";        ///< JSON that belongs to the state.
  std::int16_t priority = 0;      ///< Higher goes first.
  std::string key;                ///< Shares and limits are per key.
  std::string credential;         ///< Rate limits are per credential.
  std::string unique_key;         ///< At most one live task of the queue has it.
  bool reject_duplicate = false;  ///< Refuse when the unique key is taken; else answer who has it.
  std::uint32_t max_attempts = 0; ///< 0: as the queue says.
  core::instant run_at;           ///< Not before; the default is at once.
  std::string owner_id;
  std::string run_as_id;
  std::string trace_id;
  std::string span_id;
};
HOLDFAST_WIRE(task_request, x.task, x.type, x.version, x.body, x.state, x.data, x.priority, x.key,
              x.credential, x.unique_key, x.reject_duplicate, x.max_attempts, x.run_at, x.owner_id,
              x.run_as_id, x.trace_id, x.span_id)

/// Answered by `task_outcomes`, one for each task in order. An outcome names the task that is there
/// now: with a unique key that was taken, the one that has it.
struct enqueue_tasks {
  core::queue_name queue;
  std::vector<task_request> tasks;
};
HOLDFAST_WIRE(enqueue_tasks, x.queue, x.tasks)

/// A job as its envelope, and what an envelope does not say of a task.
struct task_envelope {
  std::string envelope;      ///< JSON, as in docs/API.md. The id of the job is that of the task.
  std::int16_t priority = 0; ///< From here on as in `task_request`.
  std::string key;
  std::string credential;
  std::string unique_key;
  bool reject_duplicate = false;
  core::instant run_at;
  std::string owner_id;
  std::string run_as_id;
};
HOLDFAST_WIRE(task_envelope, x.envelope, x.priority, x.key, x.credential, x.unique_key,
              x.reject_duplicate, x.run_at, x.owner_id, x.run_as_id)

/// Makes a task of each envelope. Answered as `enqueue_tasks` is; the outcome of an envelope that
/// cannot be read names no task.
struct enqueue_envelopes {
  core::queue_name queue;
  std::vector<task_envelope> envelopes;
};
HOLDFAST_WIRE(enqueue_envelopes, x.queue, x.envelopes)

struct task_outcome {
  core::task_id task;
  core::errc refusal = core::errc::none;
  std::string detail;
  bool repeated = false; ///< It had been done before.
};
HOLDFAST_WIRE(task_outcome, x.task, x.refusal, x.detail, x.repeated)

struct task_outcomes {
  std::vector<task_outcome> outcomes;
};
HOLDFAST_WIRE(task_outcomes, x.outcomes)

/// Answered by `task_view`, or `not_found`.
struct get_task {
  core::task_id task;
};
HOLDFAST_WIRE(get_task, x.task)

/// Waits for the end of a task, at the host of its queue. Answered by `task_awaited` once the end
/// is durable, when `wait` is over, or at once when the queue has no such live task. `overloaded`
/// when `task.claims_waiting_max` requests wait at the queue.
struct await_task {
  core::queue_name queue;
  core::task_id task;
  /// Chosen by the caller. Sent again under the same id and with no wait, the request ends the
  /// first one.
  core::assignment_id id;
  core::duration wait{0}; ///< At most a minute.
};
HOLDFAST_WIRE(await_task, x.queue, x.task, x.id, x.wait)

struct task_awaited {
  core::task_id task;
  bool live = false; ///< The task has not ended.
};
HOLDFAST_WIRE(task_awaited, x.task, x.live)

/// A task as anybody may see it: neither its bookmark nor the operators' part of its error.
struct task_view {
  core::task_id task;
  core::queue_name queue;
  std::string type;
  std::string version;
  std::string body;
  std::string state;
  std::string data;
  std::string status; ///< QUEUED, EXECUTING, COMPLETED, CANCELED, FAILURE or ERROR.
  std::uint32_t percent = 0;
  std::uint32_t attempts = 0;
  std::uint32_t crashes = 0;
  bool paused = false;
  std::int16_t priority = 0;
  std::string owner_id;
  std::string run_as_id;
  core::worker_id worker; ///< Who holds it.
  std::string result;     ///< JSON; empty for none.
  std::string error_code;
  core::instant created_at;
  core::instant next_action;
  core::instant last_change;
  core::instant last_action;
  core::instant finished_at;
};
HOLDFAST_WIRE(task_view, x.task, x.queue, x.type, x.version, x.body, x.state, x.data, x.status,
              x.percent, x.attempts, x.crashes, x.paused, x.priority, x.owner_id, x.run_as_id,
              x.worker, x.result, x.error_code, x.created_at, x.next_action, x.last_change,
              x.last_action, x.finished_at)

/// Asks for the attempts of a task, live or finished, as committed. Answered by `task_attempts`: in
/// order of their tokens, beginning after `after`; `not_found` for a task that is not there, or not
/// any more. For operators: the detail of an error and late results are in it.
struct get_task_attempts {
  core::task_id task;
  core::token after = 0;     ///< 0: from the first attempt.
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(get_task_attempts, x.task, x.after, x.limit)

/// A report of a worker that came after the end of its lease: recorded, never applied.
struct late_result {
  core::worker_id worker; ///< The sender.
  std::string outcome;    ///< `completed` or `failed`.
  std::string detail;     ///< Its result or error, of which the first 1,000 characters.
  core::instant received_at;
};
HOLDFAST_WIRE(late_result, x.worker, x.outcome, x.detail, x.received_at)

/// One lease of a task and its end.
struct task_attempt {
  core::token token = 0; ///< Grows from attempt to attempt, not always by one.
  core::worker_id worker;
  core::instant granted_at;
  core::instant expires_at; ///< The end of the lease as last extended.
  core::instant ended_at;   ///< The epoch: the attempt still runs.
  std::string ending;       ///< As docs/API.md lists them; empty: the attempt still runs.
  std::string error_code;
  std::string error_detail;
  std::uint64_t late_results_total = 0;  ///< Under this token.
  std::vector<late_result> late_results; ///< The first three of them, in order of arrival.
};
HOLDFAST_WIRE(task_attempt, x.token, x.worker, x.granted_at, x.expires_at, x.ended_at, x.ending,
              x.error_code, x.error_detail, x.late_results_total, x.late_results)

/// A page also ends when its texts have 4 MiB.
struct task_attempts {
  core::task_id task;
  core::queue_name queue;
  std::vector<task_attempt> attempts;
  bool more = false; ///< Ask again after the last one's token.
};
HOLDFAST_WIRE(task_attempts, x.task, x.queue, x.attempts, x.more)

/// Looks through tasks, live and finished, as committed. Answered by `task_page`: in order of id,
/// which for ids of the client library is that of their making, beginning after `after`. What is
/// left empty holds for all.
struct list_tasks {
  core::queue_name queue;
  std::string type;
  std::string status; ///< As in `task_view`.
  std::string owner_id;
  core::instant created_from;   ///< The epoch: from the start, as for the next one.
  core::instant created_before; ///< The epoch: to the end.
  core::task_id after;
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(list_tasks, x.queue, x.type, x.status, x.owner_id, x.created_from, x.created_before,
              x.after, x.limit)

/// Looks through tasks as `list_tasks` does, in either order and by more filters. The newest first
/// means the highest id first: for ids of the client library, the task that was made last. A task
/// that is made meanwhile is before the first page and moves no other. Answered by `task_page`.
struct search_tasks {
  core::queue_name queue;
  std::string type;
  std::string status; ///< As in `task_view`.
  std::string owner_id;
  std::string key;
  std::string error_code;       ///< With which the task ended: live tasks have none.
  core::instant created_from;   ///< The epoch: from the start, as for the next one.
  core::instant created_before; ///< The epoch: to the end.
  std::uint8_t order = 1;       ///< 1: the oldest first; 2: the newest.
  core::task_id after;          ///< The `last` of the page before; nil: the first page.
  std::uint32_t limit = 100;    ///< 1 to 1,000.
};
HOLDFAST_WIRE(search_tasks, x.queue, x.type, x.status, x.owner_id, x.key, x.error_code,
              x.created_from, x.created_before, x.order, x.after, x.limit)

/// A task as anybody may see it, without its documents: these are in `task_view`.
struct task_summary {
  core::task_id task;
  core::queue_name queue;
  std::string type;
  std::string version;
  std::string state;
  std::string status; ///< As in `task_view`, like all the others.
  std::uint32_t percent = 0;
  std::uint32_t attempts = 0;
  std::uint32_t crashes = 0;
  bool paused = false;
  std::int16_t priority = 0;
  std::string owner_id;
  std::string run_as_id;
  core::worker_id worker;
  std::string error_code;
  core::instant created_at;
  core::instant next_action;
  core::instant last_change;
  core::instant last_action;
  core::instant finished_at;
};
HOLDFAST_WIRE(task_summary, x.task, x.queue, x.type, x.version, x.state, x.status, x.percent,
              x.attempts, x.crashes, x.paused, x.priority, x.owner_id, x.run_as_id, x.worker,
              x.error_code, x.created_at, x.next_action, x.last_change, x.last_action,
              x.finished_at)

/// A node looks at a bounded number of tasks for a page: one with few of them, or none, says
/// nothing about what comes behind.
struct task_page {
  std::vector<task_summary> tasks;
  core::task_id last; ///< Ask again after it.
  bool more = false;
};
HOLDFAST_WIRE(task_page, x.tasks, x.last, x.more)

/// Asks why a task does not move on. Answered by `task_explanation`; `not_found` if the queue has
/// no such task, live or finished.
struct explain_task {
  core::queue_name queue;
  core::task_id task;
};
HOLDFAST_WIRE(explain_task, x.queue, x.task)

struct task_explanation {
  core::task_id task;
  std::string status;          ///< As in `task_view`.
  std::vector<reason> reasons; ///< What lasts longest first.
};
HOLDFAST_WIRE(task_explanation, x.task, x.status, x.reasons)

/// Pauses (1), resumes (2), cancels (3) or retries at once (4) a live task. Answered by
/// `task_changed`; `not_found` when it is not live.
struct change_task {
  core::queue_name queue;
  core::task_id task;
  std::uint8_t verb = 0; ///< `core::task_verb`.
};
HOLDFAST_WIRE(change_task, x.queue, x.task, x.verb)

struct task_changed {
  core::task_id task;
};
HOLDFAST_WIRE(task_changed, x.task)

/// What is known anew of a task; what is left empty stays as it is.
struct task_update {
  std::string state;
  std::string data;            ///< JSON.
  std::string execution_state; ///< JSON.
  std::uint32_t percent = 255; ///< 0 to 100; anything above leaves it.
};
HOLDFAST_WIRE(task_update, x.state, x.data, x.execution_state, x.percent)

/// A leased task, as its worker gets it.
struct leased_task {
  core::task_id task;
  core::token token = 0; ///< Fencing token: send it with everything done under this lease.
  core::instant expires_at;
  std::string type;
  std::string version;
  std::string body;
  std::string state;
  std::string data;
  std::string execution_state;
  std::uint32_t attempt = 1; ///< This try, from 1.
  std::uint32_t max_attempts = 1;
  core::instant created_at;
  std::string key;
  std::string credential;
  std::string owner_id;
  std::string run_as_id;
  std::string trace_id;
  std::string span_id;
};
HOLDFAST_WIRE(leased_task, x.task, x.token, x.expires_at, x.type, x.version, x.body, x.state,
              x.data, x.execution_state, x.attempt, x.max_attempts, x.created_at, x.key,
              x.credential, x.owner_id, x.run_as_id, x.trace_id, x.span_id)

struct leased_tasks {
  std::vector<leased_task> tasks;
};
HOLDFAST_WIRE(leased_tasks, x.tasks)

/// Takes a task from whoever holds it, because something better is known, e.g. by a callback. With
/// a `worker` the task is then leased to them, under the `claim`. Answered by `leased_tasks`, empty
/// without a worker; `not_found` when the task is not live.
struct eject_task {
  core::queue_name queue;
  core::task_id task;
  task_update update;
  core::instant next_action; ///< The default is at once.
  core::worker_id worker;    ///< Empty: nobody in particular.
  core::assignment_id claim;
};
HOLDFAST_WIRE(eject_task, x.queue, x.task, x.update, x.next_action, x.worker, x.claim)

/// Makes dead and failed tasks live again, in order of id after `after`. Answered by
/// `tasks_redriven`; ask again with its `last` until `more` is false.
struct redrive_tasks {
  core::queue_name queue;
  std::string type;       ///< Empty: all.
  std::string error_code; ///< Empty: all.
  core::task_id after;
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(redrive_tasks, x.queue, x.type, x.error_code, x.after, x.limit)

struct tasks_redriven {
  std::uint32_t redriven = 0;
  core::task_id last;
  bool more = false;
};
HOLDFAST_WIRE(tasks_redriven, x.redriven, x.last, x.more)

// --- workers ---

/// Asks for up to `most` tasks. Answered by `leased_tasks`, which is empty when none is due within
/// `wait`. Repeated with the same claim it gets the same tasks, as far as they are still leased.
/// While the first still waits, one answer goes to both, after the wait that was asked for last.
struct claim_tasks {
  core::queue_name queue;
  core::worker_id worker;
  core::assignment_id claim;      ///< Chosen by the caller.
  std::uint32_t most = 1;         ///< 1 to 1,000.
  std::vector<std::string> types; ///< Those the worker knows; empty for all.
  core::duration wait{0};         ///< At most a minute.
  /// The leases are lost at once when the sender of this request dies; else when they run out.
  bool tied = false;
};
HOLDFAST_WIRE(claim_tasks, x.queue, x.worker, x.claim, x.most, x.types, x.wait, x.tied)

struct task_ref {
  core::task_id task;
  core::token token = 0;
};
HOLDFAST_WIRE(task_ref, x.task, x.token)

/// Asks for more time for tasks. Answered by `task_outcomes`. The leases live on at once; the
/// answer may take a second, because many extensions share one commit.
struct extend_tasks {
  core::queue_name queue;
  core::worker_id worker;
  std::vector<task_ref> tasks;
};
HOLDFAST_WIRE(extend_tasks, x.queue, x.worker, x.tasks)

/// Stores progress; the lease lives on. Answered by `task_outcome`.
struct save_task {
  core::queue_name queue;
  core::worker_id worker;
  task_ref task;
  task_update update;
};
HOLDFAST_WIRE(save_task, x.queue, x.worker, x.task, x.update)

/// The same, from a worker that numbers its saves under each lease, from 1. One that comes when it,
/// or a later one, is stored changes nothing, and is answered like that one: sent again after a
/// lost answer it cannot move the progress back. Answered by `task_outcome`.
struct save_task_in_order {
  core::queue_name queue;
  core::worker_id worker;
  task_ref task;
  std::uint64_t number = 0; ///< 1 to 2^63 - 1; `invalid_argument` for others.
  task_update update;
};
HOLDFAST_WIRE(save_task_in_order, x.queue, x.worker, x.task, x.number, x.update)

/// Gives a task back, to be looked at again at `next_action`. Answered by `task_outcome`.
struct release_task {
  core::queue_name queue;
  core::worker_id worker;
  task_ref task;
  task_update update;
  core::instant next_action; ///< The default is at once.
};
HOLDFAST_WIRE(release_task, x.queue, x.worker, x.task, x.update, x.next_action)

struct task_result {
  task_ref task;
  std::string result; ///< JSON; empty for none.
};
HOLDFAST_WIRE(task_result, x.task, x.result)

/// Ends tasks well. Answered by `task_outcomes`. From a worker that has lost a lease the result is
/// recorded and refused.
struct complete_tasks {
  core::queue_name queue;
  core::worker_id worker;
  std::vector<task_result> tasks;
};
HOLDFAST_WIRE(complete_tasks, x.queue, x.worker, x.tasks)

/// Ends a task well and makes the one that follows from it, in one commit; the worker gets that one
/// at once. Answered by `leased_tasks`, or by the refusal of either, which then did not happen.
struct follow_task {
  core::queue_name queue;
  core::worker_id worker;
  task_result done;
  task_request next;
  core::assignment_id claim; ///< Under which `next` is leased.
};
HOLDFAST_WIRE(follow_task, x.queue, x.worker, x.done, x.next, x.claim)

/// Reports an error. Answered by `task_outcome`.
struct fail_task {
  core::queue_name queue;
  core::worker_id worker;
  task_ref task;
  std::uint8_t kind = 1; ///< `core::failure_kind`: transient, permanent or rate limited.
  std::string error_code;
  std::string detail;            ///< For operators only.
  core::duration retry_after{0}; ///< At least this long.
  task_update update;
};
HOLDFAST_WIRE(fail_task, x.queue, x.worker, x.task, x.kind, x.error_code, x.detail, x.retry_after,
              x.update)

/// Queue → the sender of a tied claim: these leases are over, whatever the reason.
struct tasks_lost {
  core::queue_name queue;
  std::vector<task_ref> tasks;
};
HOLDFAST_WIRE(tasks_lost, x.queue, x.tasks)

} // namespace holdfast::msg
