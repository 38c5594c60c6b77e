#pragma once

#include "messages/operations.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace holdfast::msg {

namespace table {

template <class Table>
struct interface;
template <class... Rows>
struct interface<caf::detail::type_list<Rows...>> {
  using actor = caf::typed_actor<
      typename caf::replies_to<typename Rows::request>::template with<typename Rows::answer>...>;
  template <class Handle>
  using added_to = typename Handle::template extend<
      typename caf::replies_to<typename Rows::request>::template with<typename Rows::answer>...>;
};

} // namespace table

/// The GATEWAY of a node: the only actor that is addressed from outside. It checks what comes in,
/// then hands it to the host of the item's shard. Each request of the table is answered once, with
/// the message named there or with a `core::errc`.
using gateway_actor = table::interface<operations>::actor;

/// The gateway as it is published. Other nodes ask it for the door that is theirs.
using member_gateway_actor = gateway_actor::extend<caf::replies_to<get_protocols>::with<protocols>,
                                                   caf::replies_to<meet_node>::with<node_met>>;

/// What the gateway of every version answers, and all that may be asked for when one is dialed: CAF
/// compares interfaces then, and turns away a gateway that lacks a single request, also one that
/// nobody sends. What a node does not know it answers `invalid_argument`. Never grows.
using any_gateway_actor = caf::typed_actor<caf::replies_to<get_node_status>::with<node_status>>;

/// `node_met::door`.
using door_actor = table::interface<node_operations>::added_to<
    gateway_actor::extend<caf::reacts_to<look_at_cluster>>>;

} // namespace holdfast::msg
