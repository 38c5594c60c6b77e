#pragma once

#include "core/change.hpp"
#include "core/ids.hpp"
#include "messages/inspect.hpp"

#include <caf/actor.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// What nodes of one cluster say to each other. Peers have no use for any of it but
/// `get_protocols`, which their connection asks by itself.
namespace holdfast::core {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, message_id& x) {
  return f(caf::meta::type_name("hf1.message_id"), x.shard, x.seq);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, event& x) {
  return f(caf::meta::type_name("hf1.event"), x.type, x.step, x.unit, x.judgment, x.at, x.details);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, taken_back& x) {
  return f(caf::meta::type_name("hf1.taken_back"), x.unit, x.revision);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, sequenced_event& x) {
  return f(caf::meta::type_name("hf1.sequenced_event"), x.id, x.event);
}

} // namespace holdfast::core

namespace holdfast::msg {

/// The first thing that is said on a new connection, by nodes and peers alike: what the caller
/// understands. Answered by `protocols`, by every version that knows the question; where it is not
/// understood, the answer is `protocols_before_they_were_told`. Never changes.
struct get_protocols {
  std::uint32_t oldest = 0;
  std::uint32_t newest = 0;
};
HOLDFAST_WIRE(get_protocols, x.oldest, x.newest)

struct protocols {
  std::uint32_t oldest = 0;
  std::uint32_t newest = 0;
  std::string version; ///< Of the program, for people.
};
HOLDFAST_WIRE(protocols, x.oldest, x.newest, x.version)

/// A node introduces itself to another one. Answered by `node_met`.
struct meet_node {
  core::incarnation_id incarnation;
};
HOLDFAST_WIRE(meet_node, x.incarnation)

struct node_met {
  core::incarnation_id incarnation; ///< Who answers: it may have been started again.
  /// Takes every request that a gateway takes, for shards that this very node hosts; for others it
  /// answers `unavailable` instead of passing them on. Its end is the end of the node, or of the
  /// way to it.
  caf::actor door;
};
HOLDFAST_WIRE(node_met, x.incarnation, x.door)

/// Shards have moved: look at the database. Only a hint; whoever misses it looks a little later.
struct look_at_cluster {
  core::incarnation_id from;
};
HOLDFAST_WIRE(look_at_cluster, x.from)

/// Whatever was asked for is durable.
struct events_applied {
  std::uint32_t version = 1; ///< Of this answer.
};
HOLDFAST_WIRE(events_applied, x.version)

/// Consumer → step, wherever that is hosted: apply these events, each at most once. Answered by
/// `events_applied` when every effect is durable. An event may come from another shard than the
/// step's: the creation of a workflow is reported in that of its first step.
struct apply_events {
  std::string consumer;
  core::step_id step;
  std::vector<core::sequenced_event> events;
};
HOLDFAST_WIRE(apply_events, x.consumer, x.step, x.events)

/// Step → downstream step, wherever that is hosted: withdraw what was made from results that were
/// taken back; then make the children of these units, which are finished. Answered by
/// `events_applied`.
struct finished_parent {
  core::message_id message; ///< That reported the end.
  core::unit_id unit;
  std::uint32_t revision = 1; ///< Which result of the unit it reported, counted from 1.
};
HOLDFAST_WIRE(finished_parent, x.message, x.unit, x.revision)

struct add_children {
  std::string consumer;
  core::step_id step; ///< The downstream step.
  std::vector<finished_parent> parents;
  std::vector<core::taken_back> taken_back{};
};
HOLDFAST_WIRE(add_children, x.consumer, x.step, x.parents, x.taken_back)

/// Step → downstream step: whether more units may still come from there. Answered by
/// `events_applied`.
struct upstream_progress {
  core::step_id step;     ///< The downstream step.
  std::uint32_t from = 0; ///< Position of the one that says so.
  bool completed = false;
};
HOLDFAST_WIRE(upstream_progress, x.step, x.from, x.completed)

} // namespace holdfast::msg
