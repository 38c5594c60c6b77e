#pragma once

#include "client/connection.hpp"
#include "client/peer_system.hpp"
#include "core/uuid.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <cstdint>
#include <vector>

namespace holdfast::app::demo {

/// The demo's end of the network: the connection to the node, and the actors that use it.
struct demo_peer {
  demo_peer(std::uint16_t port, std::uint64_t seed);
  ~demo_peer();

  demo_peer(const demo_peer&) = delete;
  demo_peer& operator=(const demo_peer&) = delete;

  client::peer_system configuration;
  caf::actor_system system;
  client::connection node;
  core::uuid_source ids;
  std::vector<caf::actor> actors; ///< A handle keeps an actor alive that waits for a timer alone.
};

} // namespace holdfast::app::demo
