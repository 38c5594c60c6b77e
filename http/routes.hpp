#pragma once

#include "messages/operations.hpp"

#include <cstdint>
#include <string_view>

/// THE TABLE OF ROUTES: the method and path of each operation over HTTP. Each row of
/// `msg::operations` has one here or is named in `is_composed`, or nothing compiles. The shapes of
/// requests and answers are in `http/shapes`.
namespace holdfast::http {

enum class verb : std::uint8_t { get, put, post, remove };

/// As HTTP spells it: `GET`, `PUT`, `POST`, `DELETE`.
constexpr std::string_view to_string(verb method) {
  switch (method) {
  case verb::get:
    return "GET";
  case verb::put:
    return "PUT";
  case verb::post:
    return "POST";
  case verb::remove:
    break;
  }
  return "DELETE";
}

/// The subject of a route; its chapter in the reference.
enum class topic : std::uint8_t {
  tasks,
  queues,
  work,
  contributors,
  workflows,
  steps,
  units,
  events,
  cluster,
};

struct route_row {
  topic about = topic::cluster;
  verb method = verb::get;
  std::string_view path; ///< A segment in braces is a member of the request.
  unsigned success = 200;
  std::string_view summary; ///< One line for readers of the API.
};

template <class Request>
struct route_of;

#define HOLDFAST_ROUTE(Topic, Request, Method, Path, Success, Summary)                             \
  template <>                                                                                      \
  struct route_of<msg::Request> {                                                                  \
    static constexpr route_row row{topic::Topic, verb::Method, Path, Success, Summary};            \
  }

// clang-format off

HOLDFAST_ROUTE(tasks, enqueue_envelopes, post, "/v1/queues/{queue}/envelopes",
               200, "Make tasks of job envelopes");
HOLDFAST_ROUTE(tasks, redrive_tasks, post, "/v1/queues/{queue}/redrive",
               200, "Make dead and failed tasks live again");
HOLDFAST_ROUTE(tasks, search_tasks, get, "/v1/tasks", 200, "List tasks");
HOLDFAST_ROUTE(tasks, get_task_attempts, get, "/v1/tasks/{id}/attempts",
               200, "List the attempts of a task");

HOLDFAST_ROUTE(queues, put_queue, put, "/v1/queues/{queue}",
               200, "Make a queue, or set its policy");
HOLDFAST_ROUTE(queues, remove_queue, remove, "/v1/queues/{queue}", 200, "Remove an empty queue");
HOLDFAST_ROUTE(queues, list_queues, get, "/v1/queues", 200, "List queues");
HOLDFAST_ROUTE(queues, get_queue_statistics, get, "/v1/queues/{queue}/statistics",
               200, "Count the stored tasks of a queue");
HOLDFAST_ROUTE(queues, get_queue_intake, get, "/v1/queues/{queue}/intake",
               200, "Count the tasks staged by SQL");
HOLDFAST_ROUTE(queues, get_queue_metrics, get, "/v1/queues/{queue}/metrics",
               200, "Measure the recent work of a queue");
HOLDFAST_ROUTE(queues, put_schedule, put, "/v1/queues/{queue}/schedules/{name}",
               200, "Make or change a schedule");
HOLDFAST_ROUTE(queues, remove_schedule, remove, "/v1/queues/{queue}/schedules/{name}",
               200, "Remove a schedule");
HOLDFAST_ROUTE(queues, list_schedules, get, "/v1/queues/{queue}/schedules",
               200, "List the schedules of a queue");
HOLDFAST_ROUTE(queues, preview_schedule, get, "/v1/queues/{queue}/schedules/{name}/preview",
               200, "Look ahead at the next times of a schedule");
HOLDFAST_ROUTE(queues, run_schedule, post, "/v1/queues/{queue}/schedules/{name}/run",
               200, "Make the task of a schedule now");

HOLDFAST_ROUTE(queues, start_queue_action, post, "/v1/queues/{queue}/actions",
               202, "Change every task of a queue that a filter matches, in the background");
HOLDFAST_ROUTE(queues, list_queue_actions, get, "/v1/queues/{queue}/actions",
               200, "List the bulk actions of a queue");
HOLDFAST_ROUTE(queues, get_queue_action, get, "/v1/queues/{queue}/actions/{id}",
               200, "Read the progress of a bulk action");
HOLDFAST_ROUTE(queues, stop_queue_action, post, "/v1/queues/{queue}/actions/{id}/stop",
               200, "Stop a bulk action");

HOLDFAST_ROUTE(work, find_steps, get, "/v1/available-steps",
               200, "List the steps offered to a contributor");
HOLDFAST_ROUTE(work, extend_assignment, post, "/v1/assignments/{assignment_id}/extend",
               200, "Extend the lease of an assignment");
HOLDFAST_ROUTE(work, release_assignment, post, "/v1/assignments/{assignment_id}/release",
               200, "Give an assignment back");
HOLDFAST_ROUTE(work, submit_judgment, post, "/v1/judgments", 202, "Submit a judgment");
HOLDFAST_ROUTE(work, get_feedback, get, "/v1/judgments/{judgment_id}/feedback",
               200, "Read the feedback on an answered test question");
HOLDFAST_ROUTE(work, correct_judgment, post, "/v1/judgments/{judgment_id}/correct",
               200, "Hand in another judgment in place of your own");
HOLDFAST_ROUTE(work, end_session, remove, "/v1/sessions/{contributor_id}",
               200, "End a contributor's session");

HOLDFAST_ROUTE(contributors, put_profile, put, "/v1/contributors/{contributor_id}",
               200, "Set the profile of a contributor");
HOLDFAST_ROUTE(contributors, get_profile, get, "/v1/contributors/{contributor_id}",
               200, "Read the profile of a contributor");
HOLDFAST_ROUTE(contributors, put_removal, post, "/v1/contributors/{contributor_id}/removals",
               200, "Remove a contributor from a step, a workflow or everywhere");
HOLDFAST_ROUTE(contributors, list_removals, get, "/v1/contributors/{contributor_id}/removals",
               200, "List the removals of a contributor");
HOLDFAST_ROUTE(contributors, reinstate_contributor, post,
               "/v1/contributors/{contributor_id}/reinstatements",
               200, "End a removal of a contributor");
HOLDFAST_ROUTE(contributors, list_contributors, get, "/v1/job-steps/{step_id}/contributors",
               200, "List the contributors of a step");
HOLDFAST_ROUTE(contributors, explain_contributor, get,
               "/v1/job-steps/{step_id}/contributors/{contributor_id}/explanation",
               200, "Explain why a contributor gets no unit");
HOLDFAST_ROUTE(contributors, remove_contributor, remove,
               "/v1/job-steps/{step_id}/contributors/{contributor_id}",
               200, "Remove a contributor from a step");
HOLDFAST_ROUTE(contributors, repair_contributor, post,
               "/v1/job-steps/{step_id}/contributors/{contributor_id}/repair",
               200, "Repair results that rest on a contributor");

HOLDFAST_ROUTE(workflows, create_workflow, post, "/v1/workflows", 201, "Create a workflow");
HOLDFAST_ROUTE(workflows, check_workflow, post, "/v1/workflows/validate",
               200, "Check the definition of a workflow that is not there yet");
HOLDFAST_ROUTE(workflows, get_workflow, get, "/v1/workflows/{id}", 200, "Read a workflow");
HOLDFAST_ROUTE(workflows, list_workflows, get, "/v1/workflows", 200, "List workflows");
HOLDFAST_ROUTE(workflows, job_status_changed, post, "/v1/workflows/{workflow_id}/job",
               200, "Tell the status of the job");

HOLDFAST_ROUTE(steps, get_step_statistics, get, "/v1/job-steps/{step_id}",
               200, "Read a step with its counts");
HOLDFAST_ROUTE(steps, add_source_data, post, "/v1/job-steps/{step_id}/source-data",
               200, "Add source data");
HOLDFAST_ROUTE(steps, add_test_questions, post, "/v1/job-steps/{step_id}/test-questions",
               200, "Add test questions");
HOLDFAST_ROUTE(steps, list_test_questions, get, "/v1/job-steps/{step_id}/test-questions",
               200, "List test questions with their health");
HOLDFAST_ROUTE(steps, forgive_question, post,
               "/v1/job-steps/{step_id}/test-questions/{unit_id}/forgive",
               200, "Forgive a test question, or count it again");
HOLDFAST_ROUTE(steps, repair_question, post,
               "/v1/job-steps/{step_id}/test-questions/{unit_id}/repair",
               200, "Repair results after a test question changed");
HOLDFAST_ROUTE(steps, list_results, get, "/v1/job-steps/{step_id}/results",
               200, "List the results of a step");
HOLDFAST_ROUTE(steps, get_step_quality, get, "/v1/job-steps/{step_id}/quality",
               200, "Measure the agreement in a step");

HOLDFAST_ROUTE(units, reopen_unit, post, "/v1/job-steps/{step_id}/units/{unit_id}/reopen",
               200, "Have a finished unit judged again");
HOLDFAST_ROUTE(units, override_result, post, "/v1/job-steps/{step_id}/units/{unit_id}/override",
               200, "Say what the result of a unit is");
HOLDFAST_ROUTE(units, taint_judgment, post,
               "/v1/job-steps/{step_id}/units/{unit_id}/judgments/{judgment_id}/taint",
               200, "Count a judgment no more");
HOLDFAST_ROUTE(units, reinstate_judgment, post,
               "/v1/job-steps/{step_id}/units/{unit_id}/judgments/{judgment_id}/reinstate",
               200, "Count a judgment again");
HOLDFAST_ROUTE(units, list_corrections, get,
               "/v1/job-steps/{step_id}/units/{unit_id}/corrections",
               200, "List what was corrected of a unit");
HOLDFAST_ROUTE(units, get_lineage, get, "/v1/units/{unit_id}/lineage",
               200, "Read all that happened to an item");

HOLDFAST_ROUTE(events, read_events, get, "/v1/shards/{shard}/events",
               200, "Read the events of a shard");
HOLDFAST_ROUTE(events, put_webhook, put, "/v1/webhooks/{name}", 200, "Make or change a webhook");
HOLDFAST_ROUTE(events, list_webhooks, get, "/v1/webhooks", 200, "List webhooks");
HOLDFAST_ROUTE(events, list_dead_letters, get, "/v1/webhooks/{name}/dead-letters",
               200, "List events that could not be delivered");

HOLDFAST_ROUTE(cluster, get_node_status, get, "/v1/node", 200, "Read the status of the node");
HOLDFAST_ROUTE(cluster, get_link_status, get, "/v1/node/link",
               200, "Read the counts of the TLS link");
HOLDFAST_ROUTE(cluster, get_audit_status, get, "/v1/node/audits",
               200, "Read the findings of audits");
HOLDFAST_ROUTE(cluster, list_audit, get, "/v1/audit",
               200, "List the administrative changes and who made them");
HOLDFAST_ROUTE(cluster, get_guard_status, get, "/v1/node/guards",
               200, "Read the counts of the guards");
HOLDFAST_ROUTE(cluster, get_placement, get, "/v1/cluster",
               200, "Read which node hosts which shard");
HOLDFAST_ROUTE(cluster, list_nodes, get, "/v1/cluster/nodes",
               200, "List the nodes of the cluster, also those that are gone");
HOLDFAST_ROUTE(cluster, verify_cluster, post, "/v1/cluster/verify",
               200, "Check the invariants in the database now");
HOLDFAST_ROUTE(cluster, rebuild_step_index, post, "/v1/cluster/step-index/rebuild",
               200, "Rebuild the index of steps");

HOLDFAST_ROUTE(cluster, list_tokens, get, "/v1/tokens", 200, "List API tokens");
HOLDFAST_ROUTE(cluster, revoke_token, remove, "/v1/tokens/{id}", 200, "Revoke an API token");

// clang-format on

#undef HOLDFAST_ROUTE

/// The name of an operation in the reference where it is not that of its request: a request with
/// more members took the place of an earlier one, and clients know the earlier name.
template <class Request>
inline constexpr std::string_view name_in_reference{};
template <>
inline constexpr std::string_view name_in_reference<msg::search_tasks> = "list_tasks";

/// Operations without a route of their own: a composed route (http/composed) asks for them, or the
/// gate for tokens.
template <class Request>
inline constexpr bool is_composed = msg::is_one_of<
    Request, msg::claim_tasks, msg::get_task, msg::ask_assignment, msg::enqueue_tasks,
    msg::complete_tasks, msg::extend_tasks, msg::fail_task, msg::save_task, msg::save_task_in_order,
    msg::release_task, msg::follow_task, msg::eject_task, msg::change_task, msg::explain_task,
    msg::await_task, msg::await_units, msg::pause_queue, msg::update_workflow, msg::list_steps,
    msg::change_step, msg::seal_step, msg::load_source_data, msg::list_workflow_results,
    msg::get_unit, msg::change_unit, msg::explain_unit, msg::change_webhook, msg::replay_webhook,
    msg::create_token, msg::check_token, msg::note_token_use, msg::list_tasks>;

} // namespace holdfast::http
