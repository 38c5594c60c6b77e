#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Bulk actions: one change to every task of a queue that a filter matches, made in the background.
namespace holdfast::msg {

/// Which tasks of the queue are meant. A member that is left empty holds for all.
struct queue_action_filter {
  std::string type;
  std::string key;
  /// QUEUED or EXECUTING; of a redrive FAILURE or ERROR. Empty: both.
  std::string status;
  std::string error_code;       ///< Of a redrive alone.
  core::instant created_from;   ///< The epoch: from the first task on, as for the next one.
  core::instant created_before; ///< The epoch: to the last.
};
HOLDFAST_WIRE(queue_action_filter, x.type, x.key, x.status, x.error_code, x.created_from,
              x.created_before)

/// Pauses (1), resumes (2), cancels (3), retries at once (4) or redrives (5) every task of the
/// queue that the filter matches and that was there when the request came. Answered by
/// `queue_action_view` as soon as the action is stored; it goes on in the background, also when its
/// queue moves to another node. Repeated under the same id it answers how far the action is; with
/// other members `already_exists`. `overloaded` when `task.actions_running_max` actions of the
/// queue run already.
struct start_queue_action {
  core::queue_name queue;
  core::queue_action_id action; ///< Chosen by the caller.
  std::uint8_t kind = 0;        ///< `core::queue_action_kind`.
  queue_action_filter filter;
  /// Only counts the tasks that match now, and names some of them: nothing is stored or changed.
  bool dry_run = false;
};
HOLDFAST_WIRE(start_queue_action, x.queue, x.action, x.kind, x.filter, x.dry_run)

/// Tasks that could not be changed, for one reason.
struct queue_action_refusal {
  core::errc code = core::errc::none;
  std::uint64_t tasks = 0;
};
HOLDFAST_WIRE(queue_action_refusal, x.code, x.tasks)

struct queue_action_view {
  core::queue_name queue;
  core::queue_action_id action;
  std::uint8_t kind = 1;
  queue_action_filter filter;
  std::uint8_t status = 0; ///< `core::queue_action_status`; 0: a dry run.
  /// Tasks that it has dealt with so far. `changed`, `unchanged` and the refusals are all of these.
  std::uint64_t matched = 0;
  std::uint64_t changed = 0;
  std::uint64_t unchanged = 0; ///< They were so already.
  std::vector<queue_action_refusal> refusals;
  std::string asked_by; ///< The principal; empty: a program without one.
  core::instant asked_at;
  core::instant changed_at;
  std::string problem; ///< Why it failed.
  // Of a dry run.
  bool at_least = false; ///< There may be more tasks than `matched`: counting has a bound.
  std::vector<core::task_id> sample; ///< The first tasks, ten at most.
};
HOLDFAST_WIRE(queue_action_view, x.queue, x.action, x.kind, x.filter, x.status, x.matched,
              x.changed, x.unchanged, x.refusals, x.asked_by, x.asked_at, x.changed_at, x.problem,
              x.at_least, x.sample)

/// Answered by `queue_action_view`, as committed; `not_found` when the queue has no such action, or
/// not any more.
struct get_queue_action {
  core::queue_name queue;
  core::queue_action_id action;
};
HOLDFAST_WIRE(get_queue_action, x.queue, x.action)

/// Answered by `queue_action_page`: the action that was asked for last comes first.
struct list_queue_actions {
  core::queue_name queue;
  core::queue_action_id after; ///< Nil: from the latest action on.
  std::uint32_t limit = 100;   ///< 1 to 1,000.
};
HOLDFAST_WIRE(list_queue_actions, x.queue, x.after, x.limit)

struct queue_action_page {
  std::vector<queue_action_view> actions;
  bool more = false; ///< Ask again after the last one's id.
};
HOLDFAST_WIRE(queue_action_page, x.actions, x.more)

/// Stops a running action; the tasks that it has changed stay changed. Answered by
/// `queue_action_view`, also when the action has ended already; `not_found` when the queue has no
/// such action.
struct stop_queue_action {
  core::queue_name queue;
  core::queue_action_id action;
};
HOLDFAST_WIRE(stop_queue_action, x.queue, x.action)

} // namespace holdfast::msg
