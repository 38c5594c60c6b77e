#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about what is known of contributors.
class profile_writes {
public:
  void operator()(const core::put_profile& w) { profiles_[w.contributor] = &w; }

  void append_to(std::vector<call>& calls);

private:
  // Of several the last counts, and one statement must not touch a row twice. In order, so that
  // batches of two shards cannot wait for each other.
  std::map<core::contributor_id, const core::put_profile*> profiles_;
};

} // namespace holdfast::persistence::batch
