#pragma once

#include "core/ids.hpp"

#include <cstddef>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace holdfast::http {

/// The queues of the tasks that were seen last: a request about one task by its id spares the
/// database a question. A task never changes its queue, so no entry can be wrong. For any thread.
class task_queues {
public:
  /// Remembers at least half of `entries_max` tasks, those that were asked for last.
  explicit task_queues(std::size_t entries_max);

  void remember(core::task_id task, const core::queue_name& queue);
  std::optional<core::queue_name> find(core::task_id task);

private:
  using generation = std::unordered_map<core::task_id, core::queue_name>;

  void enter(core::task_id task, const core::queue_name& queue);

  const std::size_t generation_max_;
  std::mutex mutex_;
  generation young_;
  generation old_; ///< Forgotten as a whole, when the young generation is full.
};

} // namespace holdfast::http
