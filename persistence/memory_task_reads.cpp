// The reads of `memory_store` that are about queues and tasks.

#include "core/mended_text.hpp"
#include "persistence/memory_store.hpp"
#include "persistence/undeletable.hpp"

#include <algorithm>
#include <map>

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

bool is_rate_limited(const memory::tables& t, const core::task& task) {
  const auto [begin, end] = memory::rows_of(t.task_attempts, task.spec.id);
  if (task.held() != nullptr || begin == end)
    return false;
  const auto& last = std::prev(end)->second;
  return last.ending == to_string(core::attempt_ending::rate_limited)
         && last.at == task.progress.last_action;
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

listed_task listed(const memory::live_task_row& row) {
  listed_task task;
  task.queue = row.queue;
  task.spec = row.spec;
  for (auto* text :
       {&task.spec.body, &task.spec.trace_id, &task.spec.span_id, &task.spec.unique_key})
    text->clear();
  task.progress = row.progress;
  task.progress.data.clear();
  task.progress.execution_state.clear();
  task.progress.failures = 0;
  task.progress.ejection = {};
  task.progress.saved_under = task.progress.saved_number = 0;
  task.progress.pauses = task.progress.idle_releases = 0;
  return task;
}

listed_task listed_live(const memory::tables& t, const memory::live_task_row& row) {
  auto task = listed(row);
  if (const auto lease = t.task_leases.find(row.spec.id); lease != t.task_leases.end())
    task.worker = lease->second.owner;
  return task;
}

listed_task listed_finished(const memory::finished_task_row& row) {
  auto task = listed(row.task);
  task.ending = row.ending;
  task.error_code = row.error.code;
  task.finished_at = row.at;
  return task;
}

bool wants(const task_filter& filter, const listed_task& task) {
  const auto& spec = task.spec;
  const auto& endings = filter.endings;
  const bool in_state =
      task.ending ? std::find(endings.begin(), endings.end(), *task.ending) != endings.end()
                  : (task.worker.empty() ? filter.waiting : filter.leased);
  return in_state && (filter.queue.empty() || task.queue == filter.queue)
         && (filter.type.empty() || spec.type == filter.type)
         && (filter.key.empty() || spec.key == filter.key)
         && (filter.error_code.empty() || (task.ending && task.error_code == filter.error_code))
         && spec.created_at >= filter.created_from
         && (!filter.created_before || spec.created_at < *filter.created_before);
}

/// Every attempt of the task, the running one included, in order of token. Tests write equal
/// tokens, too: the order of these is that of the other store.
std::vector<task_attempt> attempts_of(const memory::tables& t, const core::task_id& task) {
  std::vector<task_attempt> attempts;
  const auto [begin, end] = memory::rows_of(t.task_attempts, task);
  for (auto row = begin; row != end; ++row)
    attempts.push_back({row->second.lease, row->second.ending, row->second.error, row->second.at});
  if (const auto over = t.finished_tasks.find(task);
      over != t.finished_tasks.end() && over->second.lease)
    attempts.push_back({*over->second.lease, std::string{to_string(over->second.ending)},
                        over->second.error, over->second.at});
  if (const auto lease = t.task_leases.find(task); lease != t.task_leases.end())
    attempts.push_back({lease->second, {}, {}, {}});
  std::stable_sort(
      attempts.begin(), attempts.end(),
      [](const task_attempt& a, const task_attempt& b) { return a.lease.token < b.lease.token; });
  return attempts;
}

/// As PostgreSQL's `left` counts them.
std::string first_characters(const std::string& text, std::uint32_t most) {
  std::size_t end = 0;
  for (std::uint32_t i = 0; i < most && end < text.size(); ++i)
    end += std::max<std::size_t>(core::utf8_length(text, end), 1);
  return text.substr(0, end);
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
    if (row.queue == queue) {
      if (database_->damaged_tasks_ && database_->damaged_tasks_(id)) {
        loaded.unreadable.push_back({id, row.spec.unique_key, "injected: invalid page in block 7"});
        continue;
      }
      loaded.tasks.push_back(read_live(t, row));
      if (is_rate_limited(t, loaded.tasks.back()))
        loaded.rate_limited.push_back(id);
    }
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

core::outcome<std::vector<removed_queue>> memory_store::list_removed_queues() {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<removed_queue> queues;
  for (const auto& [name, row] : database_->tables_.removed_queues)
    queues.push_back(row);
  return queues;
}

core::outcome<bool> memory_store::forget_removed(core::shard_id shard,
                                                 core::incarnation_id incarnation,
                                                 const core::queue_name& queue,
                                                 core::instant removed_before) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (!memory::hosts(t, shard, incarnation))
    return memory::not_the_host;
  const auto removed = t.removed_queues.find(queue);
  if (removed == t.removed_queues.end() || removed->second.removed_at >= removed_before)
    return false;
  const bool is_staged = std::any_of(t.task_intake.begin(), t.task_intake.end(),
                                     [&](const auto& row) { return row.second.queue == queue; });
  const bool has_finished =
      std::any_of(t.finished_tasks.begin(), t.finished_tasks.end(),
                  [&](const auto& row) { return row.second.task.queue == queue; });
  if (is_staged || has_finished)
    return false;
  t.removed_queues.erase(removed);
  return true;
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
           && (filter.error_code.empty() || row.error.code == filter.error_code)
           && (filter.only.empty()
               || std::find(filter.only.begin(), filter.only.end(), row.task.spec.id)
                      != filter.only.end());
  };
  std::vector<finished_task> tasks;
  for (auto entry = t.finished_tasks.upper_bound(filter.after);
       entry != t.finished_tasks.end() && tasks.size() < filter.limit; ++entry)
    if (wanted(entry->second)) {
      tasks.emplace_back();
      if (database_->damaged_tasks_ && database_->damaged_tasks_(entry->first)) {
        tasks.back().spec.id = entry->first;
        tasks.back().error.detail = memory::row_is_damaged;
      } else {
        tasks.back() = read_finished(t, entry->second);
      }
    }
  return tasks;
}

core::outcome<listed_tasks> memory_store::list_tasks(const task_filter& filter) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  // As the statement of the other store has it: what the index does not find is not looked at.
  const auto failed = [](core::task_ending ending) {
    return ending == core::task_ending::failed || ending == core::task_ending::dead;
  };
  const auto& endings = filter.endings;
  const bool only_failed = filter.owner_id.empty() && !filter.queue.empty()
                           && std::all_of(endings.begin(), endings.end(), failed);
  const auto owned = [&](const memory::live_task_row& row) {
    return filter.owner_id.empty() || row.spec.owner_id == filter.owner_id;
  };
  const auto is_behind = [&](const core::task_id& id) {
    return filter.newest_first ? !filter.after || id < filter.after : filter.after < id;
  };
  std::vector<std::pair<core::task_id, listed_task>> slice;
  if (filter.waiting || filter.leased)
    for (const auto& [id, row] : t.tasks)
      if (is_behind(id) && owned(row))
        slice.emplace_back(id, listed_live(t, row));
  if (!endings.empty())
    for (const auto& [id, row] : t.finished_tasks)
      if (is_behind(id) && owned(row.task)
          && (!only_failed || (row.task.queue == filter.queue && failed(row.ending))))
        slice.emplace_back(id, listed_finished(row));
  std::sort(slice.begin(), slice.end(), [&](const auto& a, const auto& b) {
    return filter.newest_first ? b.first < a.first : a.first < b.first;
  });
  listed_tasks page;
  page.last = filter.after;
  std::uint32_t looked = 0;
  for (auto& [id, task] : slice) {
    if (looked++ == filter.looks) {
      page.more = true;
      break;
    }
    if (wants(filter, task)) {
      if (page.tasks.size() == filter.limit) {
        page.last = page.tasks.back().spec.id;
        page.more = true;
        return page;
      }
      page.tasks.push_back(std::move(task));
    }
    page.last = id;
  }
  page.more = looked >= filter.looks;
  return page;
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

core::outcome<recorded_attempts> memory_store::list_attempts(core::task_id task, core::token after,
                                                             std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  if (database_->damaged_tasks_ && database_->damaged_tasks_(task))
    return core::failure{core::errc::refused_by_store, "injected: invalid page in block 7"};
  const auto& t = database_->tables_;
  const auto live = t.tasks.find(task);
  const auto finished = t.finished_tasks.find(task);
  if (live == t.tasks.end() && finished == t.finished_tasks.end())
    return core::failure{core::errc::not_found, "no such task"};
  recorded_attempts found;
  found.queue = live != t.tasks.end() ? live->second.queue : finished->second.task.queue;
  for (auto& attempt : attempts_of(t, task)) {
    if (attempt.lease.token <= after)
      continue;
    if (found.attempts.size() == limit)
      break;
    found.attempts.push_back({std::move(attempt), 0, {}});
    auto& recorded = found.attempts.back();
    for (const auto& late : t.late_results)
      if (late.task == task && late.token == recorded.attempt.lease.token
          && ++recorded.late <= late_results_most)
        recorded.first_late.push_back({late.worker, late.outcome,
                                       first_characters(late.detail, late_characters_most),
                                       late.at});
  }
  return found;
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
  std::vector<std::string> left;
  for (auto row = t.finished_tasks.begin(); row != t.finished_tasks.end() && gone < rows;) {
    if (row->second.task.queue != queue || row->second.at >= ended_before) {
      ++row;
      continue;
    }
    const auto id = row->first;
    if (database_->damaged_tasks_ && database_->damaged_tasks_(id)) {
      left.push_back(to_string(id));
      ++row;
      continue;
    }
    const auto [begin, end] = memory::rows_of(t.task_attempts, id);
    t.task_attempts.erase(begin, end);
    t.late_results.erase(std::remove_if(t.late_results.begin(), t.late_results.end(),
                                        [&](const auto& late) { return late.task == id; }),
                         t.late_results.end());
    row = t.finished_tasks.erase(row);
    ++gone;
  }
  if (!left.empty() && gone < rows)
    return cannot_be_deleted("finished tasks", left, memory::row_is_damaged);
  return gone;
}

} // namespace holdfast::persistence
