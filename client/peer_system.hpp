#pragma once

#include "core/time.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>
#include <cstdint>

namespace holdfast::client {

/// How a process takes part in the network. Both ends of a connection need the same heartbeat: the
/// end without one looks dead to the other.
struct peer_settings {
  std::uint32_t scheduler_threads = 0; ///< Threads that run actors; 0 is one for each core.
  core::duration heartbeat = std::chrono::seconds{1};
  /// Silence after which a connection is closed. It also bounds how long a dial waits for a mute
  /// server.
  core::duration connection_timeout = std::chrono::seconds{4};
};

/// The configuration of an actor system that talks to Holdfast nodes, or is one: messages
/// registered, middleman loaded, frames guarded, a random node id. Must outlive the actor system.
class peer_system : public caf::actor_system_config {
public:
  explicit peer_system(const peer_settings& settings);
};

} // namespace holdfast::client
