#pragma once

#include "actors/node_dialer.hpp"
#include "client/endpoint.hpp"

#include <caf/actor_system.hpp>

#include <memory>

namespace holdfast::app {

/// Reaches other nodes over TCP, each attempt on a thread of its own, because dialing blocks.
///
/// First it connects without a word, under a deadline. What that meets is evidence: where nobody
/// listens, the process that did is gone; silence may be a slow node or a cut line. Only then does
/// CAF dial, which tells the two apart by nothing but time; with credentials through TLS.
class peer_node_dialer {
public:
  /// `like` says what ways to nodes are like; where they lead, each address does.
  peer_node_dialer(caf::actor_system& system, client::endpoint like);
  /// Waits for the attempts under way.
  ~peer_node_dialer();

  /// Reads the credentials anew, and cuts the ways to nodes whose certificate is not good any more;
  /// a way that is being dialed afterwards.
  void reload();

  /// For `node_settings::dial`. Valid beyond the dialer, which then answers nobody.
  actors::node_dialer as_function() const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace holdfast::app
