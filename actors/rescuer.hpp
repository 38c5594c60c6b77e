#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"
#include "core/sweep.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace holdfast::actors {

struct rescuer_state {
  static inline const char* name = "rescuer";

  context_ptr context;
  caf::actor loader;
  caf::actor shards;
  core::overdue_record record;
  core::task_id due_after; ///< How far the look at tasks has come in its round; nil: it begins.
  periodic looks;
};

/// THE RESCUER: the backstop of all timers. Every `sweep_interval` it asks the database what holds
/// leases that should have ended long ago, and has everything that this node hosts look at the
/// clock. So whatever is due is done within two intervals, even if every timer was lost; and what
/// is overdue although it has looked is read anew from the database (`core::judge_overdue`). Steps
/// take the same occasion to look for full units that nobody has aggregated (`core::judge_full`).
///
/// With each look it also reads a page of live tasks, round and round, and shows those that are due
/// and that nobody has to their queues, which take in what they have forgotten.
///
/// In a healthy node it finds nothing: each find is logged.
///
/// Failure: a look that fails is made good by the next.
caf::behavior rescuer(caf::stateful_actor<rescuer_state>* self, context_ptr context,
                      const caf::actor& loader, const caf::actor& shards);

} // namespace holdfast::actors
