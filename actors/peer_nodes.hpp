#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <memory>

namespace holdfast::actors {

/// Other actors it is linked to.
struct peer_nodes_links {
  caf::actor membership;
  caf::actor shards;
  caf::actor door; ///< Of this node.
};

struct peer_nodes_state {
  static inline const char* name = "peer_nodes";

  struct peer_node {
    std::string name;
    std::string address;
    caf::actor door;            ///< Null while it is not reached.
    std::uint32_t protocol = 1; ///< The newest that it understands; known once it was reached.
    bool met = false;           ///< It was reached before.
    bool failing = false;       ///< It was not reached at the last attempt.
    std::uint32_t refusals = 0; ///< In a row.
  };

  context_ptr context;
  peer_nodes_links links;
  core::cluster_view view;
  std::map<core::incarnation_id, peer_node> others;
  std::shared_ptr<const routes> now;
  children<caf::actor_addr> forwarders; ///< By client.
};

/// THE PEER NODES: the other nodes of the cluster, as they are reached from here. Keeps a way to
/// each (dial, introduce, monitor its door), knows the host of each shard, and has a forwarder for
/// every client whose requests go elsewhere.
///
///   seen in the database ► dialed ► met ► door ──DOWN──► dialed …
///
/// When a door goes down and nobody listens at the node's address any more, asked twice, its
/// process has ended: membership is told and need not wait for its lease to run out. Silence proves
/// nothing, nor does a node that was never reached: it may be starting.
///
/// Failure: started again, it reaches all of them anew; clients are answered `unavailable`.
caf::behavior peer_nodes(caf::stateful_actor<peer_nodes_state>* self, context_ptr context,
                         peer_nodes_links links);

} // namespace holdfast::actors
