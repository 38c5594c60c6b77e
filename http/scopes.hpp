#pragma once

#include "core/access.hpp"
#include "http/call.hpp"
#include "messages/operations.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// THE TABLE OF SCOPES: how the door tells whether a token that names queues or workflows reaches
/// the item of a request. An operation without a row is refused for such tokens.
namespace holdfast::http {

enum class reach : std::uint8_t {
  refused,     ///< A token with scopes may not send it.
  anything,    ///< It tells nothing of queues and workflows.
  by_queue,    ///< By its member `queue`; empty: judged once the queue has been looked up.
  by_task,     ///< By the queue of its member `task`.
  by_workflow, ///< By its member `workflow`.
  by_step,     ///< By the workflow of its member `step`; nil: as for an empty queue.
  by_unit,     ///< By the workflow of its member `unit`.
  own_caller,  ///< Only by a token that is bound to the one whom it names.
  filtered,    ///< Items that the token does not reach are taken out of the answer.
};

template <class Request>
inline constexpr reach reach_of = reach::refused;

#define HOLDFAST_REACH(How, Request)                                                               \
  template <>                                                                                      \
  inline constexpr reach reach_of<msg::Request> = reach::How

HOLDFAST_REACH(anything, get_node_status);
HOLDFAST_REACH(anything, get_placement);
HOLDFAST_REACH(anything, list_nodes);
HOLDFAST_REACH(anything, check_workflow);

HOLDFAST_REACH(by_queue, enqueue_tasks);
HOLDFAST_REACH(by_queue, enqueue_envelopes);
HOLDFAST_REACH(by_queue, claim_tasks);
HOLDFAST_REACH(by_queue, complete_tasks);
HOLDFAST_REACH(by_queue, extend_tasks);
HOLDFAST_REACH(by_queue, follow_task);
HOLDFAST_REACH(by_queue, fail_task);
HOLDFAST_REACH(by_queue, save_task);
HOLDFAST_REACH(by_queue, save_task_in_order);
HOLDFAST_REACH(by_queue, release_task);
HOLDFAST_REACH(by_queue, explain_task);
HOLDFAST_REACH(by_queue, change_task);
HOLDFAST_REACH(by_queue, eject_task);
HOLDFAST_REACH(by_queue, redrive_tasks);
HOLDFAST_REACH(by_queue, put_queue);
HOLDFAST_REACH(by_queue, pause_queue);
HOLDFAST_REACH(by_queue, remove_queue);
HOLDFAST_REACH(by_queue, get_queue_statistics);
HOLDFAST_REACH(by_queue, get_queue_intake);
HOLDFAST_REACH(by_queue, get_queue_metrics);
HOLDFAST_REACH(by_queue, put_schedule);
HOLDFAST_REACH(by_queue, remove_schedule);
HOLDFAST_REACH(by_queue, list_schedules);
HOLDFAST_REACH(by_queue, preview_schedule);
HOLDFAST_REACH(by_queue, run_schedule);
HOLDFAST_REACH(by_task, get_task);
HOLDFAST_REACH(by_task, get_task_attempts);
HOLDFAST_REACH(filtered, list_queues);
HOLDFAST_REACH(by_queue, start_queue_action);
HOLDFAST_REACH(by_queue, stop_queue_action);
HOLDFAST_REACH(by_queue, get_queue_action);
HOLDFAST_REACH(by_queue, list_queue_actions);
HOLDFAST_REACH(filtered, list_tasks);
HOLDFAST_REACH(filtered, search_tasks);

HOLDFAST_REACH(by_workflow, create_workflow);
HOLDFAST_REACH(by_workflow, get_workflow);

// Of a step, or of everywhere, it names no workflow: then it is refused.
HOLDFAST_REACH(by_workflow, put_removal);
HOLDFAST_REACH(by_workflow, reinstate_contributor);
HOLDFAST_REACH(by_workflow, list_workflow_results);
HOLDFAST_REACH(by_workflow, job_status_changed);
HOLDFAST_REACH(by_step, update_workflow);
HOLDFAST_REACH(by_step, add_source_data);
HOLDFAST_REACH(by_step, load_source_data);
HOLDFAST_REACH(by_step, add_test_questions);
HOLDFAST_REACH(by_step, list_test_questions);
HOLDFAST_REACH(by_step, remove_contributor);
HOLDFAST_REACH(by_step, forgive_question);
HOLDFAST_REACH(by_step, repair_contributor);
HOLDFAST_REACH(by_step, repair_question);
HOLDFAST_REACH(by_step, reopen_unit);
HOLDFAST_REACH(by_step, override_result);
HOLDFAST_REACH(by_step, taint_judgment);
HOLDFAST_REACH(by_step, reinstate_judgment);
HOLDFAST_REACH(by_step, list_corrections);
HOLDFAST_REACH(by_step, list_contributors);
HOLDFAST_REACH(by_step, explain_unit);
HOLDFAST_REACH(by_step, explain_contributor);
HOLDFAST_REACH(by_step, get_step_quality);
HOLDFAST_REACH(by_step, seal_step);
HOLDFAST_REACH(by_step, change_step);
HOLDFAST_REACH(by_step, change_unit);
HOLDFAST_REACH(by_step, get_unit);
HOLDFAST_REACH(by_step, list_results);
HOLDFAST_REACH(by_step, get_step_statistics);
HOLDFAST_REACH(by_unit, get_lineage);
HOLDFAST_REACH(filtered, list_workflows);
HOLDFAST_REACH(filtered, list_steps);

HOLDFAST_REACH(by_step, ask_assignment);
HOLDFAST_REACH(by_step, submit_judgment);
HOLDFAST_REACH(by_step, release_assignment);
HOLDFAST_REACH(by_step, extend_assignment);
HOLDFAST_REACH(by_step, correct_judgment);
HOLDFAST_REACH(by_step, get_feedback);
HOLDFAST_REACH(own_caller, end_session);
HOLDFAST_REACH(filtered, find_steps);

#undef HOLDFAST_REACH

/// Names in a request by which it is judged at once; null where it has none.
struct scoped_names {
  const core::queue_name* queue = nullptr;
  const core::workflow_id* workflow = nullptr;
};

/// The answer to a request that the scope of `who` excludes, as far as the request itself tells;
/// none when it is let in, or is judged by what is looked up.
std::optional<response> objection_by_scope(const core::principal& who, reach how,
                                           std::string_view operation, const scoped_names& named);

/// The answer about an item that a token does not reach, or that is not there: the same, so that
/// nobody learns which ids are in use. `kind`: `task`.
response absent(std::string_view kind);

// --- lists ---

void keep_in_scope(const core::access_scope& scope, msg::queue_list& list);
void keep_in_scope(const core::access_scope& scope, msg::task_page& page);
void keep_in_scope(const core::access_scope& scope, msg::workflow_page& page);
void keep_in_scope(const core::access_scope& scope, msg::step_list& list);
void keep_in_scope(const core::access_scope& scope, msg::step_offers& offers);

/// A list whose pages are continued behind their last item: the door reads on until a page is full
/// of items that the token reaches.
template <class Request>
struct scoped_list {
  static constexpr bool is_paged = false;
};
template <>
struct scoped_list<msg::list_workflows> {
  static constexpr bool is_paged = true;
  static auto& items(msg::workflow_page& page) { return page.workflows; }
  static void go_on_behind(msg::list_workflows& next, const msg::workflow_summary& last) {
    next.after = last.workflow;
  }
  static void set_more(msg::workflow_page& page, bool more) { page.more = more; }
};
template <>
struct scoped_list<msg::list_steps> {
  static constexpr bool is_paged = true;
  static auto& items(msg::step_list& list) { return list.steps; }
  static void go_on_behind(msg::list_steps& next, const msg::step_view& last) {
    next.after = last.step;
  }
  static void set_more(msg::step_list&, bool) {}
};
template <>
struct scoped_list<msg::find_steps> {
  static constexpr bool is_paged = true;
  static auto& items(msg::step_offers& offers) { return offers.steps; }
  static void go_on_behind(msg::find_steps& next, const msg::step_offer& last) {
    next.after = last.step;
    next.after_priority = last.priority;
  }
  static void set_more(msg::step_offers&, bool) {}
};

/// The size and number of pages that are read for one page of a token with scopes.
inline constexpr std::uint32_t scoped_page = 1000;
inline constexpr unsigned scoped_pages_max = 20;

} // namespace holdfast::http
