// The part of the auditor about units that tasks judge.

#include "core/task_purpose.hpp"
#include "core/unit_tasks.hpp"
#include "tests/sim/invariants.hpp"

#include <algorithm>

namespace holdfast::sim {

core::lease_policy auditor::policy_for(const core::insert_unit& unit,
                                       const core::contributor_id& owner) const {
  const auto& mine = defined(unit);
  if (!core::is_task_judge(owner) || !mine.tasks)
    return mine.lease;
  return {mine.tasks->patience, mine.tasks->patience, core::duration::zero()};
}

/// A slot is a task's from the beginning to the end, and its judgment says what the task came to.
void auditor::check_tasks_of(const unit_rows& rows) {
  const auto spec_of = [&](const core::task_id& id) -> const core::task_spec* {
    if (const auto live = t_.tasks.find(id); live != t_.tasks.end())
      return &live->second.spec;
    if (const auto over = t_.finished_tasks.find(id); over != t_.finished_tasks.end())
      return &over->second.task.spec;
    for (const auto& [staging, row] : t_.task_intake)
      if (row.task.spec.id == id)
        return &row.task.spec;
    return nullptr;
  };
  const auto check_lease = [&](const core::lease& lease) {
    if (!core::is_task_judge(lease.owner))
      return;
    const auto* spec = spec_of({lease.id.value});
    require(spec != nullptr && spec->owner_id == core::owner_of({rows.unit->made.step, rows.id})
                && whole(spec->body) == whole(rows.unit->made.input),
            "task slots", rows.id, "a slot waits for a task that is not there, or not this unit's");
    require(lease.granted_at == rows.unit->made.created_at, "task slots", rows.id,
            "a task has got a slot later than its unit was made");
  };
  for (const auto* lease : rows.active)
    check_lease(*lease);
  for (const auto* ended : rows.ended)
    check_lease(ended->lease);
  for (const auto* judged : rows.judgments) {
    check_lease(judged->lease);
    if (!core::is_task_judge(judged->made.owner))
      continue;
    require(judged->made.id.value == judged->lease.id.value, "I-4", rows.id,
            "a task's judgment has not its id");
    const auto over = t_.finished_tasks.find({judged->made.id.value});
    require(over != t_.finished_tasks.end() && over->second.ending == core::task_ending::completed
                && whole(over->second.result) == whole(judged->made.payload),
            "task slots", rows.id, "a judgment is not what its task came to");
  }
}

} // namespace holdfast::sim
