#include "persistence/memory_task_changes.hpp"

#include <algorithm>

namespace holdfast::persistence::memory {

namespace {

bool is_queue_name(const std::string& name) {
  return !name.empty() && name.size() <= 64
         && name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_.-") == std::string::npos;
}

void check(const core::task_progress& p) {
  for (const auto* text : {&p.state, &p.data, &p.execution_state})
    require_text(*text);
  for (const auto at : {p.next_action, p.last_change, p.last_action})
    require_instant(at);
  require_integer(p.attempts);
  require_integer(p.crashes);
  require_integer(p.failures);
  require_integer(p.pauses);
  require_integer(p.idle_releases);
  require_bigint(p.saved_under);
  require_bigint(p.saved_number);
  require(!p.state.empty(), "23514: a task is in a state");
  require(p.percent <= 100, "23514: progress is between 0 and 100 percent");
}

/// What is kept of a task only while it lives.
core::task_progress without_past(core::task_progress p) {
  p.failures = 0;
  p.ejection = {};
  p.saved_under = p.saved_number = 0;
  p.pauses = p.idle_releases = 0;
  return p;
}

void check(const core::task_spec& s) {
  for (const auto* text : {&s.type, &s.version, &s.body, &s.trace_id, &s.span_id, &s.key,
                           &s.credential, &s.unique_key, &s.owner_id, &s.run_as_id})
    require_text(*text);
  require_instant(s.created_at);
  require_integer(s.max_attempts);
  require(!s.type.empty(), "23514: a task has a type");
}

void check(const core::task_error& error) {
  require_text(error.code);
  require_text(error.detail);
}

} // namespace

void task_changes::operator()(const core::put_queue& w) {
  require(is_queue_name(w.name), "23514: a queue's name is 1 to 64 of a-z 0-9 _ . -");
  require_text(w.definition);
  for (const auto& type : w.paused_types)
    require_text(type);
  require_bigint(w.revision);
  require(w.revision > 0, "23514: revisions begin at 1");
  require_instant(w.at);
  put(t_.queues, w.name, w);
  if (const auto removed = t_.removed_queues.find(w.name); removed != t_.removed_queues.end())
    erase(t_.removed_queues, removed);
}

void task_changes::operator()(const core::delete_queue& w) {
  require_text(w.name);
  require_instant(w.at);
  const auto found = t_.queues.find(w.name);
  require(found != t_.queues.end(), "22012: the queue does not exist");
  const bool has_tasks = std::any_of(t_.tasks.begin(), t_.tasks.end(),
                                     [&](const auto& task) { return task.second.queue == w.name; });
  require(!has_tasks, "22012: the queue has live tasks");
  put(t_.removed_queues, w.name, removed_queue{w.name, found->second.definition, w.at});
  for (auto row = t_.schedules.lower_bound({w.name, {}});
       row != t_.schedules.end() && row->first.first == w.name;)
    erase(t_.schedules, row++);
  for (auto row = t_.queue_actions.lower_bound({w.name, {}});
       row != t_.queue_actions.end() && row->first.first == w.name;)
    erase(t_.queue_actions, row++);
  erase(t_.queues, found);
}

void task_changes::operator()(const core::put_schedule_row& w) {
  require_text(w.name);
  require_text(w.definition);
  require_bigint(w.revision);
  for (const auto at : {w.created_at, w.handled_until, w.last_made, w.at})
    require_instant(at);
  require(t_.queues.count(w.queue) != 0, "22012: the schedule's queue does not exist");
  require(!w.name.empty() && w.name.size() <= 128, "23514: a schedule's name has 1 to 128 bytes");
  require(w.revision > 0, "23514: revisions begin at 1");
  put(t_.schedules, {w.queue, w.name}, w);
}

void task_changes::operator()(const core::delete_schedule_row& w) {
  require_text(w.queue);
  require_text(w.name);
  if (const auto found = t_.schedules.find({w.queue, w.name}); found != t_.schedules.end())
    erase(t_.schedules, found);
}

void task_changes::operator()(const core::put_queue_action& w) {
  const auto& row = w.row;
  for (const auto* text :
       {&row.filter.type, &row.filter.key, &row.filter.error_code, &row.asked_by, &row.problem})
    require_text(*text);
  for (const auto at :
       {row.asked_at, row.changed_at, row.filter.created_from, row.filter.created_before})
    require_instant(at);
  for (const auto number : {row.counts.changed, row.counts.unchanged, row.counts.refused()})
    require_bigint(number);
  require(t_.queues.count(row.queue) != 0, "23503: the action's queue does not exist");
  if (t_.queue_actions.count({row.queue, row.id}) == 0)
    return insert(t_.queue_actions, {row.queue, row.id}, row);
  auto& known = change(t_.queue_actions, {row.queue, row.id});
  known.status = row.status;
  known.bookmark = row.bookmark;
  known.counts = row.counts;
  known.changed_at = row.changed_at;
  known.problem = row.problem;
}

void task_changes::operator()(const core::forget_queue_actions& w) {
  require_text(w.queue);
  std::vector<std::pair<core::instant, core::queue_action_id>> ended;
  for (auto row = t_.queue_actions.lower_bound({w.queue, {}});
       row != t_.queue_actions.end() && row->first.first == w.queue; ++row)
    if (row->second.status != core::queue_action_status::running)
      ended.emplace_back(row->second.asked_at, row->second.id);
  std::sort(ended.rbegin(), ended.rend());
  for (std::size_t i = w.keep; i < ended.size(); ++i)
    erase(t_.queue_actions, t_.queue_actions.find({w.queue, ended[i].second}));
}

void task_changes::operator()(const core::insert_task& w) {
  check(w.spec);
  check(w.progress);
  require(t_.queues.count(w.queue) != 0, "22012: the task's queue does not exist");
  require(t_.finished_tasks.count(w.spec.id) == 0, "22012: the task is finished");
  insert_live({w.queue, w.spec, without_past(w.progress)});
}

void task_changes::operator()(const core::update_task& w) {
  check(w.progress);
  change(t_.tasks, w.task).progress = w.progress;
}

void task_changes::operator()(const core::insert_task_lease& w) {
  require_lease(w.lease);
  require(t_.tasks.count(w.task) != 0, "22012: the lease's task is not live");
  insert(t_.task_leases, w.task, w.lease);
}

void task_changes::operator()(const core::extend_task_lease& w) {
  require_instant(w.expires_at);
  auto& lease = change(t_.task_leases, w.task);
  require(lease.token == w.token, "22012: no lease under this token");
  lease.granted_at = std::min(lease.granted_at, w.expires_at - core::duration{1});
  lease.expires_at = w.expires_at;
}

void task_changes::operator()(const core::end_task_lease& w) {
  check(w.error);
  require_instant(w.at);
  insert(
      t_.task_attempts, {w.task, w.token},
      attempt_row{take_task_lease(w.task, w.token), std::string{to_string(w.how)}, w.error, w.at});
}

void task_changes::operator()(const core::finish_task& w) {
  check(w.error);
  check(w.progress);
  require_text(w.result);
  require_instant(w.at);
  require(w.result.empty() || w.ending == core::task_ending::completed,
          "23514: only what is completed has a result");
  require((w.error.code.empty() && w.error.detail.empty())
              || w.ending != core::task_ending::completed,
          "23514: what is completed has no error");
  const auto live = t_.tasks.find(w.task);
  require(live != t_.tasks.end(), "22012: the task is not live");
  finished_task_row row{live->second, w.ending, w.result, w.error, w.at, std::nullopt};
  row.task.progress = without_past(w.progress);
  if (w.token != 0)
    row.lease = take_task_lease(w.task, w.token);
  else
    require(t_.task_leases.count(w.task) == 0, "22012: the task is leased");
  const auto& key = live->second.spec.unique_key;
  if (!key.empty())
    erase(t_.tasks_by_unique_key, t_.tasks_by_unique_key.find({live->second.queue, key}));
  erase(t_.tasks, live);
  insert(t_.finished_tasks, w.task, std::move(row));
}

void task_changes::operator()(const core::revive_task& w) {
  check(w.progress);
  const auto found = t_.finished_tasks.find(w.task);
  require(found != t_.finished_tasks.end(), "22012: the task is not finished");
  const auto& over = found->second;
  if (over.lease)
    insert(t_.task_attempts, {w.task, over.lease->token},
           attempt_row{*over.lease, std::string{to_string(over.ending)}, over.error, over.at});
  insert_live({over.task.queue, over.task.spec, without_past(w.progress)});
  erase(t_.finished_tasks, found);
}

void task_changes::operator()(const core::insert_late_result& w) {
  for (const auto* text : {&w.worker, &w.outcome, &w.detail})
    require_text(*text);
  require_bigint(w.token);
  require_instant(w.at);
  require(t_.tasks.count(w.task) != 0 || t_.finished_tasks.count(w.task) != 0,
          "22012: the late result's task does not exist");
  t_.late_results.push_back(w);
  on_take_back([this] { t_.late_results.pop_back(); });
}

void task_changes::insert_live(live_task_row task) {
  const auto id = task.spec.id;
  if (!task.spec.unique_key.empty())
    insert(t_.tasks_by_unique_key, {task.queue, task.spec.unique_key}, id);
  insert(t_.tasks, id, std::move(task));
}

core::lease task_changes::take_task_lease(const core::task_id& task, core::token token) {
  const auto found = t_.task_leases.find(task);
  require(found != t_.task_leases.end() && found->second.token == token,
          "22012: no lease under this token");
  auto lease = found->second;
  erase(t_.task_leases, found);
  return lease;
}

} // namespace holdfast::persistence::memory
