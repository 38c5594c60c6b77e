#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
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

/// Asks for the latest starts of the cluster's nodes, also of those that are gone. Answered by
/// `node_list`.
struct list_nodes {
  std::uint32_t limit = 100; ///< 1 to 1000.
};
HOLDFAST_WIRE(list_nodes, x.limit)

/// One start of a node's process.
struct node_start {
  core::incarnation_id incarnation; ///< As `placement` and the shards name it.
  std::string name;
  std::string address; ///< Where other nodes reach it: `host:port`.
  core::instant started_at;
  core::instant expires_at; ///< Of its lease.
  core::instant left_at;    ///< Its planned stop; the epoch for none.
  bool alive = false;       ///< Its lease runs, and it has not left.
  std::uint32_t shards = 0; ///< Of which it is the last host.
};
HOLDFAST_WIRE(node_start, x.incarnation, x.name, x.address, x.started_at, x.expires_at, x.left_at,
              x.alive, x.shards)

struct node_list {
  std::vector<node_start> nodes; ///< The latest start first.
  bool more = false;             ///< Earlier ones are left out.
};
HOLDFAST_WIRE(node_list, x.nodes, x.more)

} // namespace holdfast::msg
