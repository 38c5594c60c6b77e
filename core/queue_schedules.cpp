#include "core/queue_schedules.hpp"

#include "core/occurrence.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core {

namespace {

/// Enters the schedule where its next occurrence is waited for.
void settle(queue& q, schedule& s) {
  s.next = next_occurrence(s);
  if (s.next)
    q.schedules_due.emplace(std::max(*s.next, s.retry_at), s.name);
}

void unsettle(queue& q, const schedule& s) {
  if (s.next)
    q.schedules_due.erase({std::max(*s.next, s.retry_at), s.name});
}

new_task task_of(const queue& q, const schedule& s, instant occurrence) {
  auto task = s.plan->task;
  task.spec.id = occurrence_id({q.name, s.name, s.created_at}, occurrence);
  task.run_at = occurrence;
  return task;
}

/// Makes the task of one occurrence. False when it was refused; the schedule then knows why.
bool make(queue& q, schedule& s, instant occurrence, instant now, change& changes) {
  auto made = decide(q, enqueue{{task_of(q, s, occurrence)}}, now);
  const auto& outcome = made.answer.front();
  if (outcome.refusal != errc::none) {
    s.problem = std::string{to_string(outcome.refusal)} + ": " + outcome.detail;
    s.retry_at = now + schedule_retry_pace;
    return false;
  }
  s.problem.clear();
  s.retry_at = {};
  s.handled_until = occurrence;
  if (!outcome.repeated) // else the task that has its unique key stands for it
    s.last_made = occurrence;
  append(changes, std::move(made.changes));
  return true;
}

/// Deals with what is due of one schedule, which is not settled meanwhile; makes at most `most`
/// tasks. The number of those that it made.
std::size_t run(queue& q, schedule& s, std::size_t most, instant now, change& changes) {
  const auto due = due_occurrences(s, now);
  if (due.empty() && s.next && *s.next <= now)
    s.handled_until = now; // all that passed was missed and makes nothing
  std::size_t made = 0;
  while (made < std::min(due.size(), most) && make(q, s, due[made], now, changes))
    ++made;
  return made;
}

} // namespace

void enter(queue& q, schedule loaded) {
  auto& s = q.schedules[loaded.name] = std::move(loaded);
  settle(q, s);
}

put_schedule_row row_of(const queue& q, const schedule& s, instant at) {
  return {q.name, s.name, s.definition, s.created_at, s.handled_until, s.last_made, s.revision, at};
}

instant next_schedule(const queue& q) {
  return q.schedules_due.empty() ? instant::max() : q.schedules_due.begin()->first;
}

decision<bool> decide(queue& q, put_schedule command, instant now) {
  const auto found = q.schedules.find(command.name);
  const bool is_new = found == q.schedules.end();
  if (!is_new && found->second.plan && found->second.definition == command.definition)
    return {};
  if (is_new && q.schedules.size() >= schedules_most)
    return refuse<bool>(errc::limit_reached,
                        "a queue has at most " + std::to_string(schedules_most) + " schedules");
  const auto& task = command.plan.task;
  if (!opening_state(q.policy, task.spec.type, task.state))
    return refuse<bool>(errc::wrong_state,
                        "tasks of type " + task.spec.type + " have no state " + task.state);
  if (auto why = check_form(rules_of(q.policy, task.spec.type).versions, task);
      why.code != errc::none)
    return refuse<bool>(why.code, "task: " + std::move(why.detail));
  decision<bool> put;
  put.answer = true;
  auto& s = q.schedules[command.name];
  if (is_new) {
    s.name = command.name;
    s.created_at = s.handled_until = now;
  } else {
    unsettle(q, s);
    run(q, s, occurrences_most, now, put.changes);
    if (!s.plan || !same_times(*s.plan, command.plan))
      s.handled_until = std::max(s.handled_until, now);
  }
  s.definition = std::move(command.definition);
  s.plan = std::move(command.plan);
  s.problem.clear();
  s.retry_at = {};
  ++s.revision;
  settle(q, s);
  put.changes.writes.push_back(row_of(q, s, now));
  return put;
}

decision<bool> decide(queue& q, const remove_schedule& command, instant) {
  decision<bool> removed;
  const auto found = q.schedules.find(command.name);
  if (found == q.schedules.end())
    return removed;
  unsettle(q, found->second);
  q.schedules.erase(found);
  removed.answer = true;
  removed.changes.writes.push_back(delete_schedule_row{q.name, command.name});
  return removed;
}

decision<schedules_run> decide(queue& q, const run_schedules&, instant now) {
  decision<schedules_run> ran;
  auto& answer = ran.answer;
  while (answer.made < occurrences_most && !q.schedules_due.empty()
         && q.schedules_due.begin()->first <= now) {
    auto& s = q.schedules.at(q.schedules_due.begin()->second);
    const bool had_problem = !s.problem.empty();
    const auto before = s.handled_until;
    unsettle(q, s);
    answer.made += run(q, s, occurrences_most - answer.made, now, ran.changes);
    settle(q, s);
    if (s.handled_until != before)
      ran.changes.writes.push_back(row_of(q, s, now));
    if (!had_problem && !s.problem.empty())
      answer.stuck.push_back(s.name);
  }
  return ran;
}

} // namespace holdfast::core
