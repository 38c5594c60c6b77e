#pragma once

#include "core/task_executor.hpp"
#include "core/unit.hpp"

#include <string>
#include <vector>

/// Slots of units that are filled by tasks of a queue instead of by people.
///
/// A new unit leases such a slot to its task at once, and stages the task in the same commit: so
/// each unit has exactly the tasks that it waits for. The lease and the task have one id, and so
/// has the judgment, unless somebody has used that id for a judgment of theirs. When the task is
/// completed, its queue tells the step, and its result is handed in under that lease, like any
/// judgment.
namespace holdfast::core {

/// Leases slots of a new unit to tasks for those of `judges` whom nothing keeps from it, as far as
/// it has slots, and stages the tasks.
void hand_out(unit_record& u, const task_executor& executor,
              const std::vector<contributor_id>& judges, token token_min, uuid_source& ids,
              instant now, change& changes);

/// The task has ended. When it was completed, its payload becomes a judgment; without one, which
/// can be used, or canceled, its slot goes to people. What failed may be redriven: its slot waits.
struct take_result {
  task_id task;
  task_ending ending = task_ending::completed;
  std::string payload{};  ///< Valid against the step's schema; empty: nothing that can be used.
  std::string answer{};   ///< What the step's aggregation counts.
  trust_mark trust{};     ///< In the contributor as whom the task judges.
  judgment_id judgment{}; ///< Of the payload; nil: that of the task.
};
/// Answers who has judged, or lost the slot; nobody when the task has no slot any more, because its
/// result came before or came too late. Repeating is harmless. Refuses with `already_exists` when
/// another judgment of the unit has the id: it may be repeated with another one.
decision<contributor_id> decide(unit& u, const lease_policy& policy, const take_result& command,
                                instant now);

/// Who holds a slot for the task; nobody: empty.
contributor_id judge_of(const unit& u, const task_id& task);

} // namespace holdfast::core
