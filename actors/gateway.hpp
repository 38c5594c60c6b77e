#pragma once

#include "actors/context.hpp"
#include "actors/drain.hpp"
#include "actors/internal_messages.hpp"
#include "messages/traced_author.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <memory>
#include <string>

namespace holdfast::actors {

/// What a gateway hands requests to.
struct gateway_links {
  caf::actor membership;
  caf::actor owners;
  caf::actor shards;
  caf::actor reader;
  caf::actor objects; ///< Has the payloads of what the reader finds.
  caf::actor feed;
  caf::actor webhooks;
  caf::actor profiles;
  caf::actor api_tokens;
  /// Takes what another node decides about. Null for the door: what comes through it has been
  /// passed on already.
  caf::actor peer_nodes;
  caf::actor door; ///< For other nodes; null for the door itself.
};

/// Requests with their author in front: from the HTTP API of this node, and from other nodes.
template <class Table>
struct authored_interface;
template <class... Rows>
struct authored_interface<caf::detail::type_list<Rows...>> {
  template <class Handle>
  using added_to = typename Handle::template extend<typename caf::replies_to<
      msg::author, typename Rows::request>::template with<typename Rows::answer>...>;
};

/// Requests that are traced, from the HTTP API of this node.
template <class Table>
struct traced_interface;
template <class... Rows>
struct traced_interface<caf::detail::type_list<Rows...>> {
  template <class Handle>
  using added_to = typename Handle::template extend<typename caf::replies_to<
      msg::traced_author, typename Rows::request>::template with<typename Rows::answer>...>;
};

/// Gateway and door as their own node sees them.
using node_gateway_actor = traced_interface<msg::writing_operations>::added_to<
    authored_interface<msg::audited_operations>::added_to<
        msg::table::interface<msg::node_operations>::added_to<
            msg::member_gateway_actor::extend<caf::reacts_to<msg::look_at_cluster>,
                                              // Node: take no more requests.
                                              caf::reacts_to<drain>>>>>;

struct gateway_state {
  const char* name = "gateway"; ///< Or "door".

  context_ptr context;
  gateway_links links;
  std::shared_ptr<void> published; ///< Keeps it reachable from other processes.
  bool draining = false;
  std::string author{};    ///< Said with the request in hand; empty: none is.
  core::trace_ptr trace{}; ///< Likewise; null: it is not traced.
};

/// THE GATEWAY: the only actor that is addressed from outside. Refuses what is malformed, too large
/// or too much, and what names another contributor or worker than the sender's certificate does,
/// with a precise error, and hands everything else on; behind it, invariants may be asserted.
///
/// What the host of a shard decides goes to it: inside this node without a detour, else through
/// the peer nodes. THE DOOR is the same for other nodes, and passes nothing on: requests make one
/// step between nodes, however stale the one's view of the cluster may be.
///
/// Lifecycle: calls `node_settings::on_gateway` once every shard has a host; until somebody
/// publishes it, nobody can reach it.
///
/// Backpressure: requests that would write are answered `overloaded` while the writers' queue is
/// above the high-water mark.
node_gateway_actor::behavior_type gateway(node_gateway_actor::stateful_pointer<gateway_state> self,
                                          context_ptr context, gateway_links links);

} // namespace holdfast::actors
