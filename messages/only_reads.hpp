#pragma once

#include "messages/protocol.hpp"

#include <type_traits>

namespace holdfast::msg {

template <class Message, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<std::remove_const_t<Message>, Others> || ...);

/// Requests that write nothing. They are let in however busy the writers are.
template <class Message>
inline constexpr bool only_reads =
    is_one_of<Message, list_contributors, get_feedback, explain_unit, explain_contributor,
              get_step_quality, list_steps, get_workflow, get_unit, get_lineage, list_results,
              get_step_statistics, get_profile, find_steps, rebuild_step_index, list_queues,
              get_queue_statistics, get_queue_intake, get_queue_metrics, get_task, list_tasks,
              explain_task, list_schedules, read_events, list_webhooks, list_dead_letters>;

/// Requests that are turned away while the writers have as much to do as they may. Not those that
/// extend the leases of tasks: who is turned away loses its lease, and what it does is done once
/// more, which makes the busy busier. They are few, because all of them share a commit now and then
/// (`task.extension_delay`), and wait for room in their queue.
template <class Message>
inline constexpr bool needs_room = !only_reads<Message> && !is_one_of<Message, extend_tasks>;

} // namespace holdfast::msg
