#include "core/queue_schedules.hpp"

#include "core/occurrence.hpp"
#include "core/time_text.hpp"

#include <algorithm>
#include <set>
#include <string>
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

task_id id_of(const queue& q, const schedule& s, instant occurrence) {
  return occurrence_id({q.name, s.name, s.created_at}, occurrence);
}

new_task task_of(const queue& q, const schedule& s, instant occurrence) {
  auto task = s.plan->task;
  task.spec.id = id_of(q, s, occurrence);
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
    s.last_made = std::max(s.last_made, occurrence);
  append(changes, std::move(made.changes));
  return true;
}

struct ran_schedule {
  std::size_t made = 0;
  std::string passed_over; ///< Why the last occurrence that was passed over has made no task.
  std::string refused;     ///< Why the queue has refused a task; those after it wait.
};

/// Deals with what is due of one schedule, which is not settled meanwhile; makes at most `most`
/// tasks, up to the first that it may have made before.
ran_schedule run(queue& q, schedule& s, std::size_t most, const looked_up_tasks& known, instant now,
                 change& changes, std::vector<task_id>& unsure) {
  const auto due = due_occurrences(s, now);
  if (due.empty() && s.next && *s.next <= now)
    s.handled_until = now; // all that passed was missed and makes nothing
  ran_schedule ran;
  for (const auto occurrence : due) {
    if (ran.made == most)
      return ran;
    const auto id = id_of(q, s, occurrence);
    if (const auto found = known.elsewhere.find(id); found != known.elsewhere.end()) {
      ran.passed_over = "the occurrence of " + to_rfc3339(occurrence)
                        + " has made no task: the queue " + found->second + " has one of its id, "
                        + to_string(id);
      s.problem = ran.passed_over;
      s.retry_at = {};
      s.handled_until = occurrence;
      continue;
    }
    if (occurrence <= s.last_made && known.looked_for.count(id) == 0) {
      for (const auto one : due)
        if (one >= occurrence && one <= s.last_made)
          unsure.push_back(id_of(q, s, one));
      return ran;
    }
    if (known.exist.count(id) != 0) {
      s.handled_until = occurrence;
      continue;
    }
    if (!make(q, s, occurrence, now, changes)) {
      ran.refused = s.problem;
      return ran;
    }
    s.problem = ran.passed_over; // until an occurrence by itself makes its task
    ++ran.made;
  }
  return ran;
}

bool changes_nothing(const schedule& s, const put_schedule& command) {
  return s.plan && s.definition == command.definition;
}

/// The problem of a schedule whose new plan has other times, so that nobody makes any more what the
/// old plan owes.
std::string dropping_problem(std::size_t dropped, const ran_schedule& ran) {
  std::string problem = ran.passed_over;
  if (dropped == 0)
    return problem;
  if (!problem.empty())
    problem += "; ";
  problem +=
      "occurrences of the replaced definition that have made no task: " + std::to_string(dropped);
  if (!ran.refused.empty())
    problem += " (" + ran.refused + ")";
  return problem;
}

/// Puts a schedule right that is further than the clock. False when it is not.
bool set_back(schedule& s, instant now) {
  if (!s.plan || s.handled_until <= now + schedule_clock_slack)
    return false;
  s.problem = "the database's clock stood ahead, at " + to_rfc3339(s.handled_until)
              + " or later; the schedule goes on from " + to_rfc3339(now);
  s.handled_until = now;
  return true;
}

/// Whether a task of the schedule was last refused by a clock that stood ahead.
bool was_refused_ahead(const schedule& s, instant now) {
  return s.retry_at > now + schedule_retry_pace + schedule_clock_slack;
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

decision<schedule_put> decide(queue& q, put_schedule command, instant now) {
  if (auto gone = check_not_removed(q); gone.code != errc::none)
    return refuse<schedule_put>(gone.code, std::move(gone.detail));
  const auto found = q.schedules.find(command.name);
  const bool is_new = found == q.schedules.end();
  if (!is_new && changes_nothing(found->second, command))
    return {};
  if (is_new && q.schedules.size() >= schedules_most)
    return refuse<schedule_put>(errc::limit_reached, "a queue has at most "
                                                         + std::to_string(schedules_most)
                                                         + " schedules");
  const auto& task = command.plan.task;
  if (!opening_state(q.policy, task.spec.type, task.state))
    return refuse<schedule_put>(errc::wrong_state,
                                "tasks of type " + task.spec.type + " have no state " + task.state);
  if (auto why = check_form(rules_of(q.policy, task.spec.type).versions, task);
      why.code != errc::none)
    return refuse<schedule_put>(why.code, "task: " + std::move(why.detail));
  decision<schedule_put> put;
  auto& s = q.schedules[command.name];
  std::string problem;
  if (is_new) {
    s.name = command.name;
    s.created_at = s.handled_until = now;
  } else {
    unsettle(q, s);
    std::vector<task_id> unsure;
    const auto ran = run(q, s, occurrences_most, command.known, now, put.changes, unsure);
    const auto owed = due_occurrences(s, now).size();
    if (ran.made == occurrences_most && owed != 0) {
      settle(q, s);
      put.answer.owes_more = true;
      put.changes.writes.push_back(row_of(q, s, now));
      return put;
    }
    const bool goes_on = s.plan && same_times(*s.plan, command.plan);
    if (!goes_on)
      s.handled_until = std::max(s.handled_until, now);
    problem = dropping_problem(goes_on ? 0 : owed, ran);
  }
  put.answer.changed = true;
  s.definition = std::move(command.definition);
  s.plan = std::move(command.plan);
  s.problem = std::move(problem);
  s.retry_at = {};
  ++s.revision;
  settle(q, s);
  put.changes.writes.push_back(row_of(q, s, now));
  return put;
}

std::vector<task_id> owed_tasks(const queue& q, const put_schedule& command, instant now) {
  std::vector<task_id> owed;
  const auto found = q.schedules.find(command.name);
  if (found == q.schedules.end() || changes_nothing(found->second, command))
    return owed;
  for (const auto occurrence : due_occurrences(found->second, now))
    owed.push_back(id_of(q, found->second, occurrence));
  return owed;
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

decision<item_outcome> decide(queue& q, const run_schedule& command, instant now) {
  if (auto gone = check_not_removed(q); gone.code != errc::none)
    return refuse<item_outcome>(gone.code, std::move(gone.detail));
  const auto found = q.schedules.find(command.name);
  if (found == q.schedules.end())
    return refuse<item_outcome>(errc::not_found,
                                "queue " + q.name + " has no schedule " + command.name);
  const auto& s = found->second;
  if (!s.plan)
    return refuse<item_outcome>(errc::wrong_state, "the definition of schedule " + s.name
                                                       + " cannot be read here: " + s.problem);
  auto task = s.plan->task;
  task.spec.id = command.task;
  task.run_at = now;
  auto made = decide(q, enqueue{{std::move(task)}}, now);
  auto& outcome = made.answer.front();
  if (outcome.refusal != errc::none)
    return refuse<item_outcome>(outcome.refusal, std::move(outcome.detail));
  decision<item_outcome> ran;
  ran.answer = std::move(outcome);
  ran.changes = std::move(made.changes);
  return ran;
}

decision<schedules_run> decide(queue& q, const run_schedules& command, instant now) {
  decision<schedules_run> ran;
  auto& answer = ran.answer;
  std::set<std::string> moved;
  for (auto& [name, s] : q.schedules) {
    const bool refused_ahead = was_refused_ahead(s, now);
    if (s.handled_until <= now && !refused_ahead)
      continue;
    unsettle(q, s);
    if (refused_ahead)
      s.retry_at = {};
    if (set_back(s, now)) {
      answer.stuck.push_back(name);
      moved.insert(name);
    }
    settle(q, s);
  }
  while (answer.made < occurrences_most && answer.unsure.empty() && !q.schedules_due.empty()
         && q.schedules_due.begin()->first <= now) {
    auto& s = q.schedules.at(q.schedules_due.begin()->second);
    const bool had_problem = !s.problem.empty();
    const auto before = s.handled_until;
    unsettle(q, s);
    answer.made +=
        run(q, s, occurrences_most - answer.made, command.known, now, ran.changes, answer.unsure)
            .made;
    settle(q, s);
    if (s.handled_until != before)
      moved.insert(s.name);
    if (!had_problem && !s.problem.empty())
      answer.stuck.push_back(s.name);
  }
  for (const auto& name : moved)
    ran.changes.writes.push_back(row_of(q, q.schedules.at(name), now));
  return ran;
}

std::vector<task_id> due_tasks(const queue& q, instant now) {
  std::vector<task_id> due;
  for (const auto& [at, name] : q.schedules_due) {
    if (at > now || due.size() >= occurrences_most)
      break;
    const auto& s = q.schedules.at(name);
    for (const auto occurrence : due_occurrences(s, now))
      due.push_back(id_of(q, s, occurrence));
  }
  return due;
}

} // namespace holdfast::core
