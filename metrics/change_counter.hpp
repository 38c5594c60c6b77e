#pragma once

#include "core/change.hpp"
#include "core/hosted_item.hpp"
#include "metrics/registry.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace holdfast::metrics {

/// Counts what has been committed, for the metrics of tasks and units. For one thread; it keeps
/// references to the counters, so that a write costs an addition and a look-up at most.
class change_counter {
public:
  explicit change_counter(std::shared_ptr<registry> into);

  /// `by`: the queue or the step that decided the change.
  void count(const core::change& durable, const core::hosted_item& by);

private:
  struct queue_counters {
    histogram* wait = nullptr;
    histogram* run = nullptr;
    std::map<std::string, counter*> made; ///< By type.
    std::map<std::pair<std::string, core::task_ending>, counter*> finished;
    std::map<core::attempt_ending, counter*> ended;
  };
  struct visitor;
  queue_counters& of_queue(const core::queue_name& name);

  const std::shared_ptr<registry> registry_;
  /// Emptied when it has grown large: its entries are only short ways to the registry.
  std::unordered_map<core::queue_name, queue_counters> queues_;
  std::size_t remembered_ = 0; ///< Counters in it.
  std::map<core::lease_end, counter*> assignments_;
  counter& granted_;
  counter& submitted_;
  counter& in_time_;
  counter& late_;
  counter& surplus_;
  counter& units_expired_;
  counter& tasks_expired_;
  counter& units_made_;
  counter& units_finalized_;
  counter& units_reopened_;
  counter& dead_letters_;
};

} // namespace holdfast::metrics
