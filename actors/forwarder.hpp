#pragma once

#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"
#include "actors/routing_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <memory>

namespace holdfast::actors {

struct forwarder_state {
  static inline const char* name = "forwarder";

  /// One request on its way.
  struct call {
    forwarded request;
    held_promise promise;
    caf::actor_clock::time_point deadline{}; ///< For another try.
    std::uint64_t attempt = 0;
    core::incarnation_id at{}; ///< The host that has it now; nil while it waits for one.
    core::failure last_problem{};
  };

  context_ptr context;
  caf::actor_addr client;
  std::shared_ptr<const routes> now;
  std::map<std::uint64_t, call> calls; ///< Ordered: what waited goes out in order.
  std::uint64_t last_call = 0;
  bool waiting = false;  ///< The timer of those that wait is set.
  bool draining = false; ///< The node ends: that its clients go says nothing about them.
  std::shared_ptr<void>
      published; ///< Keeps it reachable from other nodes, which report lost leases.
};

/// A FORWARDER of one client of this node: brings its requests to the hosts of their shards, and
/// the answers back. To the host it *is* the client: what is tied to the client's life is tied to
/// the forwarder's, which ends with it, and leases that are lost are reported to it. It quits
/// without a reason when its client has ended; with any other one the client may well live.
///
/// A request whose shard has no host that is reached, or whose host went away or said that it hosts
/// the shard no more, waits for the next one and is sent again, with the same ids. After
/// `forward_patience` it is answered `unavailable`.
///
/// Failure: its open requests are answered `unavailable`.
/// Backpressure: that of the hosts, whose `overloaded` it passes on.
caf::behavior forwarder(caf::stateful_actor<forwarder_state>* self, context_ptr context,
                        caf::strong_actor_ptr client, std::shared_ptr<const routes> now);

} // namespace holdfast::actors
