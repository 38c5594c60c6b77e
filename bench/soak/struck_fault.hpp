#pragma once

#include "bench/soak/commit_interruptions.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/lost_commits.hpp"
#include "bench/soak/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

/// A fault as it really was.
struct struck_fault {
  planned_fault planned;
  clock::time_point begun;
  clock::time_point ended;
  bool bit = false; ///< It met something: a host of shards, an open session, packets on their way.
  /// From its beginning until every shard had a living host again, where one was lost.
  std::optional<double> takeover_seconds;
  std::string violation; ///< What it caused and must not; empty for nothing.
  /// The version that it brought up on every node, in a run of two versions.
  enum class change : std::uint8_t { none, upgrade, rollback } versions = change::none;
  std::vector<double> exit_seconds{}; ///< From SIGTERM to the end of the process, of each drained.
  interrupted_commits commits{};
  /// Of a swizzle: moves of the shard that moved most, for each node that was cut off and healed.
  std::optional<double> moves_per_flap{};
  std::uint64_t shards_given = 0; ///< To a node that joined.
  lost_commits loss{};            ///< That the database itself has lost by it.
  /// From when a database that had lost commits took commits again until a new generation had begun
  /// and every shard had a host in it.
  std::optional<double> generation_seconds{};
};

} // namespace holdfast::soak
