#pragma once

#include "actors/node_dialer.hpp"
#include "core/time.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace holdfast::test {

/// What becomes of one message on its way from one node to another. A connection neither loses nor
/// reorders anything as long as it stands: what is lost is lost with all that follows, until the
/// connection is seen to be dead, and what is late keeps all behind it waiting.
struct message_fate {
  bool lost = false;        ///< It, and all that follows it on this line.
  bool answer_lost = false; ///< Its answer, and all further ones over this line.
  bool doubled = false;     ///< It arrives twice; nobody hears the second answer.
  core::duration late{0};
  core::duration noticed_after{0}; ///< When something was lost: then the line ends.
};

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
  /// Nodes that are dialed from now on understand messages up to this protocol.
  void speak(std::uint32_t protocol);
  /// From now on what `before` makes of a node's door stands between it and the other nodes.
  void stand_before_doors(std::function<caf::actor(const caf::actor& door)> before);
  /// Breaks all connections; they can be made again at once.
  void cut_lines();
  /// Breaks the connections of this node.
  void cut_lines_of(const std::string& address);
  /// While cut, nothing that `from` says reaches `to`; the other way all is well. Who dials or asks
  /// gets no answer. The connections stand until `cut_lines_of`, as nobody has noticed yet.
  void cut_one_way(const std::string& from, const std::string& to, bool cut);
  /// From now on `decide` says what becomes of each message between nodes.
  void decide_fates(std::function<message_fate()> decide);
  /// From now on nothing goes wrong: what is late arrives, lines that have lost something end.
  void heal();
  /// From now on what `before` makes of a line stands between it and the node that sends over it.
  void stand_before_lines(std::function<caf::actor(const caf::actor& line)> before);

  /// Lines that were ever laid.
  std::size_t lines_laid() const;

  struct state;

private:
  std::shared_ptr<state> state_;
};

} // namespace holdfast::test
