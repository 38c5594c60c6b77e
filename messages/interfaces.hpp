#pragma once

#include "messages/cluster_messages.hpp"
#include "messages/event_messages.hpp"
#include "messages/guard_messages.hpp"
#include "messages/lineage_messages.hpp"
#include "messages/placement_messages.hpp"
#include "messages/search_messages.hpp"
#include "messages/task_messages.hpp"
#include "messages/webhook_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <caf/replies_to.hpp>
#include <caf/response_type.hpp>
#include <caf/typed_actor.hpp>

#include <tuple>

namespace holdfast::msg {

/// The GATEWAY of a node: the only actor that is addressed from outside. It checks what comes in,
/// then hands it to the host of the item's shard. Each request is answered once, with the message
/// named or with a `core::errc`.
using gateway_actor = caf::typed_actor<
    // --- requesters ---
    caf::replies_to<create_workflow>::with<workflow_created>,
    caf::replies_to<update_workflow>::with<workflow_updated>,
    caf::replies_to<job_status_changed>::with<job_status_noted>,
    caf::replies_to<get_workflow>::with<workflow_view>,
    caf::replies_to<add_source_data>::with<source_data_added>,
    caf::replies_to<add_test_questions>::with<source_data_added>,
    caf::replies_to<remove_contributor>::with<contributor_removed>,
    caf::replies_to<forgive_question>::with<question_forgiven>,
    caf::replies_to<repair_contributor>::with<repair_progress>,
    caf::replies_to<repair_question>::with<repair_progress>,
    caf::replies_to<list_contributors>::with<contributor_page>,
    caf::replies_to<explain_unit>::with<unit_explanation>,
    caf::replies_to<explain_contributor>::with<contributor_explanation>,
    caf::replies_to<get_step_quality>::with<step_quality>,
    caf::replies_to<seal_step>::with<step_view>, caf::replies_to<change_step>::with<step_view>,
    caf::replies_to<change_unit>::with<unit_changed>, caf::replies_to<list_steps>::with<step_list>,
    caf::replies_to<get_unit>::with<unit_view>, caf::replies_to<list_results>::with<result_page>,
    caf::replies_to<get_lineage>::with<unit_lineage>,
    caf::replies_to<get_step_statistics>::with<step_statistics>,
    // --- contributors ---
    caf::replies_to<ask_assignment>::with<assignment>,
    caf::replies_to<release_assignment>::with<assignment_released>,
    caf::replies_to<extend_assignment>::with<assignment_extended>,
    caf::replies_to<submit_judgment>::with<judgment_accepted>,
    caf::replies_to<get_feedback>::with<judgment_feedback>,
    caf::replies_to<end_session>::with<session_ended>,
    caf::replies_to<put_profile>::with<profile_view>,
    caf::replies_to<get_profile>::with<profile_view>,
    caf::replies_to<find_steps>::with<step_offers>,
    // --- producers of tasks ---
    caf::replies_to<put_queue>::with<queue_view>, caf::replies_to<pause_queue>::with<queue_view>,
    caf::replies_to<list_queues>::with<queue_list>,
    caf::replies_to<get_queue_statistics>::with<queue_statistics>,
    caf::replies_to<get_queue_intake>::with<queue_intake>,
    caf::replies_to<get_queue_metrics>::with<queue_metrics>,
    caf::replies_to<enqueue_tasks>::with<task_outcomes>,
    caf::replies_to<enqueue_envelopes>::with<task_outcomes>,
    caf::replies_to<get_task>::with<task_view>, caf::replies_to<list_tasks>::with<task_page>,
    caf::replies_to<explain_task>::with<task_explanation>,
    caf::replies_to<change_task>::with<task_changed>,
    caf::replies_to<eject_task>::with<leased_tasks>,
    caf::replies_to<redrive_tasks>::with<tasks_redriven>,
    caf::replies_to<put_schedule>::with<schedule_view>,
    caf::replies_to<remove_schedule>::with<schedule_removed>,
    caf::replies_to<list_schedules>::with<schedule_list>,
    // --- workers ---
    caf::replies_to<claim_tasks>::with<leased_tasks>,
    caf::replies_to<extend_tasks>::with<task_outcomes>,
    caf::replies_to<save_task>::with<task_outcome>,
    caf::replies_to<save_task_in_order>::with<task_outcome>,
    caf::replies_to<release_task>::with<task_outcome>,
    caf::replies_to<complete_tasks>::with<task_outcomes>,
    caf::replies_to<follow_task>::with<leased_tasks>,
    caf::replies_to<fail_task>::with<task_outcome>,
    // --- subscribers ---
    caf::replies_to<read_events>::with<event_page>,
    caf::replies_to<put_webhook>::with<webhook_saved>,
    caf::replies_to<change_webhook>::with<webhook_saved>,
    caf::replies_to<list_webhooks>::with<webhook_list>,
    caf::replies_to<list_dead_letters>::with<dead_letter_page>,
    caf::replies_to<replay_webhook>::with<webhook_replayed>,
    // --- operators ---
    caf::replies_to<rebuild_step_index>::with<step_index_rebuilt>,
    caf::replies_to<get_node_status>::with<node_status>,
    caf::replies_to<get_link_status>::with<link_status>,
    caf::replies_to<get_audit_status>::with<audit_status>,
    caf::replies_to<get_guard_status>::with<guard_status>,
    caf::replies_to<get_placement>::with<placement>>;

/// The gateway as it is published. Other nodes ask it for the door that is theirs.
using member_gateway_actor = gateway_actor::extend<caf::replies_to<get_protocols>::with<protocols>,
                                                   caf::replies_to<meet_node>::with<node_met>>;

/// What the gateway of every version answers, and all that may be asked for when one is dialed: CAF
/// compares interfaces then, and turns away a gateway that lacks a single request, also one that
/// nobody sends. What a node does not know it answers `invalid_argument`. Never grows.
using any_gateway_actor = caf::typed_actor<caf::replies_to<get_node_status>::with<node_status>>;

/// `node_met::door`.
using door_actor = gateway_actor::extend<caf::reacts_to<look_at_cluster>,
                                         caf::replies_to<apply_events>::with<events_applied>,
                                         caf::replies_to<add_children>::with<events_applied>,
                                         caf::replies_to<upstream_progress>::with<events_applied>>;

/// What a gateway or door answers to a `Request`.
template <class Request>
using answer_to =
    std::tuple_element_t<0,
                         typename caf::response_type<door_actor::signatures, Request>::tuple_type>;

} // namespace holdfast::msg
