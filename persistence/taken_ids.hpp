#pragma once

#include "persistence/store.hpp"

#include <set>
#include <utility>
#include <vector>

/// Ids that callers choose, in the changes of a batch: which of them are in use already. The
/// constraints on these ids are the only ones that a caller can break.
namespace holdfast::persistence {

/// The ids under which a batch makes something.
struct chosen_ids {
  std::vector<core::workflow_id> workflows;
  std::vector<core::assignment_id> assignments;
  std::vector<core::judgment_id> judgments;
  std::vector<core::judgment_id> surplus; ///< Of judgments that do not count.
  std::vector<core::task_id> tasks;
  std::vector<std::pair<core::repair_id, core::step_id>> repairs;

  bool empty() const {
    return workflows.empty() && assignments.empty() && judgments.empty() && surplus.empty()
           && tasks.empty() && repairs.empty();
  }
};

chosen_ids chosen_in(const write_batch& batch);

/// Those of them that are in use. Of a repair: by another step.
struct ids_in_use {
  std::set<core::workflow_id> workflows;
  std::set<core::assignment_id> assignments;
  std::set<core::judgment_id> judgments;
  std::set<core::judgment_id> surplus;
  std::set<core::task_id> tasks;
  std::set<core::repair_id> repairs;
};

/// The changes of the batch that cannot be written because of these, or because a change before
/// them in the batch has the same id.
std::vector<taken_id> taken_in(const write_batch& batch, ids_in_use used);

} // namespace holdfast::persistence
