#pragma once

#include "bench/soak/checker.hpp"
#include "bench/soak/node_sample.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/struck_fault.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::soak {

/// One round of `verify` on the live database.
struct verify_round {
  clock::time_point at;
  core::errc failure = core::errc::none; ///< Why it found nothing out.
  std::string detail;
};

/// What nodes say that has happened to them.
struct node_counters {
  std::uint64_t commits_unresolved = 0; ///< Tries of a commit without an answer.
  std::uint64_t shards_lost = 0;        ///< Times that a node found that it is no host any more.
  std::uint64_t overloaded = 0;         ///< Requests that they turned away.
  std::uint64_t stale_writes = 0;       ///< Refused: they had lost the shard.
};

/// All that came of a soak.
struct soak_result {
  soak_plan plan;
  /// Kinds of faults that this machine cannot be made to have, and why: none of them is planned.
  std::vector<std::pair<fault_kind, std::string>> left_out;
  std::string command;
  bool two_versions = false; ///< Nodes are upgraded and rolled back.
  clock::time_point begun;
  clock::time_point ended;
  std::vector<struck_fault> faults;
  client_history clients;
  checked check;
  std::vector<node_sample> samples;
  /// When nodes began sessions at the server. Known where an outage or a full disk was planned.
  std::vector<clock::time_point> sessions_of_nodes;
  node_counters nodes;
  double database_mib = 0;                    ///< In the end.
  std::vector<std::string> broken_invariants; ///< By `verify`, live and at the end.
  std::vector<verify_round> verify_rounds;    ///< The last one when all was over.
  /// Seconds from when everything had been healed until all work was finished; empty when it never
  /// was.
  std::optional<double> quiet_after;
};

} // namespace holdfast::soak
