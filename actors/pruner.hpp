#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"
#include "actors/standing_fault.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace holdfast::actors {

/// A queue whose finished and refused tasks grow old.
struct prunable_queue {
  core::queue_name name;
  std::string definition; ///< Its policy.
  bool removed = false;
};

struct pruner_state {
  static inline const char* name = "pruner";

  context_ptr context;
  std::unique_ptr<persistence::store> store; ///< Open only while there is something to do.
  std::set<core::shard_id> due;
  bool tasks_due = true; ///< At the start, too: nothing was forgotten while the node was away.
  std::vector<prunable_queue> queues_due; ///< Of the round that is under way.
  /// What failed when it was last tried, and the number of that try: it comes after all else, what
  /// failed last behind what failed before, so that it keeps nothing waiting.
  std::map<core::shard_id, std::uint64_t> failing_shards;
  std::map<core::queue_name, std::uint64_t> failing_queues;
  std::map<core::queue_name, standing_fault> unreadable_queues; ///< With tasks that stay for it.
  std::map<core::shard_id, standing_fault> unreadable_shards;   ///< With events that stay.
  std::uint64_t failed_tries = 0;
  std::set<core::shard_id> next_round; ///< Shards that failed in the round that is under way.
  std::uint32_t failures = 0;          ///< One after the other, in this round.
  periodic rounds;
  /// What is not old enough when it is told of, and of which nobody may speak again: when all of it
  /// will be.
  std::map<core::shard_id, core::instant> ripe;
  core::instant tasks_told;                ///< When tasks have last ended, as far as is known.
  std::optional<core::instant> tasks_ripe; ///< When one of the queues is to be looked at again.
  core::instant ripe_at = core::instant::max(); ///< For when the timer of these is set.
  core::digest swept_to; ///< Objects from here on are still to be looked at in this sweep.
};

/// THE PRUNER: forgets events that are older than `events_retention` and that no consumer needs
/// any more, and finished and refused tasks that are older than their queue keeps them, also of
/// queues that were removed, in small transactions on a connection of its own, so that no batch
/// waits for it.
///
/// It works after the relay has written cursors or tasks have ended, or shards have come, at most
/// once in `events_prune_interval`, and once at the start; then once more when the last of what it
/// was told of has grown old. So nothing stays because nothing happens any more, and a node that
/// has been idle for as long asks its database nothing.
///
/// The host of the first shard looks for entries of the audit log that are older than
/// `audit_retention`, every hour at most.
///
/// Soon after the start, and every `objects_sweep_interval`, it goes through the object store as
/// well, a slice at a time, and removes what no row refers to and what was last put longer than
/// `objects_sweep_after` ago.
///
/// Failure: whatever it could not do waits for the end of the next round, and keeps nothing else
/// waiting; a sweep goes on behind it. A crash costs nothing but that.
caf::behavior pruner(caf::stateful_actor<pruner_state>* self, context_ptr context,
                     const caf::actor& relay, const caf::actor& shards);

} // namespace holdfast::actors
