#pragma once

#include "actors/drain.hpp"
#include "actors/node_settings.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>

namespace holdfast::actors {

/// Starts the node's supervision tree and returns its root. The root must be held by the caller; it
/// ends when the node cannot go on (its DOWN carries the reason: `fenced` when other nodes have
/// taken its shards) or after `drain`.
caf::actor spawn_node(caf::actor_system& system, node_settings settings);

} // namespace holdfast::actors
