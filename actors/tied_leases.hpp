#pragma once

#include "core/ids.hpp"

#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>

#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::actors {

/// The connections with which leases of a queue end, and these leases. They are not stored, so the
/// shard's host keeps them from one life of the queue to the next. Only the queue looks at them or
/// changes them, while it lives: the next life begins when the one before has ended.
struct tied_leases {
  using leases = std::set<std::pair<core::task_id, core::token>>;
  struct connection {
    caf::actor client;
    bool distant = false; ///< It is the worker's forwarder in another node.
    /// Also those whose ends are not durable yet: if the queue ends before, they hold still.
    leases held;
    std::set<std::uint64_t> waiting; ///< The claims that are called off with it, of this life.
  };
  std::unordered_map<caf::actor_addr, connection> connections; ///< Those that have claimed so.
  leases lost; ///< Of connections that are over; their ends are not durable yet.
};

} // namespace holdfast::actors
