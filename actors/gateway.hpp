#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace holdfast::actors {

/// What the gateway hands requests to.
struct gateway_links {
  caf::actor membership;
  caf::actor owners;
  caf::actor shards;
  caf::actor reader;
};

/// The gateway as its own node sees it.
using node_gateway_actor = msg::gateway_actor::extend<
    // Node: take no more requests.
    caf::reacts_to<drain>>;

struct gateway_state {
  static inline const char* name = "gateway";

  context_ptr context;
  gateway_links links;
  bool draining = false;
};

/// THE GATEWAY: the only actor that is addressed from outside. Refuses what is malformed, too large
/// or too much, with a precise error, and hands everything else on; behind it, invariants may be
/// asserted.
///
/// Lifecycle: calls `node_settings::on_gateway` once the node hosts its shards; until somebody
/// publishes it, nobody can reach it.
///
/// Backpressure: requests that would write are answered `overloaded` while the writers' queue is
/// above the high-water mark.
node_gateway_actor::behavior_type gateway(node_gateway_actor::stateful_pointer<gateway_state> self,
                                          context_ptr context, gateway_links links);

} // namespace holdfast::actors
