#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>

namespace holdfast::actors {

struct membership_state {
  static inline const char* name = "membership";

  context_ptr context;
  std::vector<caf::actor> writers;
  std::unique_ptr<persistence::store> store;
  std::vector<core::shard_id> hosted;
  bool ready = false;
  std::uint32_t attempts = 0;
  std::vector<caf::response_promise> waiting;
};

/// MEMBERSHIP: the node's place in the cluster. Writes the node's row, becomes host of the shards,
/// hands their fences to the writers, follows the database's clock, and renews all of it, which is
/// the only query of an idle node.
///
/// Failure: an unreachable database is retried; a renewal that finds shards gone to another host
/// ends the actor with `fenced`, and all that stands on it starts over.
caf::behavior membership(caf::stateful_actor<membership_state>* self, context_ptr context,
                         std::vector<caf::actor> writers);

} // namespace holdfast::actors
