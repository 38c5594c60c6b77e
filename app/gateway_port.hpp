#pragma once

#include "core/outcome.hpp"
#include "messages/interfaces.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <string>

namespace holdfast::app {

/// The port at which a node's gateway can be reached. Supervision may start the gateway anew; the
/// port stays the same. Blocks for moments: belongs to the main thread.
class gateway_port {
public:
  /// Port 0 is any free one, and from the first gateway on always that.
  gateway_port(caf::actor_system& system, std::string address, std::uint16_t port);

  /// Publishes `gateway` in place of the one before. `already_exists` when somebody else has the
  /// port.
  core::outcome<bool> publish(const msg::member_gateway_actor& gateway);

  /// Takes no new connections; those that are open stay.
  void close();

  bool open() const { return static_cast<bool>(published_); }
  std::uint16_t port() const { return port_; }

private:
  caf::actor_system& system_;
  const std::string address_;
  std::uint16_t port_;
  msg::member_gateway_actor published_;
};

} // namespace holdfast::app
