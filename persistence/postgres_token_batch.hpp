#pragma once

#include "core/change.hpp"
#include "persistence/batch_columns.hpp"

#include <map>
#include <vector>

namespace holdfast::persistence::batch {

/// The part of a batch that is about API tokens.
class token_writes {
public:
  void operator()(const core::put_api_token& w) { tokens_[w.row.id] = &w.row; }

  void append_to(std::vector<call>& calls);

private:
  // Of several the last counts, and one statement must not touch a row twice. In order, so that
  // batches of two shards cannot wait for each other.
  std::map<core::api_token_id, const core::api_token*> tokens_;
};

} // namespace holdfast::persistence::batch
