#pragma once

#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "actors/task_status.hpp"
#include "core/outcome.hpp"
#include "core/queue_action.hpp"
#include "messages/queue_action_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// Bulk actions between messages, core and store, and the requests about them that the database
/// answers.
namespace holdfast::actors {

inline constexpr std::uint32_t queue_actions_page_max = 1000;

/// The scope that a status stands for; none for a status that no action can be about.
inline std::optional<core::queue_action_scope> scope_of(const std::string& status) {
  using core::queue_action_scope;
  if (status.empty())
    return queue_action_scope::all;
  if (status == status_of_live(false))
    return queue_action_scope::waiting;
  if (status == status_of_live(true))
    return queue_action_scope::leased;
  if (status == status_after(core::task_ending::failed))
    return queue_action_scope::failed;
  if (status == status_after(core::task_ending::dead))
    return queue_action_scope::dead;
  return std::nullopt;
}

inline std::string status_of(core::queue_action_scope scope) {
  using core::queue_action_scope;
  switch (scope) {
  case queue_action_scope::all:
    break;
  case queue_action_scope::waiting:
    return status_of_live(false);
  case queue_action_scope::leased:
    return status_of_live(true);
  case queue_action_scope::failed:
    return status_after(core::task_ending::failed);
  case queue_action_scope::dead:
    return status_after(core::task_ending::dead);
  }
  return {};
}

inline core::failure check_filter(const msg::queue_action_filter& filter) {
  return first_of(
      {documents::check_word(filter.type, "filter.type"),
       documents::check_word(filter.key, "filter.key"),
       documents::check_word(filter.error_code, "filter.error_code"),
       scope_of(filter.status)
           ? core::failure{}
           : invalid("filter.status must be QUEUED, EXECUTING, FAILURE or ERROR"),
       filter.created_from >= core::instant{} && filter.created_before >= core::instant{}
           ? core::failure{}
           : invalid("filter.created_from and filter.created_before must not be before 1970")});
}

/// The action that is asked for, as it begins.
inline core::queue_action_row row_of(const msg::start_queue_action& m) {
  core::queue_action_row row;
  row.queue = m.queue;
  row.id = m.action;
  row.kind = static_cast<core::queue_action_kind>(m.kind);
  row.filter.type = m.filter.type;
  row.filter.key = m.filter.key;
  row.filter.error_code = m.filter.error_code;
  row.filter.scope = scope_of(m.filter.status).value_or(core::queue_action_scope::all);
  row.filter.created_from = m.filter.created_from;
  row.filter.created_before = m.filter.created_before;
  return row;
}

inline msg::queue_action_view view_of(const core::queue_action_row& row) {
  msg::queue_action_view view;
  view.queue = row.queue;
  view.action = row.id;
  view.kind = static_cast<std::uint8_t>(row.kind);
  view.filter = {row.filter.type,       row.filter.key,          status_of(row.filter.scope),
                 row.filter.error_code, row.filter.created_from, row.filter.created_before};
  view.status = static_cast<std::uint8_t>(row.status);
  view.matched = row.counts.matched();
  view.changed = row.counts.changed;
  view.unchanged = row.counts.unchanged;
  for (const auto& [code, tasks] : row.counts.refusals)
    view.refusals.push_back({code, tasks});
  view.asked_by = row.asked_by;
  view.asked_at = row.asked_at;
  view.changed_at = row.changed_at;
  view.problem = row.problem;
  return view;
}

/// The search for the next tasks that an action is about, behind its bookmark.
inline persistence::task_filter search_of(const core::queue_action_row& action,
                                          std::uint32_t limit) {
  using core::queue_action_scope;
  const auto scope = action.filter.scope;
  const bool redrives = action.kind == core::queue_action_kind::redrive;
  persistence::task_filter filter;
  filter.queue = action.queue;
  filter.type = action.filter.type;
  filter.key = action.filter.key;
  filter.error_code = action.filter.error_code;
  filter.waiting = !redrives && scope != queue_action_scope::leased;
  filter.leased = !redrives && scope != queue_action_scope::waiting;
  if (redrives && scope != queue_action_scope::dead)
    filter.endings.push_back(core::task_ending::failed);
  if (redrives && scope != queue_action_scope::failed)
    filter.endings.push_back(core::task_ending::dead);
  filter.created_from = action.filter.created_from;
  filter.created_before = core::created_limit(action);
  filter.after = action.bookmark;
  filter.limit = limit;
  return filter;
}

inline core::failure check(const msg::get_queue_action& m) {
  return first_of({check_queue(m.queue), check_id(m.action, "action")});
}
inline core::outcome<msg::queue_action_view> answer(const node_settings&, persistence::store& db,
                                                    const msg::get_queue_action& m) {
  const auto found = db.find_queue_action(m.queue, m.action);
  if (!found)
    return found.error();
  return view_of(*found);
}

inline core::failure check(const msg::list_queue_actions& m) {
  return first_of({check_queue(m.queue), check_limit(m.limit, queue_actions_page_max)});
}
inline core::outcome<msg::queue_action_page> answer(const node_settings&, persistence::store& db,
                                                    const msg::list_queue_actions& m) {
  // One more than is shown tells whether there are others.
  auto found = db.list_queue_actions(m.queue, m.after, m.limit + 1);
  if (!found)
    return found.error();
  msg::queue_action_page page;
  page.more = found->size() > m.limit;
  if (page.more)
    found->resize(m.limit);
  for (const auto& row : *found)
    page.actions.push_back(view_of(row));
  return page;
}

} // namespace holdfast::actors
