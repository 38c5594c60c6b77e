#pragma once

#include "actors/attempts_view.hpp"
#include "actors/node_settings.hpp"
#include "actors/request_checks.hpp"
#include "actors/task_search.hpp"
#include "actors/task_status.hpp"
#include "core/outcome.hpp"
#include "messages/task_messages.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Requests about tasks and queues that the database answers: the check of each, and its answer,
/// which a reader makes.
namespace holdfast::actors {

inline constexpr std::uint32_t tasks_page_max = 1000;
inline constexpr std::uint32_t attempts_page_max = 1000;

inline core::failure check(const msg::list_queues&) { return {}; }
inline core::outcome<msg::queue_list> answer(const node_settings&, persistence::store& db,
                                             const msg::list_queues& m) {
  auto rows = db.list_queues();
  if (!rows)
    return rows.error();
  msg::queue_list list;
  for (auto& row : *rows)
    if (row.name.compare(0, m.prefix.size(), m.prefix) == 0)
      list.queues.push_back({row.name, std::move(row.definition), row.paused,
                             std::move(row.paused_types), row.revision});
  return list;
}

inline core::failure check(const msg::get_queue_statistics& m) { return check_queue(m.queue); }
inline core::outcome<msg::queue_statistics> answer(const node_settings&, persistence::store& db,
                                                   const msg::get_queue_statistics& m) {
  const auto counts = db.count_tasks(m.queue);
  if (!counts)
    return counts.error();
  return msg::queue_statistics{counts->live,   counts->leased,   counts->completed,
                               counts->failed, counts->canceled, counts->dead};
}

inline core::failure check(const msg::get_queue_intake& m) { return check_queue(m.queue); }
inline core::outcome<msg::queue_intake> answer(const node_settings&, persistence::store& db,
                                               const msg::get_queue_intake& m) {
  auto counts = db.count_staged(m.queue);
  if (!counts)
    return counts.error();
  return msg::queue_intake{counts->staged, counts->staged_since, counts->refused,
                           counts->unreadable, std::move(counts->last_refusal)};
}

inline msg::task_view view_of(const persistence::task_history& history) {
  const auto& spec = history.live ? history.live->spec : history.finished->spec;
  const auto& progress = history.live ? history.live->progress : history.finished->progress;
  msg::task_view view;
  view.task = spec.id;
  view.queue = history.queue;
  view.type = spec.type;
  view.version = spec.version;
  view.body = spec.body;
  view.state = progress.state;
  view.data = progress.data;
  view.status = status_of(history);
  view.percent = progress.percent;
  view.attempts = progress.attempts;
  view.crashes = progress.crashes;
  view.paused = progress.paused;
  view.priority = spec.priority;
  view.owner_id = spec.owner_id;
  view.run_as_id = spec.run_as_id;
  view.created_at = spec.created_at;
  view.next_action = progress.next_action;
  view.last_change = progress.last_change;
  view.last_action = progress.last_action;
  if (history.live && history.live->held() != nullptr)
    view.worker = history.live->held()->owner;
  if (history.finished) {
    view.result = history.finished->result;
    view.error_code = history.finished->error.code;
    view.finished_at = history.finished->finished_at;
  }
  return view;
}

inline core::failure check(const msg::get_task& m) { return check_id(m.task, "task"); }
inline core::outcome<msg::task_view> answer(const node_settings&, persistence::store& db,
                                            const msg::get_task& m) {
  const auto history = db.load_task(m.task);
  if (!history)
    return history.error();
  return view_of(*history);
}
/// The texts of the view that may be in the object store.
inline std::vector<std::string*> payloads_of(msg::task_view& view) {
  return {&view.body, &view.data, &view.result};
}

inline msg::task_summary summary_of(const persistence::listed_task& task) {
  const auto& spec = task.spec;
  const auto& progress = task.progress;
  return {spec.id,
          task.queue,
          spec.type,
          spec.version,
          progress.state,
          task.ending ? status_after(*task.ending) : status_of_live(!task.worker.empty()),
          progress.percent,
          progress.attempts,
          progress.crashes,
          progress.paused,
          spec.priority,
          spec.owner_id,
          spec.run_as_id,
          task.worker,
          task.error_code,
          spec.created_at,
          progress.next_action,
          progress.last_change,
          progress.last_action,
          task.finished_at};
}

inline core::failure check(const msg::list_tasks& m) {
  return first_of(
      {m.queue.empty() ? core::failure{} : check_queue(m.queue),
       documents::check_word(m.type, "type"), documents::check_word(m.owner_id, "owner_id"),
       m.status.empty() || is_task_status(m.status)
           ? core::failure{}
           : invalid("status must be QUEUED, EXECUTING, COMPLETED, CANCELED, FAILURE or ERROR"),
       m.created_from >= core::instant{} && m.created_before >= core::instant{}
           ? core::failure{}
           : invalid("created_from and created_before must not be before 1970"),
       check_limit(m.limit, tasks_page_max)});
}
/// The members that all lists of tasks have.
template <class Request>
persistence::task_filter filter_of(const Request& m) {
  persistence::task_filter filter;
  filter.queue = m.queue;
  filter.type = m.type;
  filter.owner_id = m.owner_id;
  const auto wanted = [&](const std::string& status) {
    return m.status.empty() || m.status == status;
  };
  filter.waiting = wanted(status_of_live(false));
  filter.leased = wanted(status_of_live(true));
  for (const auto ending : every_ending)
    if (wanted(status_after(ending)))
      filter.endings.push_back(ending);
  filter.created_from = m.created_from;
  if (m.created_before != core::instant{})
    filter.created_before = m.created_before;
  filter.after = m.after;
  filter.limit = m.limit;
  return filter;
}

inline msg::task_page page_of(const persistence::listed_tasks& found) {
  msg::task_page page{{}, found.last, found.more};
  for (const auto& task : found.tasks)
    page.tasks.push_back(summary_of(task));
  return page;
}

inline core::outcome<msg::task_page> answer(const node_settings&, persistence::store& db,
                                            const msg::list_tasks& m) {
  const auto found = db.list_tasks(filter_of(m));
  if (!found)
    return found.error();
  return page_of(*found);
}

inline core::failure check(const msg::search_tasks& m) {
  return first_of(
      {check(msg::list_tasks{m.queue, m.type, m.status, m.owner_id, m.created_from,
                             m.created_before, m.after, m.limit}),
       documents::check_word(m.key, "key"), documents::check_word(m.error_code, "error_code"),
       m.order == 1 || m.order == 2 ? core::failure{}
                                    : invalid("order must be 1 (oldest) or 2 (newest)")});
}

inline core::outcome<msg::task_page> answer(const node_settings&, persistence::store& db,
                                            const msg::search_tasks& m) {
  auto filter = filter_of(m);
  filter.key = m.key;
  filter.error_code = m.error_code;
  filter.newest_first = m.order == 2;
  const auto found = look_through(db, std::move(filter));
  if (!found)
    return found.error();
  return page_of(*found);
}

inline core::failure check(const msg::get_task_attempts& m) {
  return first_of(
      {check_id(m.task, "task"),
       m.after <= bigint_max ? core::failure{} : invalid("after must be between 0 and 2^63 - 1"),
       check_limit(m.limit, attempts_page_max)});
}
inline core::outcome<msg::task_attempts> answer(const node_settings&, persistence::store& db,
                                                const msg::get_task_attempts& m) {
  // One more than is shown tells whether there are others.
  auto found = db.list_attempts(m.task, m.after, m.limit + 1);
  if (!found)
    return found.error();
  return to_view(m.task, std::move(*found), m.limit);
}

} // namespace holdfast::actors
