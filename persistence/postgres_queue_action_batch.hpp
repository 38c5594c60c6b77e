#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about bulk actions of queues.
class queue_action_writes {
public:
  void operator()(const core::put_queue_action& w) { actions_[{w.row.queue, w.row.id}] = &w.row; }
  void operator()(const core::forget_queue_actions& w) {
    auto& keep = forgotten_.emplace(w.queue, w.keep).first->second;
    keep = std::min(keep, w.keep);
  }

  void append_to(std::vector<call>& calls);

private:
  // Of several the last counts, and one statement must not touch a row twice. In order, so that
  // batches of two shards cannot wait for each other.
  std::map<std::pair<core::queue_name, core::queue_action_id>, const core::queue_action_row*>
      actions_;
  std::map<core::queue_name, std::uint32_t> forgotten_;
};

} // namespace holdfast::persistence::batch
