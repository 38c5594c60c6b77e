#include "bench/soak/lost_commits.hpp"

namespace holdfast::soak {

lost_commits lost_between(const final_state& had, const final_state& kept) {
  lost_commits lost;
  const stored_task absent;
  for (const auto& [task, before] : had.tasks) {
    const auto found = kept.tasks.find(task);
    const auto& after = found == kept.tasks.end() ? absent : found->second;
    if (found == kept.tasks.end())
      lost.tasks.insert(task);
    if (before.completed && !after.completed)
      lost.results.emplace(task, before.result);
    if (before.dead && !after.dead)
      lost.dead_letters.insert(task);
  }
  for (const auto& [judgment, row] : had.judgments)
    if (kept.judgments.count(judgment) == 0)
      lost.judgments.insert(judgment);
  for (const auto& row : had.rows)
    lost.rows.insert({row.step, row.key});
  for (const auto& row : kept.rows)
    lost.rows.erase({row.step, row.key});
  return lost;
}

} // namespace holdfast::soak
