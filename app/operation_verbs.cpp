#include "app/operation_verbs.hpp"

#include "messages/operations.hpp"

namespace holdfast::app {

namespace {

template <class Request>
struct verb_of;

#define HOLDFAST_VERB(Request, Command)                                                            \
  template <>                                                                                      \
  struct verb_of<msg::Request> {                                                                   \
    static constexpr operation_verb row{#Request, Command, {}};                                    \
  }
#define HOLDFAST_NO_VERB(Request, Reason)                                                          \
  template <>                                                                                      \
  struct verb_of<msg::Request> {                                                                   \
    static constexpr operation_verb row{#Request, {}, Reason};                                     \
  }

constexpr std::string_view page_needed =
    "a contributor works in a page that shows the unit: the HTTP API and the clients serve it";
constexpr std::string_view program_needed =
    "a handler that saves progress or goes on with a next task is a program: see docs/PEERS.md";
constexpr std::string_view door_needed = "the nodes ask it of each other, for callers over HTTP";
constexpr std::string_view verify_needed =
    "`holdfast verify` checks the database itself, objects too, and needs no node";
constexpr std::string_view wait_needed =
    "programs wait; `tasks list --watch` and `step show --watch` are for people";

HOLDFAST_VERB(claim_tasks, "tasks claim");
HOLDFAST_VERB(complete_tasks, "tasks claim");
HOLDFAST_VERB(enqueue_tasks, "tasks enqueue");
HOLDFAST_VERB(extend_tasks, "tasks claim");
HOLDFAST_NO_VERB(ask_assignment, page_needed);
HOLDFAST_NO_VERB(submit_judgment, page_needed);
HOLDFAST_NO_VERB(release_assignment, page_needed);
HOLDFAST_NO_VERB(extend_assignment, page_needed);
HOLDFAST_NO_VERB(correct_judgment, page_needed);
HOLDFAST_NO_VERB(get_feedback, page_needed);
HOLDFAST_VERB(end_session, "contributor end-session");
HOLDFAST_VERB(find_steps, "contributor steps");
HOLDFAST_VERB(put_profile, "contributor put");
HOLDFAST_VERB(get_profile, "contributor show");
HOLDFAST_VERB(put_removal, "contributor remove-from");
HOLDFAST_VERB(reinstate_contributor, "contributor reinstate");
HOLDFAST_VERB(list_removals, "contributor removals");
HOLDFAST_NO_VERB(follow_task, program_needed);
HOLDFAST_VERB(fail_task, "tasks claim");
HOLDFAST_NO_VERB(save_task, program_needed);
HOLDFAST_NO_VERB(save_task_in_order, program_needed);
HOLDFAST_VERB(release_task, "tasks claim");
HOLDFAST_VERB(enqueue_envelopes, "tasks enqueue");
HOLDFAST_VERB(get_task, "tasks show");
HOLDFAST_VERB(list_tasks, "tasks show");
HOLDFAST_VERB(search_tasks, "tasks list");
HOLDFAST_VERB(get_task_attempts, "tasks attempts");
HOLDFAST_VERB(explain_task, "explain task");
HOLDFAST_VERB(change_task, "tasks cancel");
HOLDFAST_VERB(eject_task, "tasks eject");
HOLDFAST_VERB(redrive_tasks, "queues redrive");
HOLDFAST_VERB(start_queue_action, "queues act");
HOLDFAST_VERB(stop_queue_action, "queues stop-action");
HOLDFAST_VERB(get_queue_action, "queues act");
HOLDFAST_VERB(list_queue_actions, "queues actions");
HOLDFAST_VERB(put_queue, "queues put");
HOLDFAST_VERB(pause_queue, "queues pause");
HOLDFAST_VERB(remove_queue, "queues remove");
HOLDFAST_VERB(list_queues, "queues list");
HOLDFAST_VERB(get_queue_statistics, "queues list");
HOLDFAST_VERB(get_queue_intake, "queues show");
HOLDFAST_VERB(get_queue_metrics, "queues show");
HOLDFAST_VERB(put_schedule, "queues schedule");
HOLDFAST_VERB(remove_schedule, "queues unschedule");
HOLDFAST_VERB(list_schedules, "queues schedules");
HOLDFAST_VERB(preview_schedule, "queues preview");
HOLDFAST_VERB(run_schedule, "queues run-schedule");
HOLDFAST_VERB(create_workflow, "workflow create");
HOLDFAST_VERB(check_workflow, "validate workflow");
HOLDFAST_VERB(update_workflow, "workflow update");
HOLDFAST_VERB(job_status_changed, "workflow job");
HOLDFAST_VERB(get_workflow, "workflow show");
HOLDFAST_VERB(list_workflows, "workflow list");
HOLDFAST_VERB(add_source_data, "step add");
HOLDFAST_VERB(load_source_data, "workflow add-data");
HOLDFAST_VERB(add_test_questions, "question add");
HOLDFAST_VERB(list_test_questions, "question list");
HOLDFAST_VERB(remove_contributor, "contributor remove");
HOLDFAST_VERB(forgive_question, "question forgive");
HOLDFAST_VERB(repair_contributor, "contributor repair");
HOLDFAST_VERB(repair_question, "question repair");
HOLDFAST_VERB(reopen_unit, "unit reopen");
HOLDFAST_VERB(override_result, "unit override");
HOLDFAST_VERB(taint_judgment, "unit taint");
HOLDFAST_VERB(reinstate_judgment, "unit reinstate");
HOLDFAST_VERB(list_corrections, "unit corrections");
HOLDFAST_VERB(list_contributors, "contributor list");
HOLDFAST_VERB(explain_unit, "explain unit");
HOLDFAST_VERB(explain_contributor, "explain contributor");
HOLDFAST_VERB(get_step_quality, "quality");
HOLDFAST_VERB(seal_step, "step seal");
HOLDFAST_VERB(change_step, "step pause");
HOLDFAST_VERB(change_unit, "unit pause");
HOLDFAST_VERB(list_steps, "status");
HOLDFAST_VERB(get_unit, "unit show");
HOLDFAST_VERB(list_results, "step results");
HOLDFAST_VERB(list_workflow_results, "workflow results");
HOLDFAST_VERB(get_lineage, "lineage");
HOLDFAST_VERB(get_step_statistics, "step show");
HOLDFAST_VERB(read_events, "events");
HOLDFAST_VERB(put_webhook, "webhooks put");
HOLDFAST_VERB(change_webhook, "webhooks pause");
HOLDFAST_VERB(list_webhooks, "webhooks list");
HOLDFAST_VERB(list_dead_letters, "webhooks dead-letters");
HOLDFAST_VERB(replay_webhook, "webhooks replay");
HOLDFAST_VERB(rebuild_step_index, "step rebuild-index");
HOLDFAST_VERB(get_node_status, "status");
HOLDFAST_VERB(get_link_status, "status");
HOLDFAST_VERB(get_audit_status, "status");
HOLDFAST_NO_VERB(verify_cluster, verify_needed);
HOLDFAST_VERB(get_guard_status, "status");
HOLDFAST_VERB(get_placement, "shards");
HOLDFAST_VERB(list_nodes, "nodes");

HOLDFAST_VERB(create_token, "token create");
HOLDFAST_VERB(list_tokens, "token list");
HOLDFAST_VERB(revoke_token, "token revoke");
HOLDFAST_NO_VERB(check_token, door_needed);
HOLDFAST_NO_VERB(note_token_use, door_needed);
HOLDFAST_VERB(list_audit, "audit");
HOLDFAST_NO_VERB(await_task, wait_needed);
HOLDFAST_NO_VERB(await_units, wait_needed);

#undef HOLDFAST_VERB
#undef HOLDFAST_NO_VERB

template <class... Rows>
std::vector<operation_verb> verbs_of(caf::detail::type_list<Rows...>) {
  return {verb_of<typename Rows::request>::row...};
}

} // namespace

const std::vector<operation_verb>& operation_verbs() {
  static const auto all = verbs_of(msg::operations{});
  return all;
}

} // namespace holdfast::app
