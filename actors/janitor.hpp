#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>
#include <set>

namespace holdfast::actors {

struct janitor_state {
  static inline const char* name = "janitor";

  context_ptr context;
  std::unique_ptr<persistence::store> store; ///< Open only while there is something to do.
  std::set<core::shard_id> due;
  bool armed = false; ///< A round has its timer, or is under way.
};

/// THE JANITOR: forgets events that are older than `events_retention` and that no consumer needs
/// any more, in small transactions on a connection of its own, so that no batch waits for it.
///
/// It works after the relay has written cursors, at most once in `events_prune_interval`; so an
/// idle node asks its database nothing.
///
/// Failure: whatever it could not do waits for the next round. A crash costs nothing but that.
caf::behavior janitor(caf::stateful_actor<janitor_state>* self, context_ptr context,
                      const caf::actor& relay);

} // namespace holdfast::actors
