#include "persistence/taken_ids.hpp"

#include "core/unit.hpp"

#include <map>
#include <string_view>
#include <variant>

namespace holdfast::persistence {

namespace {

/// Collects the ids of writes.
struct id_collector {
  chosen_ids& ids;

  void operator()(const core::insert_workflow& w) { ids.workflows.push_back(w.id); }
  void operator()(const core::insert_lease& w) { ids.assignments.push_back(w.lease.id); }
  void operator()(const core::insert_judgment& w) { ids.judgments.push_back(w.id); }
  void operator()(const core::insert_late_judgment& w) { (*this)(w.judgment); }
  void operator()(const core::insert_surplus_judgment& w) { ids.surplus.push_back(w.judgment.id); }
  void operator()(const core::insert_task& w) { ids.tasks.push_back(w.spec.id); }
  void operator()(const core::put_repair& w) { ids.repairs.emplace_back(w.row.id, w.row.step); }
  template <class Other>
  void operator()(const Other&) {}
};

template <class Id>
bool any_of(const std::set<Id>& used, const std::vector<Id>& wanted) {
  for (const auto& id : wanted)
    if (used.count(id) != 0)
      return true;
  return false;
}

/// One id twice in the same change is a mistake of ours, and no caller's.
template <class Id>
void use(std::set<Id>& used, const std::vector<Id>& ids) {
  used.insert(ids.begin(), ids.end());
}

/// The refusal of the first id of a change that is taken; empty when none is.
std::string_view problem_of(const chosen_ids& ids, const ids_in_use& used,
                            const std::map<core::repair_id, core::step_id>& repairs) {
  if (any_of(used.workflows, ids.workflows))
    return "another workflow has this id; ask with a new one";
  if (any_of(used.assignments, ids.assignments))
    return "another lease has this assignment id; ask with a new one";
  if (any_of(used.judgments, ids.judgments) || any_of(used.surplus, ids.surplus))
    return core::judgment_id_taken;
  if (any_of(used.tasks, ids.tasks))
    return "another task has this id; enqueue with a new one";
  for (const auto& [id, step] : ids.repairs) {
    const auto known = repairs.find(id);
    if (used.repairs.count(id) != 0 || (known != repairs.end() && known->second != step))
      return "another repair has this id; ask for a new one with a new id";
  }
  return {};
}

chosen_ids chosen_by(const core::change& change) {
  chosen_ids ids;
  for (const auto& write : change.writes)
    std::visit(id_collector{ids}, write);
  return ids;
}

} // namespace

chosen_ids chosen_in(const write_batch& batch) {
  chosen_ids ids;
  for (const auto& part : batch.shards)
    for (const auto& change : part.changes)
      for (const auto& write : change.writes)
        std::visit(id_collector{ids}, write);
  return ids;
}

std::vector<taken_id> taken_in(const write_batch& batch, ids_in_use used) {
  std::vector<taken_id> taken;
  std::map<core::repair_id, core::step_id> repairs;
  for (const auto& part : batch.shards)
    for (std::size_t i = 0; i < part.changes.size(); ++i) {
      const auto ids = chosen_by(part.changes[i]);
      if (const auto problem = problem_of(ids, used, repairs); !problem.empty()) {
        taken.push_back({part.shard, i, std::string{problem}});
        continue;
      }
      use(used.workflows, ids.workflows);
      use(used.assignments, ids.assignments);
      use(used.judgments, ids.judgments);
      use(used.surplus, ids.surplus);
      use(used.tasks, ids.tasks);
      repairs.insert(ids.repairs.begin(), ids.repairs.end());
    }
  return taken;
}

} // namespace holdfast::persistence
