#pragma once

#include "core/trace.hpp"
#include "http/fields.hpp"
#include "http/shapes/reason_shape.hpp"
#include "messages/task_messages.hpp"

#include <string>

/// Shapes of queues, schedules and tasks. Some requests about one task have members that HTTP does
/// not ask for: http/composed fills these in.
namespace holdfast::http {

// --- queues ---

template <class Fields>
void describe(Fields& f, msg::put_queue& x) {
  f.required("queue", x.queue, "The name of the queue: 1 to 64 of a-z 0-9 _ . -");
  f.whole(document{x.policy}, "The policy of the queue; {} takes every default.");
}

template <class Fields>
void describe(Fields& f, msg::queue_view& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("policy", document{x.policy}, "The policy as it was given.");
  f.required("paused", x.paused, "Whether the queue hands out no tasks.");
  f.required("paused_types", x.paused_types, "The types of tasks that are paused one by one.");
  f.required("revision", x.revision, "A number that every change of the queue raises.");
}

template <class Fields>
void describe(Fields& f, msg::pause_queue& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("type", x.type, "The only type of tasks that is meant; left out: the whole queue.");
  f.hidden(x.paused);
}

template <class Fields>
void describe(Fields& f, msg::remove_queue& x) {
  f.required("queue", x.queue, "The name of the queue, which must have no live task.");
}

template <class Fields>
void describe(Fields& f, msg::queue_removed& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("removed", x.removed, "Whether this request removed it; else there was none.");
  f.required("schedules", x.schedules, "The number of schedules that were removed with it.");
  f.required("finished", x.finished, "The number of finished tasks that stay readable.");
}

template <class Fields>
void describe(Fields& f, msg::list_queues& x) {
  f.optional("prefix", x.prefix, "The beginning of the names that are listed.");
}

template <class Fields>
void describe(Fields& f, msg::queue_list& x) {
  f.required("queues", x.queues, "The queues, by name.");
}

template <class Fields>
void describe(Fields& f, msg::get_queue_statistics& x) {
  f.required("queue", x.queue, "The name of the queue.");
}

template <class Fields>
void describe(Fields& f, msg::queue_statistics& x) {
  f.required("live", x.live, "Tasks that wait or are leased.");
  f.required("leased", x.leased, "Of the live tasks: those that a worker holds.");
  f.required("completed", x.completed, "Tasks that ended well.");
  f.required("failed", x.failed, "Tasks whose worker said that trying again cannot help.");
  f.required("canceled", x.canceled, "Tasks that were canceled.");
  f.required("dead", x.dead, "Dead letters: tasks whose attempts are used up.");
}

template <class Fields>
void describe(Fields& f, msg::get_queue_intake& x) {
  f.required("queue", x.queue, "The name of the queue.");
}

template <class Fields>
void describe(Fields& f, msg::queue_intake& x) {
  f.required("staged", x.staged, "Tasks staged by SQL that the queue takes in next.");
  f.optional("staged_since", x.staged_since, "The time since which the oldest of them waits.");
  f.required("refused", x.refused, "Staged tasks that the queue refused.");
  f.required("unreadable", x.unreadable,
             "Of the refused tasks: those whose row the database cannot read.");
  f.optional("last_refusal", x.last_refusal, "The reason of the latest refusal.");
}

template <class Fields>
void describe(Fields& f, msg::get_queue_metrics& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("window", bounded{x.window, 10, 300},
             "The seconds to look back: 10 to 300; 60 when left out.");
}

template <class Fields>
void describe(Fields& f, msg::queue_metrics& x) {
  f.required("ready", x.ready, "Tasks that are due and wait for a worker.");
  f.required("later", x.later, "Tasks that are not due yet.");
  f.required("leased", x.leased, "Tasks that a worker holds.");
  f.required("paused", x.paused, "Tasks that are paused one by one.");
  f.optional("ready_since", x.ready_since,
             "The time since which the ready task that waits longest is due.");
  f.required("counted_from", x.counted_from, "The begin of the time that the counts are about.");
  f.required("now", x.now, "The end of the time that the counts are about.");
  f.required("made", x.made, "Tasks that were made.");
  f.required("granted", x.granted, "Leases that were granted.");
  f.required("completed", x.completed, "Tasks that ended well.");
  f.required("failed", x.failed, "Tasks whose worker said that trying again cannot help.");
  f.required("canceled", x.canceled, "Tasks that were canceled.");
  f.required("dead", x.dead, "Tasks that became dead letters.");
  f.required("failed_attempts", x.tries_failed, "Attempts that failed and left their task live.");
  f.required("rate_limited", x.rate_limited,
             "Attempts that ended because another service asked to come back later.");
  f.required("lost_attempts", x.crashes,
             "Attempts whose lease ran out, or whose worker died, and that left their task live.");
  f.required("completed_per_second", x.completed_per_second, "Completed tasks each second.");
  f.required("error_share", x.error_share,
             "The share of errors in all work that came to an end by itself: 0 to 1.");
  f.required("dead_share", x.dead_share,
             "The share of dead letters in the tasks that ended, without canceled ones: 0 to 1.");
}

// --- schedules ---

template <class Fields>
void describe(Fields& f, msg::put_schedule& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule: 1 to 128 bytes.");
  f.whole(document{x.definition}, "The definition of the schedule.");
}

template <class Fields>
void describe(Fields& f, msg::schedule_view& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
  f.required("definition", document{x.definition}, "The definition as it was given.");
  f.required("paused", x.paused, "Whether the schedule makes no tasks.");
  f.required("revision", x.revision, "A number that every change of the schedule raises.");
  f.required("created_at", x.created_at, "The time at which the schedule was made.");
  f.required("handled_until", x.handled_until, "Occurrences up to this time are dealt with.");
  f.optional("last_made", x.last_made, "The latest occurrence that made a task.");
  f.optional("next_due", x.next_due, "The next occurrence.");
  f.optional("problem", x.problem, "The reason why the schedule does not do what it should.");
}

template <class Fields>
void describe(Fields& f, msg::remove_schedule& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
}

template <class Fields>
void describe(Fields& f, msg::schedule_removed& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
}

template <class Fields>
void describe(Fields& f, msg::list_schedules& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("after", x.after, "The name behind which the list begins.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most schedules of an answer.");
}

template <class Fields>
void describe(Fields& f, msg::schedule_list& x) {
  f.required("schedules", x.schedules, "The schedules, by name.");
  f.required("more", x.more, "Whether more follow: ask again after the last name.");
}

template <class Fields>
void describe(Fields& f, msg::preview_schedule& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
  f.optional("count", bounded{x.count, 1, 100},
             "The most occurrences of the answer, 10 by default.");
}

template <class Fields>
void describe(Fields& f, msg::schedule_preview& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
  f.required("time_zone", x.time_zone, "The place by whose clocks the schedule runs.");
  f.required("paused", x.paused,
             "Whether none of them makes a task until the schedule is resumed.");
  f.required("occurrences", x.occurrences,
             "The next times, in order; fewer when there are no more.");
}

template <class Fields>
void describe(Fields& f, msg::run_schedule& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
  f.made("id", x.task, "The id of the task; the same id repeats the request.");
}

template <class Fields>
void describe(Fields& f, msg::schedule_ran& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("name", x.name, "The name of the schedule.");
  f.required("id", x.task,
             "The id of the task; of a unique key that is taken, the task that has it.");
  f.required("repeated", x.repeated, "Whether an earlier request had made the task.");
}

// --- making tasks ---

/// A time before which no worker gets the task, in both of its forms.
template <class Fields>
void describe_run_at(Fields& f, core::instant& at) {
  f.optional("run_at", at, "The time before which no worker gets the task; at once when left out.");
  f.optional("delay", seconds_from_now{at},
             "The same as seconds from now, for clients that do not trust their clocks.");
}

/// The members that say how a new task is handed out, whatever the form of the job.
template <class Fields, class Request>
void describe_handing_out(Fields& f, Request& x) {
  f.optional("priority", bounded{x.priority, -1000, 1000},
             "Higher goes first among the tasks of one key.");
  f.optional("key", x.key, "The key whose share and limits of the queue hold for the task.");
  f.optional("credential", x.credential, "The credential whose rate limit holds for the task.");
  f.optional("unique_key", x.unique_key, "At most one live task of the queue has this key.");
  f.optional("reject_duplicate", x.reject_duplicate,
             "Refuse the task when its unique key is taken; else the answer names the task that "
             "has the key.");
  describe_run_at(f, x.run_at);
  f.optional("owner_id", x.owner_id, "The user who asked for the work.");
  f.optional("run_as_id", x.run_as_id, "The user under whose rights the work runs.");
}

/// The members of a task that is to be made, without its id. `must` demands those that no task can
/// be without.
template <class Fields>
void describe_new_task(Fields& f, msg::task_request& x, bool must) {
  constexpr auto type = "The type of the task, which chooses its handler: 1 to 128 bytes.";
  constexpr auto body = "The work: any JSON. It never changes.";
  if (must) {
    f.required("type", x.type, type);
    f.required("body", document{x.body}, body);
  } else {
    f.optional("type", x.type, type);
    f.optional("body", document{x.body}, body);
  }
  f.optional("version", x.version, "The version of the body's form; 1.0 when left out.");
  f.optional("state", x.state, "The first state of the task, one of its type.");
  f.optional("data", document{x.data}, "JSON that belongs to the state; {} when left out.");
  f.optional("max_attempts", bounded{x.max_attempts, 0, 1000},
             "Failed attempts after which the task is dead; 0: as the queue says.");
  describe_handing_out(f, x);
  f.optional("trace_id", x.trace_id,
             "The trace of the task; that of the header traceparent when left out.");
  f.optional("span_id", x.span_id, "The span under which the work is done.");
}

/// One of many tasks: its id is made where it is left out.
template <class Fields>
void describe(Fields& f, msg::task_request& x) {
  f.optional("id", x.task, "The id of the task, a UUID; made here when left out.");
  describe_new_task(f, x, true);
}

template <class Fields>
void describe(Fields& f, msg::task_envelope& x) {
  f.required("envelope", document{x.envelope},
             "The job with its header, body and tracing; job_id is the id of the task.");
  describe_handing_out(f, x);
}

template <class Fields>
void describe(Fields& f, msg::enqueue_envelopes& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.required("envelopes", x.envelopes, "The jobs, at most 10,000.");
}

template <class Fields>
void describe(Fields& f, msg::task_outcome& x) {
  f.optional("task", x.task, "The id of the task that is there now.");
  f.optional("code", x.refusal, "The error that kept this task from being done; else left out.");
  bool retryable = core::describe(x.refusal).retryable;
  if (tells_every_member<Fields> || x.refusal != core::errc::none)
    f.optional("retryable", retryable,
               "Beside `code`: whether the same may succeed later; else left out.");
  f.optional("detail", x.detail, "The particulars of the error.");
  f.required("repeated", x.repeated, "Whether an earlier request had done the same.");
}

template <class Fields>
void describe(Fields& f, msg::task_outcomes& x) {
  f.required("outcomes", x.outcomes, "One outcome for each task, in the order of the request.");
}

// --- reading tasks ---

template <class Fields>
void describe(Fields& f, msg::get_task& x) {
  f.required("id", x.task, "The id of the task.");
}

/// The members that tell which task it is, and where it stands.
template <class Fields, class Task>
void describe_standing(Fields& f, Task& x) {
  f.required("id", x.task, "The id of the task.");
  f.required("queue", x.queue, "The name of its queue.");
  f.required("type", x.type, "The type, which chooses the handler.");
  f.required("version", x.version, "The version of the body's form.");
  f.required("status", x.status,
             "QUEUED, EXECUTING, COMPLETED, FAILURE (given up by its worker), ERROR (a dead "
             "letter) or CANCELED.");
  f.required("state", x.state, "The named state of its type.");
}

/// The members that tell the course of a task.
template <class Fields, class Task>
void describe_course(Fields& f, Task& x) {
  f.optional("error_code", x.error_code, "The code of the latest error.");
  f.required("percent", x.percent, "The progress, 0 to 100.");
  f.required("failed_attempts", x.attempts, "Attempts that failed in this state.");
  f.required("lost_attempts", x.crashes,
             "Attempts in this state whose lease ran out, or whose worker died.");
  f.required("paused", x.paused, "Whether the task is paused.");
  f.required("priority", x.priority, "Higher goes first among the tasks of one key.");
  f.optional("owner_id", x.owner_id, "The user who asked for the work.");
  f.optional("run_as_id", x.run_as_id, "The user under whose rights the work runs.");
  f.optional("worker", x.worker, "The worker that holds the task.");
  f.required("created_at", x.created_at, "The time at which the task was made.");
  f.optional("run_at", x.next_action, "The time before which no worker gets the task.");
  f.optional("state_changed_at", x.last_change, "The time of the latest change of state or data.");
  f.optional("updated_at", x.last_action, "The time of the latest change of anything.");
  f.optional("finished_at", x.finished_at, "The time at which the task ended.");
}

template <class Fields>
void describe(Fields& f, msg::task_view& x) {
  describe_standing(f, x);
  f.required("data", document{x.data}, "JSON that belongs to the state.");
  f.required("body", document{x.body}, "The work.");
  f.optional("result", document{x.result}, "The result of a completed task.");
  describe_course(f, x);
}

template <class Fields>
void describe(Fields& f, msg::get_task_attempts& x) {
  f.required("id", x.task, "The id of the task.");
  f.optional("after", x.after, "The token behind which the list begins.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most attempts of an answer.");
}

template <class Fields>
void describe(Fields& f, msg::late_result& x) {
  f.required("worker", x.worker, "The worker that sent the report.");
  f.required("outcome", x.outcome, "completed or failed.");
  f.required("detail", x.detail, "The first 1,000 characters of its result or error.");
  f.required("received_at", x.received_at, "The time at which it came.");
}

template <class Fields>
void describe(Fields& f, msg::task_attempt& x) {
  f.required("token", x.token, "The fencing token of the lease; grows from attempt to attempt.");
  f.required("worker", x.worker, "The worker that held the task.");
  f.required("granted_at", x.granted_at, "The begin of the lease.");
  f.required("expires_at", x.expires_at, "The end of the lease as last extended.");
  f.optional("ended_at", x.ended_at, "The time at which the attempt ended.");
  f.optional("ending", x.ending,
             "Completed, Failed, RateLimited, Released, Expired, Lost, Ejected, Canceled or Dead; "
             "left out while the attempt runs.");
  f.optional("error_code", x.error_code, "The code of the error.");
  f.optional("error_detail", x.error_detail, "The error, for operators.");
  f.required("late_results_total", x.late_results_total,
             "Reports that came under this token after the end of the lease. None was applied.");
  f.required("late_results", x.late_results, "The first three of these reports.");
}

template <class Fields>
void describe(Fields& f, msg::task_attempts& x) {
  f.required("id", x.task, "The id of the task.");
  f.required("queue", x.queue, "The name of its queue.");
  f.required("attempts", x.attempts, "The attempts, in the order of their tokens.");
  f.required("more", x.more, "Whether more follow: ask again after the last token.");
}

template <class Fields>
void describe(Fields& f, msg::list_tasks& x) {
  f.optional("queue", x.queue, "Only tasks of this queue.");
  f.optional("type", x.type, "Only tasks of this type.");
  f.optional("status", x.status,
             "Only tasks with this status: QUEUED, EXECUTING, COMPLETED, FAILURE, ERROR or "
             "CANCELED.");
  f.optional("owner_id", x.owner_id, "Only tasks that this user asked for.");
  f.optional("created_from", x.created_from, "Only tasks made at this time or later.");
  f.optional("created_before", x.created_before, "Only tasks made before this time.");
  f.optional("after", x.after, "The id behind which the list begins.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most tasks of an answer.");
}

inline const word_list& task_order_words() {
  static const word_list words{{"oldest", 1}, {"newest", 2}};
  return words;
}

template <class Fields>
void describe(Fields& f, msg::search_tasks& x) {
  f.optional("queue", x.queue, "Only tasks of this queue.");
  f.optional("type", x.type, "Only tasks of this type.");
  f.optional("status", x.status,
             "Only tasks with this status: QUEUED, EXECUTING, COMPLETED, FAILURE, ERROR or "
             "CANCELED.");
  f.optional("owner_id", x.owner_id, "Only tasks that this user asked for.");
  f.optional("key", x.key, "Only tasks with this key.");
  f.optional("error_code", x.error_code, "Only tasks that ended with this error.");
  f.optional("since", x.created_from, "The same as created_from.");
  f.optional("created_from", x.created_from, "Only tasks made at this time or later.");
  f.optional("created_before", x.created_before, "Only tasks made before this time.");
  f.optional("order", word{x.order, task_order_words()},
             "newest: the highest id first; oldest, when left out: the lowest. Ids of the clients "
             "are in the order in which the tasks were made.");
  f.optional("after", x.after, "The `last` of the page before.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most tasks of an answer.");
}

template <class Fields>
void describe(Fields& f, msg::task_summary& x) {
  describe_standing(f, x);
  describe_course(f, x);
}

template <class Fields>
void describe(Fields& f, msg::task_page& x) {
  f.required(
      "tasks", x.tasks,
      "The tasks, in the order of their ids, rising or falling as `order` says. A page may be "
      "empty though more follow.");
  f.optional("last", x.last, "The id after which the next page begins.");
  f.required("more", x.more, "Whether more follow: ask again after the last id.");
}

template <class Fields>
void describe(Fields& f, msg::explain_task& x) {
  f.required("id", x.task, "The id of the task.");
  f.optional("queue", x.queue, "The name of its queue; looked up when left out.");
}

template <class Fields>
void describe(Fields& f, msg::task_explanation& x) {
  f.required("id", x.task, "The id of the task.");
  f.required("status", x.status, "QUEUED, EXECUTING, COMPLETED, FAILURE, ERROR or CANCELED.");
  f.required("reasons", x.reasons,
             "All that keeps the task from going on, the longest-lasting reason first; or how it "
             "ended.");
}

// --- changing tasks ---

template <class Fields>
void describe(Fields& f, msg::change_task& x) {
  f.required("id", x.task, "The id of the task.");
  f.optional("queue", x.queue, "The name of its queue; looked up when left out.");
  f.hidden(x.verb);
}

template <class Fields>
void describe(Fields& f, msg::task_changed& x) {
  f.required("id", x.task, "The id of the task.");
}

/// The members of an update stand beside those of the request that has it.
template <class Fields>
void describe(Fields& f, msg::task_update& x) {
  f.optional("state", x.state, "The new state; left out: the state stays.");
  f.optional("data", document{x.data}, "The new JSON of the state; left out: it stays.");
  f.optional("checkpoint", document{x.execution_state},
             "The new checkpoint, JSON that only workers see; left out: it stays.");
  f.optional("percent", bounded{x.percent, 0, 100}, "The progress; left out: it stays.");
}

template <class Fields>
void describe(Fields& f, msg::leased_task& x) {
  auto traceparent = core::traceparent_of_task(x.trace_id, x.span_id);
  f.required("id", x.task, "The id of the task.");
  f.required("type", x.type, "The type, which chooses the handler.");
  f.required("version", x.version, "The version of the body's form.");
  f.required("body", document{x.body}, "The work.");
  f.required("state", x.state, "The named state of its type.");
  f.required("data", document{x.data}, "JSON that belongs to the state.");
  f.required("checkpoint", document{x.execution_state},
             "The JSON that the workers of this task have saved for each other.");
  f.required("attempt", x.attempt, "The number of this attempt, from 1.");
  f.required("max_attempts", x.max_attempts, "Failed attempts after which the task is dead.");
  f.required("token", x.token,
             "The fencing token of the lease: send it with everything done under this lease.");
  f.required("lease_seconds", seconds_until{x.expires_at},
             "Seconds until the lease ends, counted from this answer.");
  f.required("expires_at", x.expires_at, "The end of the lease, by the clock of the database.");
  f.required("created_at", x.created_at, "The time at which the task was made.");
  f.optional("key", x.key, "The key whose share and limits of the queue hold for the task.");
  f.optional("credential", x.credential, "The credential whose rate limit holds for the task.");
  f.optional("owner_id", x.owner_id, "The user who asked for the work.");
  f.optional("run_as_id", x.run_as_id, "The user under whose rights the work runs.");
  f.optional("trace_id", x.trace_id, "The trace of the task, as its producer gave it.");
  f.optional("span_id", x.span_id, "The span under which the work is done.");
  f.optional("traceparent", traceparent,
             "The same as the header of W3C Trace Context, for requests that the work makes.");
}

template <class Fields>
void describe(Fields& f, msg::leased_tasks& x) {
  f.required("tasks", x.tasks, "The leased tasks.");
}

template <class Fields>
void describe(Fields& f, msg::eject_task& x) {
  f.required("id", x.task, "The id of the task.");
  f.optional("queue", x.queue, "The name of its queue; looked up when left out.");
  describe(f, x.update);
  describe_run_at(f, x.next_action);
  f.optional("worker", x.worker,
             "The worker that gets the task at once; left out: nobody in particular.");
  f.made("claim", x.claim,
         "The id under which the task is leased; the same id repeats the request.");
}

template <class Fields>
void describe(Fields& f, msg::redrive_tasks& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("type", x.type, "Only tasks of this type.");
  f.optional("error_code", x.error_code, "Only tasks that ended with this error.");
  f.optional("after", x.after, "The id behind which this part begins.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "The most tasks of one request.");
}

template <class Fields>
void describe(Fields& f, msg::tasks_redriven& x) {
  f.required("redriven", x.redriven, "The number of tasks that live again.");
  f.optional("last", x.last, "The id after which the next part begins.");
  f.required("more", x.more, "Whether more follow: ask again after the last id.");
}

// --- workers ---

template <class Fields>
void describe(Fields& f, msg::claim_tasks& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.caller("worker", x.worker, "The name that the worker gave itself: 1 to 128 bytes.");
  f.made("claim", x.claim,
         "The id of the claim: repeated with it, the request gets the same tasks again.");
  f.optional("limit", bounded{x.most, 1, 1000}, "The most tasks of the answer; 1 when left out.");
  f.optional("types", x.types, "The types that the worker knows; all when left out.");
  f.query("wait", bounded{x.wait, 0, 60}, "The seconds to wait for a task: 0 to 60.");
  f.hidden(x.tied); // HTTP has no connection that stands for a worker.
}

/// The members of a report that tell whose lease of which task it is about.
template <class Fields, class Report>
void describe_lease(Fields& f, Report& x) {
  f.required("id", x.task.task, "The id of the task.");
  f.optional("queue", x.queue, "The name of its queue; looked up when left out.");
  f.caller("worker", x.worker, "The worker that holds the task.");
  f.required("token", x.task.token, "The fencing token of the lease.");
}

/// The kinds of failures, by their numbers in messages.
inline const word_list& failure_kind_words() {
  static const word_list words{{"transient", 1}, {"permanent", 2}, {"rate_limited", 3}};
  return words;
}

/// The members of a failure, without those of its task. `must` demands those that no failure can be
/// without.
template <class Fields, class Failure>
void describe_failure(Fields& f, Failure& x, bool must) {
  constexpr auto code = "The error, for programs: 1 to 128 bytes.";
  f.optional("kind", word{x.kind, failure_kind_words()},
             "transient: it may go well the next time; permanent: it never will; rate_limited: "
             "another service asked to come back later.");
  if (must)
    f.required("code", x.error_code, code);
  else
    f.optional("code", x.error_code, code);
  f.optional("detail", x.detail, "The error, for operators only; 8 KiB of it are kept.");
  f.optional("retry_after", bounded{x.retry_after, 0, 86'400},
             "The seconds before which the task is not tried again, at most 86400.");
}

template <class Fields>
void describe(Fields& f, msg::fail_task& x) {
  describe_lease(f, x);
  describe_failure(f, x, true);
  describe(f, x.update);
}

template <class Fields>
void describe(Fields& f, msg::release_task& x) {
  describe_lease(f, x);
  describe_run_at(f, x.next_action);
  describe(f, x.update);
}

template <class Fields>
void describe(Fields& f, msg::save_task_in_order& x) {
  describe_lease(f, x);
  f.optional("number", x.number,
             "The number of this save under its lease, from 1: a save that comes again, or behind "
             "a later one, changes nothing. Left out: the save is always stored.");
  describe(f, x.update);
}

} // namespace holdfast::http
