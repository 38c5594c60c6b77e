#pragma once

#include "persistence/memory_store.hpp"
#include "tests/sim/plan.hpp"

#include <string_view>

namespace holdfast::sim {

/// A bug put in on purpose, to prove that the simulator catches it. It sits in what stands around
/// the product, between the nodes and their database or between clients and their gateway, so that
/// the product has no hook for it.
struct plant {
  std::string_view name;
  std::string_view bug; ///< In one sentence.
  /// Whether it can show at all in a run of this plan.
  bool (*may_show)(const plan&);
};

/// Puts `part` behind what the database holds, whatever the writer believes.
void rebase(const persistence::memory::tables& t, persistence::shard_batch& part);

} // namespace holdfast::sim
