#include "http/task_queues.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::http {

task_queues::task_queues(std::size_t entries_max)
    : generation_max_(std::max<std::size_t>(entries_max / 2, 1)) {}

void task_queues::remember(core::task_id task, const core::queue_name& queue) {
  const std::lock_guard lock{mutex_};
  enter(task, queue);
}

std::optional<core::queue_name> task_queues::find(core::task_id task) {
  const std::lock_guard lock{mutex_};
  if (const auto found = young_.find(task); found != young_.end())
    return found->second;
  const auto found = old_.find(task);
  if (found == old_.end())
    return std::nullopt;
  auto queue = found->second; // `enter` may forget the old generation.
  enter(task, queue);
  return queue;
}

void task_queues::enter(core::task_id task, const core::queue_name& queue) {
  if (young_.size() >= generation_max_ && young_.count(task) == 0)
    old_ = std::exchange(young_, {});
  young_.insert_or_assign(task, queue);
}

} // namespace holdfast::http
