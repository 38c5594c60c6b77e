#include "core/exclusion.hpp"

#include "core/unit_tasks.hpp"

#include <set>

namespace holdfast::core {

std::vector<contributor_id> excluded(exclusion who, const std::vector<judged_part>& chain) {
  if (who == exclusion::nobody)
    return {};
  const bool everybody = who == exclusion::chain;
  std::set<contributor_id> names;
  for (const auto& part : chain) {
    if (who == exclusion::who_was_asked && !part.in_next_step)
      continue;
    for (const auto& judge : part.judges)
      if (everybody || !is_task_judge(judge))
        names.insert(judge);
    // A review passes on a result of the step before it, or one of its own.
    if (who == exclusion::authors && !part.of_review)
      break;
  }
  return {names.begin(), names.end()};
}

} // namespace holdfast::core
