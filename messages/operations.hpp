#pragma once

#include "core/hosted_item.hpp"
#include "core/ids.hpp"
#include "messages/audit_messages.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/correction_messages.hpp"
#include "messages/event_messages.hpp"
#include "messages/guard_messages.hpp"
#include "messages/lineage_messages.hpp"
#include "messages/placement_messages.hpp"
#include "messages/queue_action_messages.hpp"

#include "messages/removal_messages.hpp"
#include "messages/result_messages.hpp"

#include "messages/search_messages.hpp"
#include "messages/task_messages.hpp"
#include "messages/token_messages.hpp"
#include "messages/webhook_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <caf/detail/type_list.hpp>

#include <cstdint>
#include <type_traits>

/// THE TABLE OF OPERATIONS: each request of a peer with its answer, the place where it is decided,
/// and its effect. Interfaces, registry, routes, forwarding between nodes, the client's courier and
/// the rule of who waits for room are derived from it.
///
/// A new operation is a struct with `HOLDFAST_WIRE`, a row here, a check in the gateway, a row of
/// `core/access.cpp`, one of `app/operation_verbs.cpp`, and a handler where it is decided.
namespace holdfast::msg {

// --- where a request is decided ---

/// By the step or queue that this member of the request names: an actor at the host of its shard.
template <auto Member>
struct host_of {
  template <class Request>
  static core::shard_id shard(const Request& m, std::uint32_t shards) {
    return core::shard_of(m.*Member, shards);
  }
  template <class Request>
  static core::hosted_item item(const Request& m) {
    return m.*Member;
  }
};

/// By the host of the shard to which this name belongs, for which no actor of its own stands there.
template <auto Member>
struct host_of_name {
  template <class Request>
  static core::shard_id shard(const Request& m, std::uint32_t shards) {
    return core::shard_of(m.*Member, shards);
  }
};

/// By the host of a workflow's first step, which the gateway looks up where the request names none.
struct host_of_first_step {
  static core::shard_id shard(const job_status_changed& m, std::uint32_t shards) {
    return core::shard_of(m.step, shards);
  }
  static core::hosted_item item(const job_status_changed& m) { return m.step; }
};

/// By any one host, so long as it is the same when the request comes again: two that make a
/// workflow at once would both find that it was there already.
struct host_of_new_workflow {
  static core::shard_id shard(const create_workflow& m, std::uint32_t shards) {
    return core::shard_of(core::step_id{m.workflow.value}, shards);
  }
};

/// By the host of the shard that the request itself names.
struct host_of_named_shard {
  template <class Request>
  static core::shard_id shard(const Request& m, std::uint32_t) {
    return m.shard;
  }
};

/// By each node for what it hosts; the answers are put together.
struct every_node {};

/// By nobody: it is read from the database, by any node.
struct database {};

/// By the gateway that is asked: it is about the node itself.
struct node_itself {};

// --- its effect ---

enum class effect {
  reads, ///< Writes nothing. Let in however busy the writers are.
  /// The traffic of work, whose own rows say who did it. Turned away while the writers have as much
  /// to do as they may.
  writes,
  /// A change by somebody in charge: as `writes`, and each change that a principal has had made
  /// leaves an entry in the audit log. `actors/audit_subjects.hpp` says what the entry names.
  administers,
  extends, ///< Writes, and is let in: a worker that is turned away loses its lease, and its work is
           ///< done once more, which makes the busy busier. Such requests are few, because all
           ///< leases share a commit now and then (`task.extension_delay`), and they wait for room
           ///< in their queue.
};

template <class Request, class Answer, class Where, effect Effect>
struct operation {
  using request = Request;
  using answer = Answer;
  using where = Where;
  static constexpr effect has = Effect;
};

/// Requests by a peer. CAF compares from the first row on when a message comes: those that come
/// often are at the top.
using operations = caf::detail::type_list<
    // --- workers ---
    operation<claim_tasks, leased_tasks, host_of<&claim_tasks::queue>, effect::writes>,
    operation<complete_tasks, task_outcomes, host_of<&complete_tasks::queue>, effect::writes>,
    operation<enqueue_tasks, task_outcomes, host_of<&enqueue_tasks::queue>, effect::writes>,
    operation<extend_tasks, task_outcomes, host_of<&extend_tasks::queue>, effect::extends>,
    // --- contributors ---
    operation<ask_assignment, assignment, host_of<&ask_assignment::step>, effect::writes>,
    operation<submit_judgment, judgment_accepted, host_of<&submit_judgment::step>, effect::writes>,
    operation<release_assignment, assignment_released, host_of<&release_assignment::step>,
              effect::writes>,
    operation<extend_assignment, assignment_extended, host_of<&extend_assignment::step>,
              effect::writes>,
    operation<await_units, units_awaited, host_of<&await_units::step>, effect::reads>,
    operation<correct_judgment, judgment_corrected, host_of<&correct_judgment::step>,
              effect::writes>,
    operation<get_feedback, judgment_feedback, host_of<&get_feedback::step>, effect::reads>,
    operation<end_session, session_ended, every_node, effect::writes>,
    operation<find_steps, step_offers, every_node, effect::reads>,
    operation<put_profile, profile_view, host_of_name<&put_profile::contributor>,
              effect::administers>,
    operation<get_profile, profile_view, database, effect::reads>,
    operation<put_removal, removal_view, host_of_name<&put_removal::contributor>,
              effect::administers>,
    operation<reinstate_contributor, removal_view,
              host_of_name<&reinstate_contributor::contributor>, effect::administers>,
    operation<list_removals, removal_page, database, effect::reads>,
    // --- workers, more ---
    operation<follow_task, leased_tasks, host_of<&follow_task::queue>, effect::writes>,
    operation<fail_task, task_outcome, host_of<&fail_task::queue>, effect::writes>,
    operation<save_task, task_outcome, host_of<&save_task::queue>, effect::writes>,
    operation<save_task_in_order, task_outcome, host_of<&save_task_in_order::queue>,
              effect::writes>,
    operation<release_task, task_outcome, host_of<&release_task::queue>, effect::writes>,
    // --- producers of tasks ---
    operation<enqueue_envelopes, task_outcomes, host_of<&enqueue_envelopes::queue>, effect::writes>,
    operation<get_task, task_view, database, effect::reads>,
    operation<await_task, task_awaited, host_of<&await_task::queue>, effect::reads>,
    operation<list_tasks, task_page, database, effect::reads>,
    operation<search_tasks, task_page, database, effect::reads>,
    operation<get_task_attempts, task_attempts, database, effect::reads>,
    operation<explain_task, task_explanation, host_of<&explain_task::queue>, effect::reads>,
    operation<change_task, task_changed, host_of<&change_task::queue>, effect::administers>,
    operation<eject_task, leased_tasks, host_of<&eject_task::queue>, effect::administers>,
    operation<redrive_tasks, tasks_redriven, host_of<&redrive_tasks::queue>, effect::administers>,
    operation<start_queue_action, queue_action_view, host_of<&start_queue_action::queue>,
              effect::administers>,
    operation<stop_queue_action, queue_action_view, host_of<&stop_queue_action::queue>,
              effect::administers>,
    operation<get_queue_action, queue_action_view, database, effect::reads>,
    operation<list_queue_actions, queue_action_page, database, effect::reads>,
    operation<put_queue, queue_view, host_of<&put_queue::queue>, effect::administers>,
    operation<pause_queue, queue_view, host_of<&pause_queue::queue>, effect::administers>,
    operation<remove_queue, queue_removed, host_of<&remove_queue::queue>, effect::administers>,
    operation<list_queues, queue_list, database, effect::reads>,
    operation<get_queue_statistics, queue_statistics, database, effect::reads>,
    operation<get_queue_intake, queue_intake, database, effect::reads>,
    operation<get_queue_metrics, queue_metrics, host_of<&get_queue_metrics::queue>, effect::reads>,
    operation<put_schedule, schedule_view, host_of<&put_schedule::queue>, effect::administers>,
    operation<remove_schedule, schedule_removed, host_of<&remove_schedule::queue>,
              effect::administers>,
    operation<list_schedules, schedule_list, host_of<&list_schedules::queue>, effect::reads>,
    operation<preview_schedule, schedule_preview, host_of<&preview_schedule::queue>, effect::reads>,
    operation<run_schedule, schedule_ran, host_of<&run_schedule::queue>, effect::administers>,
    // --- requesters ---
    operation<create_workflow, workflow_created, host_of_new_workflow, effect::administers>,
    operation<update_workflow, workflow_updated, host_of<&update_workflow::step>,
              effect::administers>,
    operation<job_status_changed, job_status_noted, host_of_first_step, effect::administers>,
    operation<get_workflow, workflow_view, database, effect::reads>,
    operation<list_workflows, workflow_page, database, effect::reads>,
    operation<add_source_data, source_data_added, host_of<&add_source_data::step>,
              effect::administers>,
    operation<load_source_data, source_data_loaded, host_of<&load_source_data::step>,
              effect::administers>,
    operation<add_test_questions, source_data_added, host_of<&add_test_questions::step>,
              effect::administers>,
    operation<list_test_questions, test_question_page, database, effect::reads>,
    operation<remove_contributor, contributor_removed, host_of<&remove_contributor::step>,
              effect::administers>,
    operation<forgive_question, question_forgiven, host_of<&forgive_question::step>,
              effect::administers>,
    operation<repair_contributor, repair_progress, host_of<&repair_contributor::step>,
              effect::administers>,
    operation<repair_question, repair_progress, host_of<&repair_question::step>,
              effect::administers>,
    operation<reopen_unit, unit_corrected, host_of<&reopen_unit::step>, effect::administers>,
    operation<override_result, unit_corrected, host_of<&override_result::step>,
              effect::administers>,
    operation<taint_judgment, unit_corrected, host_of<&taint_judgment::step>, effect::administers>,
    operation<reinstate_judgment, unit_corrected, host_of<&reinstate_judgment::step>,
              effect::administers>,
    operation<list_corrections, correction_list, database, effect::reads>,
    operation<list_contributors, contributor_page, host_of<&list_contributors::step>,
              effect::reads>,
    operation<explain_unit, unit_explanation, host_of<&explain_unit::step>, effect::reads>,
    operation<explain_contributor, contributor_explanation, host_of<&explain_contributor::step>,
              effect::reads>,
    operation<get_step_quality, step_quality, host_of<&get_step_quality::step>, effect::reads>,
    operation<seal_step, step_view, host_of<&seal_step::step>, effect::administers>,
    operation<change_step, step_view, host_of<&change_step::step>, effect::administers>,
    operation<change_unit, unit_changed, host_of<&change_unit::step>, effect::administers>,
    operation<list_steps, step_list, database, effect::reads>,
    operation<get_unit, unit_view, database, effect::reads>,
    operation<list_results, result_page, database, effect::reads>,
    operation<list_workflow_results, workflow_result_page, database, effect::reads>,
    operation<get_lineage, unit_lineage, database, effect::reads>,
    operation<get_step_statistics, step_statistics, database, effect::reads>,
    // --- subscribers ---
    operation<read_events, event_page, host_of_named_shard, effect::reads>,
    // One host decides about a webhook, and those of its events about their delivery.
    operation<put_webhook, webhook_saved, host_of_name<&put_webhook::name>, effect::administers>,
    operation<change_webhook, webhook_saved, host_of_name<&change_webhook::name>,
              effect::administers>,
    operation<list_webhooks, webhook_list, database, effect::reads>,
    operation<list_dead_letters, dead_letter_page, database, effect::reads>,
    operation<replay_webhook, webhook_replayed, host_of_named_shard, effect::administers>,
    // --- API tokens ---
    operation<create_token, token_view, host_of_name<&create_token::token>, effect::administers>,
    operation<list_tokens, token_page, database, effect::reads>,
    operation<revoke_token, token_view, host_of_name<&revoke_token::token>, effect::administers>,
    operation<check_token, token_identity, database, effect::reads>,
    operation<note_token_use, token_use_noted, host_of_name<&note_token_use::token>,
              effect::writes>,
    // --- operators ---
    operation<rebuild_step_index, step_index_rebuilt, every_node, effect::reads>,
    operation<get_node_status, node_status, node_itself, effect::reads>,
    operation<get_link_status, link_status, node_itself, effect::reads>,
    operation<get_audit_status, audit_status, node_itself, effect::reads>,
    operation<verify_cluster, cluster_verified, node_itself, effect::reads>,
    operation<check_workflow, workflow_checked, node_itself, effect::reads>,
    operation<get_guard_status, guard_status, node_itself, effect::reads>,
    operation<get_placement, placement, node_itself, effect::reads>,
    operation<list_nodes, node_list, database, effect::reads>,
    operation<list_audit, audit_page, database, effect::reads>>;

/// Other requests, between the nodes.
using node_operations = caf::detail::type_list<
    operation<apply_events, events_applied, host_of<&apply_events::step>, effect::writes>,
    operation<add_children, events_applied, host_of<&add_children::step>, effect::writes>,
    operation<upstream_progress, events_applied, host_of<&upstream_progress::step>,
              effect::writes>>;

// --- what follows from the table ---

template <class Message, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<std::remove_const_t<Message>, Others> || ...);

namespace table {

template <class Row>
struct entry {
  static Row row_of(const typename Row::request*);
};

/// Each row by its request, found as one of overloaded functions.
template <class... Tables>
struct index;
template <class... Rows, class... Others>
struct index<caf::detail::type_list<Rows...>, caf::detail::type_list<Others...>>
    : entry<Rows>..., entry<Others>... {
  using entry<Rows>::row_of...;
  using entry<Others>::row_of...;
};

/// A class, so that the names of functions that speak of answers stay short: they have its name in
/// them, and not the whole table.
template <class Request>
struct lookup {
  using row =
      decltype(index<operations, node_operations>::row_of(static_cast<const Request*>(nullptr)));
  using answer = typename row::answer;
};

} // namespace table

/// The row of a request.
template <class Request>
using operation_of = typename table::lookup<Request>::row;

/// The answer to a request.
template <class Request>
using answer_to = typename table::lookup<Request>::answer;

template <class Request>
using place_of = typename operation_of<Request>::where;

/// Whether one host decides about a request; then `shard_of_request` says which.
template <class Request>
inline constexpr bool has_host = !is_one_of<place_of<Request>, every_node, database, node_itself>;

/// Whether the sender can tell which host that is.
template <class Request>
inline constexpr bool names_its_host =
    has_host<Request> && !std::is_same_v<place_of<Request>, host_of_first_step>;

/// The shard whose host decides about a request.
template <class Request>
core::shard_id shard_of_request(const Request& m, std::uint32_t shards) {
  return place_of<Request>::shard(m, shards);
}

/// Requests that write nothing.
template <class Request>
inline constexpr bool only_reads = operation_of<Request>::has == effect::reads;

/// Requests whose changes are in the audit log.
template <class Request>
inline constexpr bool is_audited = operation_of<Request>::has == effect::administers;

/// Requests that are turned away while the writers have as much to do as they may.
template <class Request>
inline constexpr bool needs_room =
    operation_of<Request>::has == effect::writes || is_audited<Request>;

namespace table {

template <class Row>
struct is_audited_row : std::bool_constant<Row::has == effect::administers> {};

} // namespace table

using audited_operations = caf::detail::tl_filter_t<operations, table::is_audited_row>;

namespace table {

template <class Row>
struct is_writing_row : std::bool_constant<Row::has != effect::reads> {};

} // namespace table

/// Those whose decision and commit are traced.
using writing_operations = caf::detail::tl_filter_t<operations, table::is_writing_row>;

} // namespace holdfast::msg
