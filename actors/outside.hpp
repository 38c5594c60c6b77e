#pragma once

#include "core/access.hpp"

#include <caf/fwd.hpp>
#include <caf/node_id.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace holdfast::actors {

/// Which other processes may send messages to an actor.
enum class reach : std::uint8_t {
  peers, ///< Peers and other nodes.
  nodes, ///< Other nodes alone.
};

/// The rules between the actors of this process and other processes. A process has one `outside`,
/// as the process has one set of CAF's hooks that look at frames: these hooks know of no actor
/// system.
struct outside {
  /// Lets other processes send messages to an actor until what it returns is dropped. Empty: nobody
  /// asks who may be sent to.
  std::function<std::shared_ptr<void>(caf::actor_id, reach)> publish;
  /// The principal that a certificate proves to be behind a connected process; null when no such
  /// process is connected. Empty: no process proves its identity.
  std::function<std::shared_ptr<const core::principal>(const caf::node_id&)> who_is;
};

/// Set before the first node of the process starts; called on any thread from then on.
void set_outside(outside rules);
const outside& what_is_outside();

} // namespace holdfast::actors
