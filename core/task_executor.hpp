#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::core {

/// Tasks that judge the units of a step next to people, or instead of them.
struct task_executor {
  queue_name queue;            ///< Where they are done.
  std::string type;            ///< Chooses their handler.
  std::uint32_t judgments = 1; ///< Of each unit, by one task each; the others are people's.
  /// How long a unit waits for a task before its slot goes to people.
  duration patience = std::chrono::hours{24 * 7};
};

/// The contributors as whom the tasks of a step judge, one for each slot: `task:<queue>/<type>`,
/// then `task:<queue>/<type>#2` and so on. The same for all units, so that what they say can be
/// weighed as one judge's.
std::vector<contributor_id> task_judges(const task_executor& executor);

/// Whether a contributor of this name is tasks of a queue. People and programs that ask for work
/// themselves may not be called so.
bool is_task_judge(std::string_view contributor);

} // namespace holdfast::core
