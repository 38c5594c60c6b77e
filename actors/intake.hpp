#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace holdfast::actors {

struct intake_state {
  static inline const char* name = "intake";

  caf::actor loader;
  caf::actor shards;
  periodic looks;
};

/// THE INTAKE: asks the database every `intake_interval` for which queues producers have staged
/// tasks by SQL, and tells those that this node hosts. The queues do the rest.
///
/// It asks and is not told: a `NOTIFY` in every producer's transaction would have all their commits
/// wait for one another (docs/adr/0008).
///
/// Failure: a look that fails is made good by the next. A crash costs nothing but a moment.
caf::behavior intake(caf::stateful_actor<intake_state>* self, context_ptr context,
                     const caf::actor& loader, const caf::actor& shards);

} // namespace holdfast::actors
