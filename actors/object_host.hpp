#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

namespace holdfast::actors {

struct object_host_state {
  static inline const char* name = "objects";

  /// A call of the store: handed to the next keeper that is free.
  struct call {
    std::uint64_t bytes = 0;
    std::function<void(const caf::actor& keeper)> make;
  };

  context_ptr context;
  std::vector<caf::actor> idle; ///< Keepers with nothing to do.
  std::deque<call> waiting;
  std::size_t under_way = 0;         ///< Calls that wait or are being made.
  std::uint64_t bytes_under_way = 0; ///< Of the texts to be stored.
  std::vector<caf::response_promise> settling;
};

/// OBJECTS: the node's way to the object store. Hands each text to one of its keepers, which wait
/// for the disk or the network on threads of their own, so that nobody else has to.
///
/// Failure: a store that cannot be reached, or does not answer, is the failure of the single call;
/// the next one tries again. A keeper that crashed takes this actor with it.
///
/// Backpressure: `overloaded` when the texts that are to be stored would have more than
/// `object_bytes_most`, or the calls be more than `batching.high_water`. A request that comes alone
/// is always taken, and so is one that would rather wait: those of deliveries, of which there are
/// no more than events that relays have under way.
caf::behavior object_host(caf::stateful_actor<object_host_state>* self, context_ptr context);

} // namespace holdfast::actors
