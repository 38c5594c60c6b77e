// The reads of `memory_store` that are about queues and tasks.

#include "persistence/memory_store.hpp"

#include <algorithm>

namespace holdfast::persistence {

namespace {

const core::failure no_such_queue{core::errc::not_found, "no such queue"};

core::token last_attempt(const memory::tables& t, const core::task_id& task) {
  const auto [begin, end] = memory::rows_of(t.task_attempts, task);
  return begin == end ? core::token{0} : std::prev(end)->first.second;
}

core::task read_live(const memory::tables& t, const memory::live_task_row& row) {
  core::task task{row.spec, row.progress, {}};
  task.leases.last_token = last_attempt(t, row.spec.id);
  if (const auto lease = t.task_leases.find(row.spec.id); lease != t.task_leases.end()) {
    task.leases.active.push_back(lease->second);
    task.leases.last_token = std::max(task.leases.last_token, lease->second.token);
  }
  return task;
}

finished_task read_finished(const memory::tables& t, const memory::finished_task_row& row) {
  const auto last = last_attempt(t, row.task.spec.id);
  return {row.task.queue,
          row.task.spec,
          row.task.progress,
          row.ending,
          row.lease ? std::max(last, row.lease->token) : last,
          row.result,
          row.error,
          row.at};
}

} // namespace

core::outcome<stored_queue> memory_store::load_queue(const core::queue_name& queue) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto found = t.queues.find(queue);
  if (found == t.queues.end())
    return no_such_queue;
  stored_queue loaded{found->second, {}, {}};
  for (const auto& [id, row] : t.tasks)
    if (row.queue == queue)
      loaded.tasks.push_back(read_live(t, row));
  const auto [begin, end] = memory::rows_of(t.schedules, queue);
  for (auto row = begin; row != end; ++row)
    loaded.schedules.push_back(row->second);
  return loaded;
}

core::outcome<std::vector<core::put_queue>> memory_store::list_queues() {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<core::put_queue> queues;
  for (const auto& [name, row] : database_->tables_.queues)
    queues.push_back(row);
  return queues;
}

core::outcome<std::vector<known_task>>
memory_store::find_tasks(const std::vector<core::task_id>& tasks) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<known_task> found;
  const auto& t = database_->tables_;
  for (const auto& id : tasks)
    if (const auto live = t.tasks.find(id); live != t.tasks.end())
      found.push_back({id, live->second.queue, true});
    else if (const auto over = t.finished_tasks.find(id); over != t.finished_tasks.end())
      found.push_back({id, over->second.task.queue, false});
  return found;
}

core::outcome<std::vector<finished_task>>
memory_store::list_finished(const finished_filter& filter) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto wanted = [&](const memory::finished_task_row& row) {
    const auto& endings = filter.endings;
    return row.task.queue == filter.queue
           && (endings.empty()
               || std::find(endings.begin(), endings.end(), row.ending) != endings.end())
           && (filter.type.empty() || row.task.spec.type == filter.type)
           && (filter.error_code.empty() || row.error.code == filter.error_code);
  };
  std::vector<finished_task> tasks;
  for (auto entry = t.finished_tasks.upper_bound(filter.after);
       entry != t.finished_tasks.end() && tasks.size() < filter.limit; ++entry)
    if (wanted(entry->second))
      tasks.push_back(read_finished(t, entry->second));
  return tasks;
}

core::outcome<task_history> memory_store::load_task(core::task_id task) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  if (database_->damaged_tasks_ && database_->damaged_tasks_(task))
    return core::failure{core::errc::refused_by_store, "injected: invalid page in block 7"};
  const auto& t = database_->tables_;
  task_history history;
  const auto [begin, end] = memory::rows_of(t.task_attempts, task);
  for (auto row = begin; row != end; ++row) {
    const auto& attempt = row->second;
    history.attempts.push_back({attempt.lease, attempt.ending, attempt.error, attempt.at});
  }
  if (const auto live = t.tasks.find(task); live != t.tasks.end()) {
    history.queue = live->second.queue;
    history.live = read_live(t, live->second);
    return history;
  }
  const auto finished = t.finished_tasks.find(task);
  if (finished == t.finished_tasks.end())
    return core::failure{core::errc::not_found, "no such task"};
  const auto& row = finished->second;
  history.queue = row.task.queue;
  history.finished = read_finished(t, row);
  if (row.lease)
    history.attempts.push_back({*row.lease, std::string{to_string(row.ending)}, row.error, row.at});
  return history;
}

core::outcome<queue_counts> memory_store::count_tasks(const core::queue_name& queue) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  if (t.queues.count(queue) == 0)
    return no_such_queue;
  queue_counts counted;
  for (const auto& [id, row] : t.tasks)
    if (row.queue == queue) {
      ++counted.live;
      counted.leased += t.task_leases.count(id);
    }
  for (const auto& [id, row] : t.finished_tasks)
    if (row.task.queue == queue) {
      counted.completed += row.ending == core::task_ending::completed ? 1 : 0;
      counted.failed += row.ending == core::task_ending::failed ? 1 : 0;
      counted.canceled += row.ending == core::task_ending::canceled ? 1 : 0;
      counted.dead += row.ending == core::task_ending::dead ? 1 : 0;
    }
  return counted;
}

core::outcome<due_page> memory_store::find_due(core::task_id after, core::instant due_before,
                                               std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  due_page page;
  std::uint32_t looked = 0;
  for (auto row = t.tasks.upper_bound(after); row != t.tasks.end() && looked < limit; ++row) {
    const auto& progress = row->second.progress;
    if (progress.next_action < due_before && !progress.paused
        && t.task_leases.count(row->first) == 0)
      page.due.push_back({row->first, row->second.queue});
    if (++looked == limit)
      page.last = row->first;
  }
  return page;
}

core::outcome<std::uint32_t> memory_store::prune_tasks(core::shard_id shard,
                                                       core::incarnation_id incarnation,
                                                       const core::queue_name& queue,
                                                       core::instant ended_before,
                                                       std::uint32_t rows) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (!memory::hosts(t, shard, incarnation))
    return memory::not_the_host;
  std::uint32_t gone = 0;
  for (auto row = t.finished_tasks.begin(); row != t.finished_tasks.end() && gone < rows;) {
    if (row->second.task.queue != queue || row->second.at >= ended_before) {
      ++row;
      continue;
    }
    const auto id = row->first;
    const auto [begin, end] = memory::rows_of(t.task_attempts, id);
    t.task_attempts.erase(begin, end);
    t.late_results.erase(std::remove_if(t.late_results.begin(), t.late_results.end(),
                                        [&](const auto& late) { return late.task == id; }),
                         t.late_results.end());
    row = t.finished_tasks.erase(row);
    ++gone;
  }
  return gone;
}

} // namespace holdfast::persistence
