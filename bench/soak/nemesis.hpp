#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/plan.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

/// A fault as it really was.
struct struck_fault {
  planned_fault planned;
  clock::time_point begun;
  clock::time_point ended;
  bool bit = false; ///< It met something: a host of shards, an open session.
  /// From its beginning until every shard had a living host again, where one was lost.
  std::optional<double> takeover_seconds;
  std::string violation; ///< What it caused and must not; empty for nothing.
};

/// Carries a plan out, on the thread that the processes belong to. `between` is called every few
/// milliseconds; when it returns false, no further fault begins.
std::vector<struck_fault> strike(cluster& nodes, const soak_plan& plan, clock::time_point start,
                                 const std::function<bool()>& between);

} // namespace holdfast::soak
