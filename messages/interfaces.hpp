#pragma once

#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace holdfast::msg {

/// The GATEWAY of a node: the only actor that is addressed from outside. It checks what comes in,
/// then hands it to the host of the item's shard. Each request is answered once, with the message
/// named or with a `core::errc`.
using gateway_actor = caf::typed_actor<
    // --- requesters ---
    caf::replies_to<create_workflow>::with<workflow_created>,
    caf::replies_to<add_source_data>::with<source_data_added>,
    caf::replies_to<seal_step>::with<step_view>, caf::replies_to<change_step>::with<step_view>,
    caf::replies_to<change_unit>::with<unit_changed>, caf::replies_to<list_steps>::with<step_list>,
    caf::replies_to<get_unit>::with<unit_view>, caf::replies_to<list_results>::with<result_page>,
    caf::replies_to<get_step_statistics>::with<step_statistics>,
    // --- contributors ---
    caf::replies_to<ask_assignment>::with<assignment>,
    caf::replies_to<release_assignment>::with<assignment_released>,
    caf::replies_to<extend_assignment>::with<assignment_extended>,
    caf::replies_to<submit_judgment>::with<judgment_accepted>,
    caf::replies_to<end_session>::with<session_ended>,
    // --- operators ---
    caf::replies_to<get_node_status>::with<node_status>>;

} // namespace holdfast::msg
