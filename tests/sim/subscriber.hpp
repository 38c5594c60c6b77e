#pragma once

#include "tests/sim/clients.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace holdfast::sim {

/// How far a subscriber to events has come: what it has stored, which outlives its actor.
struct subscription {
  subscription(field& shared, std::uint32_t number);

  field& world;
  std::string name;
  dice random;
  bool results_only = false; ///< It wants UnitFinalized and nothing else.
  bool alive = false;
  std::map<core::shard_id, core::event_seq> positions;
  std::map<core::shard_id, bool> under_way;

  /// Whether events of the shard are committed that it has not read.
  bool is_behind(core::shard_id shard) const;
  /// Whether it has read everything that was ever committed.
  bool caught_up() const;
};
using subscription_ptr = std::shared_ptr<subscription>;

/// The committed event; null when there is none.
const core::event* committed_event(const persistence::memory::tables& t, core::shard_id shard,
                                   core::event_seq seq);

/// The least number from `seq` on that is, or will be, that of an event: a new generation leaves
/// out what an earlier one may have given out.
core::event_seq event_from(const persistence::memory::tables& t, core::shard_id shard,
                           core::event_seq seq);

/// Starts a subscriber that reads all shards, from any node, page by page until all is over, and
/// blames whatever is missing, doubled, out of order or not committed. It dies now and then, and
/// goes on from where it had come to.
subscription_ptr start_subscriber(caf::actor_system& system, field& f, std::uint32_t number);

/// In the calm: nobody stays dead.
void wake_subscriber(caf::actor_system& system, const subscription_ptr& s);

} // namespace holdfast::sim
