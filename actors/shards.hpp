#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/standing_fault.hpp"
#include "actors/step_links.hpp"
#include "actors/tied_leases.hpp"
#include "core/supervision.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <memory>
#include <unordered_map>
#include <unordered_set>

namespace holdfast::actors {

/// What the shards of a node stand on.
struct shards_links {
  std::vector<caf::actor> writers; ///< By lane: shard modulo lanes.
  caf::actor loader;
  caf::actor reader;
  caf::actor refitter;
  caf::actor membership;
  caf::actor objects;
};

struct shards_state {
  static inline const char* name = "shards";

  context_ptr context;
  shards_links links;
  children<core::shard_id> hosts;
  /// Hosts that are ending because their shards go. What they hold ends with the last of them.
  std::map<caf::actor_addr, std::shared_ptr<const void>> leaving;
  core::restart_history history;
  std::uint32_t activations_failed = 0; ///< In a row.
  standing_fault activation_fault;
  caf::actor pruner;     ///< Null until it has come.
  caf::actor peer_nodes; ///< The same.
  caf::actor search;     ///< The same.
};

/// SHARDS: the router to every step and queue that this node hosts, and the supervisor of its shard
/// hosts, which come and go as membership says. A message for one goes to the host of its shard. A
/// request for a shard that is not here is answered `unavailable`; what steps say to each other
/// goes on to the node that hosts the other one.
///
/// Failure: a shard host that gave up is started again, up to the node's restart intensity; then
/// this actor gives up as well.
caf::behavior shards(caf::stateful_actor<shards_state>* self, context_ptr context,
                     shards_links links);

struct shard_host_state {
  static inline const char* name = "shard_host";

  context_ptr context;
  core::shard_id shard = 0;
  step_links links;
  children<hosted_item> items;
  std::unordered_map<hosted_item, core::restart_history> crashes;
  std::unordered_set<hosted_item> set_aside; ///< Those that keep crashing, until their next try.
  core::restart_history history;             ///< Of the times that one was set aside.
  /// The latest ends of an item because an id that somebody chose was in use elsewhere.
  struct ends_by_id {
    core::instant last{};
    std::uint32_t in_a_row = 0; ///< Each within a minute of the one before.
  };
  std::unordered_map<hosted_item, ends_by_id> ends_by_ids;
  /// The ties of every queue that it has started, for its next life: see `tied_leases`.
  std::unordered_map<core::queue_name, std::shared_ptr<tied_leases>> ties;
};

/// A SHARD HOST: starts the steps and queues of one shard on demand and supervises them. One that
/// crashed is started again at once, under a higher generation, since its timers must run; what
/// does not exist is forgotten. One that ended because an id was in use elsewhere is started again
/// as often as that happens, after longer and longer pauses, and looks all ids up for a while.
///
/// Failure: a step or queue that crashes more often than the node's restart intensity allows is set
/// aside for a while, and requests to it are answered `unavailable`: what is wrong with one must
/// not take others down. When that happens to one after another, the trouble is larger, and this
/// actor gives up.
caf::behavior shard_host(caf::stateful_actor<shard_host_state>* self, context_ptr context,
                         core::shard_id shard, step_links links);

} // namespace holdfast::actors
