#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace holdfast::actors {

struct auditor_state {
  static inline const char* name = "auditor";

  context_ptr context;
  periodic audits;
};

/// THE AUDITOR: every `audit_interval` it has the database checked for what docs/GUARANTEES.md
/// promises, while the node hosts the first shard, so that one node of a cluster does it. What is
/// broken is logged and counted; it mends nothing.
///
/// The checks run on a connection of their own, in bounded time, and nobody waits for them.
///
/// Failure: an audit that fails is counted, and the next one comes in its time.
caf::behavior auditor(caf::stateful_actor<auditor_state>* self, context_ptr context);

} // namespace holdfast::actors
