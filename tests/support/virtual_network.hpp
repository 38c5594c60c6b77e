#pragma once

#include "actors/node.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace holdfast::test {

/// How the nodes of one virtual world reach each other. What one sends another goes over a line of
/// its own, which a test can cut: then the sender sees the other one go down, as it does when a
/// connection breaks, and what was on its way is lost.
class virtual_network {
public:
  explicit virtual_network(caf::actor_system& system);

  /// For `node_settings::dial` of the node at `from`.
  actors::node_dialer dialer(const std::string& from);

  /// The node at `address` can be reached.
  void listen(const std::string& address, const msg::member_gateway_actor& gateway);
  /// Its process has ended: who dials it is refused.
  void close(const std::string& address);
  /// While isolated it cannot be reached, nor can it reach others; who tries gets no answer.
  void isolate(const std::string& address, bool isolated);
  /// From now on who tries is refused instead, as if the process had ended: evidence that is wrong.
  void refuse_when_isolated();
  /// From now on what `before` makes of a node's door stands between it and the other nodes.
  void stand_before_doors(std::function<caf::actor(const caf::actor& door)> before);
  /// Breaks all connections; they can be made again at once.
  void cut_lines();

  /// Lines that were ever laid.
  std::size_t lines_laid() const;

  struct state;

private:
  std::shared_ptr<state> state_;
};

} // namespace holdfast::test
