#pragma once

#include "actors/pending_effects.hpp"
#include "documents/judgment_document.hpp"

#include <caf/stateful_actor.hpp>

#include <memory>

namespace holdfast::actors {

/// What the units of one step share.
struct step_context {
  context_ptr node;
  decider from;
  core::lease_policy lease;
  documents::judgment_checker checker;
  caf::actor writer;
};

struct unit_state {
  static inline const char* name = "unit";

  explicit unit_state(caf::event_based_actor*) {}
  ~unit_state() {
    if (shared)
      --shared->node->gauges.live_units;
  }

  core::unit unit;
  std::shared_ptr<const step_context> shared;
  caf::actor step;
  pending_effects pending;
  bool stopping = false;
};

/// A UNIT: hosts the core of one unit, and with it the leases of its slots.
///
/// Lifecycle: spawned by its step when somebody needs it, from what the reader has loaded; stopped
/// by its step when idle or finished (`passivate`). Only its step sends it messages, so the two
/// agree about who is alive.
///
/// Failure: a refused write, a lost fence or a crash ends the actor; its step loads it again from
/// the database when next needed. Requests under way are answered `unavailable`.
///
/// Backpressure: none of its own; it holds one pending entry per request that the gateway has
/// admitted.
caf::behavior unit_actor(caf::stateful_actor<unit_state>* self, core::unit loaded,
                         std::shared_ptr<const step_context> shared, caf::actor step);

} // namespace holdfast::actors
