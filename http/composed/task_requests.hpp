#pragma once

#include "core/task.hpp"
#include "http/door.hpp"
#include "http/route_table.hpp"
#include "http/routes.hpp"
#include "http/set_aside.hpp"
#include "http/shapes/task_shapes.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// Requests about tasks and queues that are not one operation as it stands: one route makes one
/// task or many, another takes the reports about many tasks at once, and requests about one task by
/// its id leave its queue out.
namespace holdfast::http {

// --- producers ---

/// The answer of `make_tasks`: of one task, or of many.
struct tasks_made {
  static constexpr std::string_view name = "tasks_made";
  enum class form : std::uint8_t { either, one, many };

  form is = form::either;
  core::task_id task;
  bool repeated = false;
  std::vector<msg::task_outcome> outcomes;
};

template <class Fields>
void describe(Fields& f, tasks_made& x) {
  if (x.is != tasks_made::form::many) {
    f.optional("id", x.task, "Of one task: the id of the task that is there now.");
    f.optional("repeated", x.repeated, "Of one task: whether an earlier request had made it.");
  }
  if (x.is != tasks_made::form::one)
    f.optional("outcomes", x.outcomes, "Of many: one outcome for each task, in their order.");
}

struct make_tasks {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/queues/{queue}/tasks", 201,
                                 "Make a task, or many"};
  static constexpr std::string_view name = "make_tasks";
  using answer = tasks_made;
  static std::vector<other_answer> other_answers();
  static constexpr std::string_view items = "tasks";
  static void run(const door& through, const visit& from, make_tasks asked);

  core::queue_name queue;
  msg::task_request task; ///< Where `tasks` is empty.
  std::vector<msg::task_request> tasks;
  set_aside aside;
};

template <class Fields>
void describe(Fields& f, make_tasks& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.optional("tasks", x.tasks, "Many tasks, at most 10,000, in place of the members of one.");
  if (!x.tasks.empty())
    return;
  f.made("id", x.task.task, "The id of the task: repeated with it, the request changes nothing.");
  describe_new_task(f, x.task, !tells_every_member<Fields>);
}

// --- workers ---

struct claim_tasks {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/queues/{queue}/claims", 200,
                                 "Claim tasks"};
  static constexpr std::string_view name = "claim_tasks";
  using answer = msg::leased_tasks;
  static std::vector<other_answer> other_answers();
  static void run(const door& through, const visit& from, claim_tasks asked);

  msg::claim_tasks claim;
};

template <class Fields>
void describe(Fields& f, claim_tasks& x) {
  describe(f, x.claim);
}

/// The things that a worker reports of a task.
enum class deed : std::uint8_t { complete = 1, fail, release, save, extend };

/// One report of `report_tasks`.
struct task_report {
  static constexpr std::string_view name = "task_report";

  msg::task_ref task;
  deed done = deed::complete;
  std::string result;
  std::uint8_t kind = 1; ///< As in `msg::fail_task`.
  std::string error_code;
  std::string detail;
  core::duration retry_after{0};
  core::instant next_action;
  std::uint64_t number = 0; ///< Of a save; 0: it has none.
  msg::task_update update;
};

inline const word_list& deed_words() {
  static const word_list words{
      {"complete", 1}, {"fail", 2}, {"release", 3}, {"save", 4}, {"extend", 5}};
  return words;
}

template <class Fields>
void describe(Fields& f, task_report& x) {
  f.required("task", x.task.task, "The id of the task.");
  f.required("token", x.task.token, "The fencing token of the lease.");
  f.optional("do", word{x.done, deed_words()},
             "The change that is reported; complete when left out. The other members are those of "
             "the request that does the same with one task.");
  const auto is = [&x](deed one) { return tells_every_member<Fields> || x.done == one; };
  if (is(deed::complete))
    f.optional("result", document{x.result}, "The result of a completed task, JSON.");
  if (is(deed::fail))
    describe_failure(f, x, !tells_every_member<Fields>);
  if (is(deed::release))
    describe_run_at(f, x.next_action);
  if (is(deed::save))
    f.optional("number", x.number, "The number of a save under its lease, from 1.");
  if (is(deed::fail) || is(deed::release) || is(deed::save))
    describe(f, x.update);
}

/// The end of a lease that was extended, as a request about one task and one about many tell it.
template <class Fields>
void describe_extension(Fields& f, core::instant& expires_at) {
  f.optional("lease_seconds", seconds_until{expires_at},
             "Of a lease that was extended: the seconds until it ends, counted from this answer. "
             "Left out where the end could not be read, and of leases behind the first 100 that "
             "one request extends.");
}

/// The outcome of one report.
struct report_outcome {
  static constexpr std::string_view name = "report_outcome";

  msg::task_outcome said;
  core::instant expires_at; ///< Of a lease that was extended; the epoch: not known.
};

template <class Fields>
void describe(Fields& f, report_outcome& x) {
  describe(f, x.said);
  describe_extension(f, x.expires_at);
}

struct report_outcomes {
  static constexpr std::string_view name = "report_outcomes";

  std::vector<report_outcome> outcomes;
};

template <class Fields>
void describe(Fields& f, report_outcomes& x) {
  f.required("outcomes", x.outcomes, "One outcome for each report, in the order of the request.");
}

/// Reports about many tasks at once. The reports of one request about the same task are carried out
/// in any order.
struct report_tasks {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/queues/{queue}/completions", 200,
                                 "Report about many tasks at once"};
  static constexpr std::string_view name = "report_tasks";
  using answer = report_outcomes;
  static constexpr std::string_view items = "outcomes";
  static void run(const door& through, const visit& from, report_tasks asked);

  core::queue_name queue;
  core::worker_id worker;
  std::vector<task_report> reports;
  set_aside aside;
};

template <class Fields>
void describe(Fields& f, report_tasks& x) {
  f.required("queue", x.queue, "The name of the queue.");
  f.caller("worker", x.worker, "The worker that holds the tasks.");
  f.required("outcomes", x.reports, "The reports, at most 1,000, each about another task.");
}

// --- one task by its id ---

/// The answer about one task that was changed.
struct task_done {
  static constexpr std::string_view name = "task_done";

  core::task_id task;
  bool repeated = false;
};

template <class Fields>
void describe(Fields& f, task_done& x) {
  f.required("id", x.task, "The id of the task.");
  f.required("repeated", x.repeated, "Whether an earlier request had done the same.");
}

/// The answer of `complete_task`.
struct task_completed {
  static constexpr std::string_view name = "task_completed";
  enum class form : std::uint8_t { either, alone, followed };

  form is = form::either;
  core::task_id task;
  bool repeated = false;     ///< Where nothing was to follow.
  msg::leased_task follower; ///< Without an id: none.
};

template <class Fields>
void describe(Fields& f, task_completed& x) {
  f.required("id", x.task, "The id of the completed task.");
  if (x.is != task_completed::form::followed)
    f.optional("repeated", x.repeated, "Whether an earlier request had done the same.");
  if (x.is == task_completed::form::either || x.follower.task)
    f.optional("follower", x.follower,
               "The task that follows, leased to the same worker; left out when a task with its "
               "unique key was there already.");
}

struct complete_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/complete", 200,
                                 "Complete a task, and make the one that follows"};
  static constexpr std::string_view name = "complete_task";
  using answer = task_completed;
  static void run(const door& through, const visit& from, complete_task asked);

  core::queue_name queue;
  core::worker_id worker;
  msg::task_ref task;
  std::string result;
  msg::task_request follow; ///< Without a body, which every task has: nothing follows.
  core::assignment_id claim;
};

template <class Fields>
void describe(Fields& f, complete_task& x) {
  describe_lease(f, x);
  f.optional("result", document{x.result}, "The result, JSON.");
  f.optional("follow", x.follow,
             "A task that is made in the same commit and leased to the same worker at once.");
  f.made("claim", x.claim,
         "The id under which the task that follows is leased. A request that is repeated with it "
         "and with the id of that task gets the same answer.");
}

/// The answer of `extend_task`.
struct task_extended {
  static constexpr std::string_view name = "task_extended";

  core::task_id task;
  bool repeated = false;
  core::instant expires_at; ///< The epoch: not known.
};

template <class Fields>
void describe(Fields& f, task_extended& x) {
  f.required("id", x.task, "The id of the task.");
  f.required("repeated", x.repeated, "Whether an earlier request had done the same.");
  describe_extension(f, x.expires_at);
}

struct extend_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/extend", 200,
                                 "Extend the lease of a task"};
  static constexpr std::string_view name = "extend_task";
  using answer = task_extended;
  static void run(const door& through, const visit& from, extend_task asked);

  core::queue_name queue;
  core::worker_id worker;
  msg::task_ref task;
};

template <class Fields>
void describe(Fields& f, extend_task& x) {
  describe_lease(f, x);
}

struct fail_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/fail", 200,
                                 "Report that an attempt failed"};
  static constexpr std::string_view name = "fail_task";
  using answer = task_done;
  static void run(const door& through, const visit& from, fail_task asked);

  msg::fail_task message;
};

template <class Fields>
void describe(Fields& f, fail_task& x) {
  describe(f, x.message);
}

struct release_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/release", 200,
                                 "Give a task back"};
  static constexpr std::string_view name = "release_task";
  using answer = task_done;
  static void run(const door& through, const visit& from, release_task asked);

  msg::release_task message;
};

template <class Fields>
void describe(Fields& f, release_task& x) {
  describe(f, x.message);
}

struct save_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/save", 200,
                                 "Store the progress of a task"};
  static constexpr std::string_view name = "save_task";
  using answer = task_done;
  static void run(const door& through, const visit& from, save_task asked);

  msg::save_task_in_order message; ///< With the number 0: without one.
};

template <class Fields>
void describe(Fields& f, save_task& x) {
  describe(f, x.message);
}

struct eject_task {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/eject", 200,
                                 "Take a task from the worker that holds it"};
  static constexpr std::string_view name = "eject_task";
  using answer = msg::leased_tasks;
  static void run(const door& through, const visit& from, eject_task asked);

  msg::eject_task message;
};

template <class Fields>
void describe(Fields& f, eject_task& x) {
  describe(f, x.message);
}

/// The part that the changes of a task have in common.
struct task_change {
  using answer = msg::task_changed;
  msg::change_task message;
};

template <class Fields>
void describe(Fields& f, task_change& x) {
  describe(f, x.message);
}

struct cancel_task : task_change {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/cancel", 200,
                                 "Cancel a task"};
  static constexpr std::string_view name = "cancel_task";
  static void run(const door& through, const visit& from, cancel_task asked);
};

struct pause_task : task_change {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/pause", 200,
                                 "Pause a task"};
  static constexpr std::string_view name = "pause_task";
  static void run(const door& through, const visit& from, pause_task asked);
};

struct resume_task : task_change {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/resume", 200,
                                 "Resume a paused task"};
  static constexpr std::string_view name = "resume_task";
  static void run(const door& through, const visit& from, resume_task asked);
};

struct retry_task : task_change {
  static constexpr route_row row{topic::tasks, verb::post, "/v1/tasks/{id}/retry", 200,
                                 "Make a task due now"};
  static constexpr std::string_view name = "retry_task";
  static void run(const door& through, const visit& from, retry_task asked);
};

struct explain_task {
  static constexpr route_row row{topic::tasks, verb::get, "/v1/tasks/{id}/explanation", 200,
                                 "Explain why a task does not go on"};
  static constexpr std::string_view name = "explain_task";
  using answer = msg::task_explanation;
  static void run(const door& through, const visit& from, explain_task asked);

  msg::explain_task message;
};

template <class Fields>
void describe(Fields& f, explain_task& x) {
  describe(f, x.message);
}

// --- queues ---

struct get_queue {
  static constexpr route_row row{topic::queues, verb::get, "/v1/queues/{queue}", 200,
                                 "Read a queue"};
  static constexpr std::string_view name = "get_queue";
  using answer = msg::queue_view;
  static void run(const door& through, const visit& from, get_queue asked);

  core::queue_name queue;
};

template <class Fields>
void describe(Fields& f, get_queue& x) {
  f.required("queue", x.queue, "The name of the queue.");
}

/// The part that pausing and resuming have in common.
struct queue_change {
  using answer = msg::queue_view;
  msg::pause_queue message;
};

template <class Fields>
void describe(Fields& f, queue_change& x) {
  describe(f, x.message);
}

struct pause_queue : queue_change {
  static constexpr route_row row{topic::queues, verb::post, "/v1/queues/{queue}/pause", 200,
                                 "Pause a queue, or a type of its tasks"};
  static constexpr std::string_view name = "pause_queue";
  static void run(const door& through, const visit& from, pause_queue asked);
};

struct resume_queue : queue_change {
  static constexpr route_row row{topic::queues, verb::post, "/v1/queues/{queue}/resume", 200,
                                 "Resume a queue, or a type of its tasks"};
  static constexpr std::string_view name = "resume_queue";
  static void run(const door& through, const visit& from, resume_queue asked);
};

} // namespace holdfast::http
