#include "bench/soak/checker.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace holdfast::soak {

namespace {

constexpr std::size_t shown_max = 100;

class violation_list {
public:
  explicit violation_list(checked& report) : report_(report) {}

  void add(std::uint64_t& counter, const std::string& text) {
    if (++counter <= shown_max)
      report_.violations.push_back(text);
  }

private:
  checked& report_;
};

using all_losses = std::vector<lost_commits>;

/// Whether the acknowledgement of a missing record is excused; counts it then.
template <class Acknowledged>
bool is_excused(const Acknowledged& one, const all_losses& losses, checked& report) {
  const bool excused = std::any_of(losses.begin(), losses.end(),
                                   [&](const lost_commits& lost) { return lost.excuses(one); });
  report.excused += excused ? 1 : 0;
  return excused;
}

void check_enqueued(const client_history& clients, const final_state& stored,
                    const all_losses& losses, checked& report) {
  violation_list found{report};
  std::set<core::task_id> may_exist;
  for (const auto& one : clients.enqueued) {
    if (one.outcome != told::no)
      may_exist.insert(one.task);
    if (one.outcome == told::yes && stored.tasks.count(one.task) == 0
        && !is_excused(one, losses, report))
      found.add(report.lost, "lost: task " + to_string(one.task) + " was taken in");
  }
  for (const auto& [task, row] : stored.tasks)
    if (may_exist.count(task) == 0)
      found.add(report.from_nowhere, "from nowhere: task " + to_string(task));
}

void check_completed(const client_history& clients, const final_state& stored,
                     const all_losses& losses, checked& report) {
  violation_list found{report};
  std::map<core::task_id, std::string> accepted;
  for (const auto& one : clients.completed) {
    report.stale_attempted += one.stale ? 1 : 0;
    report.stale_refused += one.stale && one.outcome == told::no ? 1 : 0;
    if (one.outcome != told::yes)
      continue;
    report.stale_accepted += one.stale ? 1 : 0;
    const auto row = stored.tasks.find(one.task);
    const bool completed = row != stored.tasks.end() && row->second.completed;
    if ((!completed || row->second.result != one.result) && is_excused(one, losses, report))
      continue; // the task is done again, and may get another result
    const auto [first, is_first] = accepted.emplace(one.task, one.result);
    if (!is_first && first->second != one.result)
      found.add(report.doubled, "doubled: task " + to_string(one.task) + " was accepted as "
                                    + first->second + " and as " + one.result);
    if (!completed)
      found.add(report.lost, "lost: the result " + one.result + " of task " + to_string(one.task));
    else if (row->second.result != one.result)
      found.add(report.doubled, "doubled: task " + to_string(one.task) + " was accepted as "
                                    + one.result + " and is stored as " + row->second.result);
  }
}

/// No task but those that somebody failed may have become a dead letter.
void check_dead_letters(const client_history& clients, const final_state& stored,
                        const all_losses& losses, checked& report) {
  violation_list found{report};
  std::set<core::task_id> may_be_dead;
  for (const auto& one : clients.failed) {
    may_be_dead.insert(one.task);
    const auto row = stored.tasks.find(one.task);
    if (one.outcome == told::yes && (row == stored.tasks.end() || !row->second.dead)
        && !is_excused(one, losses, report))
      found.add(report.lost, "lost: task " + to_string(one.task) + " became a dead letter");
  }
  for (const auto& [task, row] : stored.tasks)
    if (row.dead && may_be_dead.count(task) == 0)
      found.add(report.from_nowhere, "from nowhere: a dead letter, task " + to_string(task));
}

void check_judgments(const client_history& clients, const final_state& stored,
                     const all_losses& losses, checked& report) {
  violation_list found{report};
  std::set<core::judgment_id> may_exist;
  for (const auto& one : clients.judgments) {
    if (one.outcome != told::no)
      may_exist.insert(one.judgment);
    const auto row = stored.judgments.find(one.judgment);
    if (one.outcome == told::yes && row == stored.judgments.end()
        && is_excused(one, losses, report))
      continue;
    if (one.outcome == told::yes
        && (row == stored.judgments.end() || row->second.unit != one.unit
            || row->second.contributor != one.contributor))
      found.add(report.lost,
                "lost: judgment " + to_string(one.judgment) + " of " + one.contributor);
  }
  std::set<std::pair<core::unit_id, core::contributor_id>> judged;
  for (const auto& [id, row] : stored.judgments) {
    if (may_exist.count(id) == 0)
      found.add(report.from_nowhere, "from nowhere: judgment " + to_string(id));
    if (!judged.insert({row.unit, row.contributor}).second)
      found.add(report.doubled,
                "doubled: " + row.contributor + " judged unit " + to_string(row.unit) + " twice");
  }
}

/// Source data by its step and key: a unit for each row, and one only.
void check_rows(const client_history& clients, const final_state& stored, const all_losses& losses,
                checked& report) {
  violation_list found{report};
  using place = std::pair<core::step_id, std::string>;
  std::map<place, std::uint64_t> there;
  for (const auto& row : stored.rows)
    ++there[{row.step, row.key}];
  std::set<place> may_exist;
  for (const auto& one : clients.rows) {
    if (one.outcome != told::no)
      may_exist.insert({one.step, one.key});
    if (one.outcome == told::yes && there.count({one.step, one.key}) == 0
        && !is_excused(one, losses, report))
      found.add(report.lost, "lost: source data " + one.key + " was taken in");
  }
  for (const auto& [where, units] : there) {
    if (may_exist.count(where) == 0)
      found.add(report.from_nowhere, "from nowhere: a unit of source data " + where.second);
    if (units > 1)
      found.add(report.doubled, "doubled: source data " + where.second + " became "
                                    + std::to_string(units) + " units");
  }
}

} // namespace

checked check(const client_history& clients, const final_state& stored, const all_losses& losses) {
  checked report;
  check_enqueued(clients, stored, losses, report);
  check_completed(clients, stored, losses, report);
  check_dead_letters(clients, stored, losses, report);
  check_judgments(clients, stored, losses, report);
  check_rows(clients, stored, losses, report);
  return report;
}

} // namespace holdfast::soak
