#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace holdfast::actors {

struct membership_state {
  static inline const char* name = "membership";

  context_ptr context;
  std::vector<caf::actor> writers;
  std::unique_ptr<persistence::store> store;
  std::map<core::shard_id, core::epoch> hosted;
  std::set<core::shard_id> leaving; ///< Not hosted any more; what worked for them is being ended.
  core::believed_dead dead;
  core::own_lease lease;
  core::seen_history history;
  std::vector<caf::actor> followers;
  caf::actor peer_nodes;   ///< Null until it has come.
  caf::actor shards;       ///< The same; follows the processes.
  bool registered = false; ///< The node's row is in the database.
  bool resigned = false;
  bool ready = false;                                       ///< Every shard has had a living host.
  std::optional<caf::actor_clock::time_point> fenced_since; ///< Decides nothing since then.
  std::uint32_t attempts = 0;
  core::duration next_look{0}; ///< By the last view; before the first, a heartbeat.
  std::vector<caf::response_promise> waiting;
};

/// MEMBERSHIP: the node's place in the cluster. Writes the node's row and renews it, which is the
/// only query of an idle node and shows it the cluster; becomes host of the shards that belong here
/// and hands those over that belong to another node (`core/placement`); gives the writers their
/// fences and follows the database's clock.
///
///   a shard comes   taken over in the database ► writers ► relay, shards: work begins
///   a shard goes    no new requests ► writers have written what there was ► shards, relay: work
///                   has ended ► writers ► free in the database ► other nodes are told to look
///
/// A shard that another node has taken goes the same way, without the part in the database.
///
/// A database that has forgotten commits, because it was promoted from a standby that had not got
/// them or restored from a copy, begins a new generation: all shards are taken anew and everything
/// about them is loaded again (docs/adr/0076).
///
/// Failure: an unreachable database is retried; when the lease may have run out meanwhile, the node
/// decides nothing until a renewal succeeds, and membership says so (`fenced`, `fence_lifted`).
/// Ends with `fenced` when a later process of the same name runs; then this one has no place any
/// more.
caf::behavior membership(caf::stateful_actor<membership_state>* self, context_ptr context,
                         std::vector<caf::actor> writers);

} // namespace holdfast::actors
