#pragma once

#include "messages/interfaces.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/plan.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace holdfast::sim {

/// The state that all clients of a run share.
struct field {
  field(const plan& drawn_plan, auditor& checks, trace& lines, tally& counts)
      : drawn(drawn_plan), audit(checks), log(lines), seen(counts) {}

  const plan& drawn;
  auditor& audit;
  trace& log;
  tally& seen;
  const persistence::memory::tables* tables = nullptr; ///< What a requester sees on its dashboard.
  /// A producer writes to it in transactions of its own.
  std::shared_ptr<persistence::memory_database> database;
  /// Some node's gateway; null when no node is up. The number picks one of several.
  std::function<msg::gateway_actor(std::uint64_t pick)> gateway;
  std::function<core::instant()> now;
  /// A client has died and wants `back` called after that time.
  std::function<void(core::duration after, std::function<void()> back)> return_after;
  std::vector<core::step_id> steps; ///< Of all versions of the workflow, by position.
  /// Odd from the moment at which the database loses commits until each node knows of it, or
  /// decides nothing. Meanwhile nodes may answer from a memory of what is gone.
  std::uint64_t era = 0;
  /// Whether an answer in this moment to a request of that era speaks of what the database has.
  bool believes(std::uint64_t of) const { return of == era && era % 2 == 0; }
  bool calm = false; ///< Liveness phase: only helpful clients remain, and finish all work.
  bool over = false; ///< Everybody stops.
  /// The operator has something under way that might revive what is finished.
  bool steering = false;
  /// The requester may still ask for repairs.
  bool repairing = false;
  std::uint32_t seekers = 0; ///< Started by `start_seeker`, and without an answer yet.
};

} // namespace holdfast::sim
