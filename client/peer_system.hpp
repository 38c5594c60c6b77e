#pragma once

#include "core/time.hpp"

#include <caf/actor_system_config.hpp>

#include <chrono>
#include <cstdint>

namespace holdfast::client {

/// How a process takes part in the network. Both ends of a connection need the same heartbeat: the
/// end without one looks dead to the other.
struct peer_settings {
  std::uint32_t scheduler_threads = 0; ///< Threads that run actors; 0: `threads_on` decides.
  core::duration heartbeat = std::chrono::seconds{1};
  /// Silence after which a connection is closed. It also bounds how long a dial waits for a mute
  /// server.
  core::duration connection_timeout = std::chrono::seconds{4};
};

/// How many threads run actors on a machine of so many cores (0: it does not tell): half of them,
/// at least one. Actors only decide; what takes long has threads of its own, and the database,
/// links and workers want the other half. Threads that share their actors evenly hand messages from
/// one core to the other, which costs more than most messages do.
std::uint32_t threads_on(std::uint32_t cores);

/// The configuration of an actor system that talks to Holdfast nodes, or is one: messages
/// registered, middleman loaded, frames guarded, a random node id. Must outlive the actor system.
class peer_system : public caf::actor_system_config {
public:
  explicit peer_system(const peer_settings& settings);
};

} // namespace holdfast::client
