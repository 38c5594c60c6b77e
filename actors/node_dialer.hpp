#pragma once

#include "messages/interfaces.hpp"
#include "messages/protocol.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace holdfast::actors {

/// The result of an attempt to reach a peer node.
struct dial_result {
  msg::member_gateway_actor gateway; ///< Null: not reached.
  /// Nobody listens there: the process that did is gone. False when it may only be slow, or the way
  /// to it be cut.
  bool refused = false;
  std::string why;                                    ///< Empty when it was reached.
  std::uint32_t protocol = msg::own_protocols.newest; ///< The newest that it understands.
};

/// Reaches for the node at `address` and calls `done` once, from any thread. Must not block.
using node_dialer =
    std::function<void(const std::string& address, std::function<void(const dial_result&)> done)>;

} // namespace holdfast::actors
