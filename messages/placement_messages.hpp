#pragma once

#include "core/ids.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::msg {

/// Asks a node who hosts what, as far as it knows. `client::connection` does so by itself. Answered
/// by `placement`.
struct get_placement {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(get_placement, x.version)

/// A hint and no promise: it was so when the node looked last. Every node takes every request.
struct placement {
  core::incarnation_id node;               ///< Who answers.
  std::vector<core::incarnation_id> hosts; ///< Of each shard; nil where none is known.
  std::vector<core::epoch> epochs{}; ///< Of each shard: of two hosts, the higher is the later.
};
HOLDFAST_WIRE(placement, x.node, x.hosts, x.epochs)

} // namespace holdfast::msg
