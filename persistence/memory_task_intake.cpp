// The part of `memory_store` that is about tasks which producers stage: what
// postgres_task_intake.cpp does, and the SQL functions of 0038_enqueue_answers_truly.sql.

#include "persistence/memory_store.hpp"
#include "persistence/memory_task_changes.hpp"

#include <algorithm>
#include <optional>

namespace holdfast::persistence {

namespace {

/// The queue that has a task of this id, live or finished; empty: none.
core::queue_name queue_of(const memory::tables& t, const core::task_id& task) {
  if (const auto live = t.tasks.find(task); live != t.tasks.end())
    return live->second.queue;
  const auto over = t.finished_tasks.find(task);
  return over == t.finished_tasks.end() ? core::queue_name{} : over->second.task.queue;
}

/// The same, of those that are staged and not refused as well.
core::queue_name home_of(const memory::tables& t, const core::task_id& task) {
  for (const auto& [id, row] : t.task_intake)
    if (!row.refused && row.task.spec.id == task)
      return row.queue;
  return queue_of(t, task);
}

/// The task of the queue that has this unique key, live or staged.
std::optional<core::task_id> holder_of(const memory::tables& t, const core::queue_name& queue,
                                       const std::string& key) {
  if (key.empty())
    return std::nullopt;
  for (const auto& [id, row] : t.tasks)
    if (row.queue == queue && row.spec.unique_key == key)
      return id;
  for (const auto& [id, row] : t.task_intake)
    if (!row.refused && row.queue == queue && row.task.spec.unique_key == key)
      return row.task.spec.id;
  return std::nullopt;
}

} // namespace

core::outcome<core::task_id> memory_database::stage(const core::queue_name& queue,
                                                    core::new_task task) {
  const auto id = task.spec.id;
  {
    const std::lock_guard lock{mutex_};
    if (!reachable_)
      return memory::unreachable;
    if (tables_.queues.count(queue) == 0)
      return core::failure{core::errc::not_found, "there is no queue " + queue};
    const auto home = home_of(tables_, id);
    if (home == queue)
      return id;
    if (!home.empty())
      return core::failure{core::errc::already_exists, "the queue " + home + " has this task"};
    if (const auto holder = holder_of(tables_, queue, task.spec.unique_key)) {
      if (task.conflict == core::on_conflict::keep)
        return *holder;
      return core::failure{core::errc::already_exists,
                           "task " + core::to_string(*holder)
                               + " is live and has the same unique key"};
    }
  }
  insert_staged(queue, std::move(task));
  return id;
}

void memory_database::insert_staged(const core::queue_name& queue, core::new_task task) {
  const std::lock_guard lock{mutex_};
  tables_.task_intake.emplace(++tables_.last_staged,
                              memory::staged_row{queue, std::move(task), clock_(), std::nullopt});
}

void memory_database::delete_staged(core::staging_id id) {
  const std::lock_guard lock{mutex_};
  tables_.task_intake.erase(id);
}

core::outcome<std::vector<core::queue_name>> memory_store::queues_with_staged() {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::set<core::queue_name> queues;
  for (const auto& [id, row] : database_->tables_.task_intake)
    if (!row.refused)
      queues.insert(row.queue);
  return std::vector<core::queue_name>{queues.begin(), queues.end()};
}

core::outcome<staged_page> memory_store::load_staged(const core::queue_name& queue,
                                                     std::uint32_t limit, std::size_t bytes_most) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  staged_page page;
  std::size_t bytes = 0;
  for (const auto& [id, row] : t.task_intake) {
    if (row.queue != queue || row.refused)
      continue;
    if (page.tasks.size() == limit || (bytes > 0 && bytes >= bytes_most)) {
      page.more = true;
      return page;
    }
    if (database_->damaged_staged_ && database_->damaged_staged_(id)) {
      page.tasks.push_back({id, {}, {core::errc::damaged, "XX001: the row is damaged"}, {}});
      continue;
    }
    bytes += row.task.spec.body.size() + row.task.data.size();
    page.tasks.push_back({id, row.task, {}, queue_of(t, row.task.spec.id)});
  }
  page.more = page.tasks.size() == limit;
  return page;
}

core::outcome<staged_counts> memory_store::count_staged(const core::queue_name& queue) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  if (t.queues.count(queue) == 0)
    return core::failure{core::errc::not_found, "no such queue"};
  staged_counts counts;
  core::instant last;
  for (const auto& [id, row] : t.task_intake) {
    if (row.queue != queue)
      continue;
    if (!row.refused) {
      counts.staged_since = counts.staged++ == 0 ? row.at : std::min(counts.staged_since, row.at);
      continue;
    }
    ++counts.refused;
    counts.unreadable += row.refused->code == core::errc::damaged ? 1U : 0U;
    if (row.refused->at >= last) {
      last = row.refused->at;
      counts.last_refusal =
          std::string{core::to_string(row.refused->code)} + ": " + row.refused->detail;
    }
  }
  return counts;
}

core::outcome<bool> memory_store::publish_limits(const document_limits& limits) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  if (database_->tables_.shards.empty())
    return core::failure{core::errc::not_found, "the database has no shards yet"};
  database_->tables_.limits = limits;
  return true;
}

core::outcome<std::uint32_t> memory_store::prune_refused(core::shard_id shard,
                                                         core::incarnation_id incarnation,
                                                         const core::queue_name& queue,
                                                         core::instant refused_before,
                                                         std::uint32_t rows) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (!memory::hosts(t, shard, incarnation))
    return memory::not_the_host;
  std::uint32_t gone = 0;
  for (auto row = t.task_intake.begin(); row != t.task_intake.end() && gone < rows;) {
    const auto& [at_queue, task, at, refused] = row->second;
    if (at_queue == queue && refused && refused->code != core::errc::damaged
        && refused->at < refused_before) {
      row = t.task_intake.erase(row);
      ++gone;
    } else {
      ++row;
    }
  }
  return gone;
}

namespace memory {

void task_changes::operator()(const core::take_staged& w) {
  for (const auto id : w.staged) {
    const auto found = t_.task_intake.find(id);
    require(found != t_.task_intake.end() && !found->second.refused,
            "22012: the staged task is not there");
    erase(t_.task_intake, found);
  }
}

void task_changes::operator()(const core::refuse_staged& w) {
  require_text(w.detail);
  require_instant(w.at);
  auto& row = change(t_.task_intake, w.staged);
  require(!row.refused, "22012: the staged task is refused already");
  row.refused = w;
}

void task_changes::operator()(const core::stage_task& w) {
  const auto& spec = w.task.spec;
  for (const auto* text : {&w.queue, &spec.type, &spec.version, &spec.body, &w.task.state,
                           &w.task.data, &spec.key, &spec.credential, &spec.unique_key,
                           &spec.owner_id, &spec.run_as_id, &spec.trace_id, &spec.span_id})
    require_text(*text);
  require_integer(spec.max_attempts);
  require_instant(w.task.run_at);
  const bool there =
      std::any_of(t_.task_intake.begin(), t_.task_intake.end(), [&](const auto& entry) {
        return !entry.second.refused && entry.second.task.spec.id == spec.id;
      });
  require(!there, "23505: a task of this id is staged");
  const bool taken =
      !spec.unique_key.empty()
      && std::any_of(t_.task_intake.begin(), t_.task_intake.end(), [&](const auto& entry) {
           return !entry.second.refused && entry.second.queue == w.queue
                  && entry.second.task.spec.unique_key == spec.unique_key;
         });
  require(!taken, "23505: a task of this unique key is staged");
  insert(t_.task_intake, ++t_.last_staged, staged_row{w.queue, w.task, spec.created_at, {}});
}

} // namespace memory

} // namespace holdfast::persistence
