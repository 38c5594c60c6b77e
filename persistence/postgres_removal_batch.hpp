#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about removals of contributors.
class removal_writes {
public:
  void operator()(const core::put_removal& w);

  void append_to(std::vector<call>& calls);

private:
  struct written {
    core::removal row;
    bool replaces = false; ///< What was there before; else it only ends that.
  };
  // In order, so that batches of two shards cannot wait for each other. Several of one removal
  // become one: a statement must not touch a row twice.
  std::map<std::pair<core::contributor_id, core::removal_place>, written> removals_;
};

} // namespace holdfast::persistence::batch
