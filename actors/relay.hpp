#pragma once

#include "actors/backpressure.hpp"
#include "actors/internal_messages.hpp"
#include "actors/unreadable_events.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <map>
#include <random>
#include <set>

namespace holdfast::actors {

struct relay_state {
  static inline const char* name = "relay";

  /// Committed events still in memory, without a gap up to the newest.
  struct shard_tail {
    std::deque<core::sequenced_event> recent;
    core::event_seq newest = 0; ///< 0: nothing heard from the writer yet.
  };
  /// Where one consumer stands on one shard.
  struct position {
    bool known = false;       ///< The cursor has been read.
    bool busy = false;        ///< A delivery or a read is under way.
    bool backing_off = false; ///< Something failed; the next try has its timer.
    bool again = false;       ///< The last delivery failed.
    /// Events up to here may have been applied before the cursor was read.
    core::event_seq known_at_start = 0;
    core::event_seq acknowledged = 0;
    core::event_seq persisted = 0;
    std::uint32_t failures = 0;
    bool anew = true; ///< Nothing has been delivered yet.

    /// The oldest event that the consumer has set aside; 0: none. The cursor stays before it.
    core::event_seq oldest_aside = 0;
    std::uint32_t aside_tries = 0;
    bool aside_armed = false; ///< There is a timer for the next try.
    bool aside_due = false;   ///< It is time for it.

    unreadable_events unreadable;
    /// The oldest event that could not be read; 0: none. It was not delivered, and the cursor stays
    /// before it as well: mended, it is delivered in the next life.
    core::event_seq oldest_unreadable = 0;
  };
  struct subscription {
    std::set<core::event_type> types;
    caf::actor target;
    std::map<core::shard_id, position> positions;
    /// Raised when the consumer subscribes again: what an earlier life of it has been sent is void.
    std::uint64_t life = 0;
  };

  context_ptr context;
  std::vector<caf::actor> writers;
  caf::actor loader;
  /// The shards that this node writes, each with the number of times that it came: another node
  /// delivers the events of the others.
  std::map<core::shard_id, std::uint64_t> hosted;
  std::uint64_t last_coming = 0;
  std::map<core::shard_id, shard_tail> tails;
  std::map<core::shard_id, caf::actor> watchers; ///< Feeds, of the shards that they watch.
  std::map<std::string, subscription> subscriptions;
  bool cursor_armed = false;
  std::map<core::shard_id, core::change> cursors_waiting;    ///< To be written, for want of room.
  std::map<std::uint64_t, rows_under_way> cursors_under_way; ///< By the tickets of the writes.
  std::size_t cursors_weight = 0;                            ///< Of all that are under way.
  std::set<core::shard_id> cursors_sent; ///< Shards whose cursors are on their way to the database.
  caf::actor pruner;                     ///< Told when they have arrived.
  std::uint64_t last_ticket = 0;
  std::mt19937_64 random;
  metrics::registration reported; ///< To scrapes of metrics.
};

/// THE OUTBOX RELAY with the embedded bus: brings committed events to the consumers that subscribed
/// to them, in order per shard, at least once.
///
/// Normally an event goes from the writer's commit to its consumers through memory; the outbox
/// table is read only after a start and by a consumer that has fallen behind what memory holds.
/// Events of one shard have gapless numbers given by the shard's only writer, so "all after the
/// cursor" misses none.
///
/// A consumer gets one delivery per shard at a time, with all that has gathered since the last. It
/// is acknowledged when its effects are durable; a failed delivery comes again with backoff. What
/// the consumer has set aside keeps nothing waiting but the cursor, and is tried again by itself.
/// Cursors are written lazily: what they leave out comes again after a crash and is dropped by the
/// inbox.
///
/// An event whose row cannot be read is logged and passed over. The cursor stays before it, so that
/// it is neither lost nor pruned: once its row is mended, the next life of the consumer gets it.
///
/// Backpressure: at most `events_high_water` events per shard stay in memory; slower consumers read
/// the table.
caf::behavior relay(caf::stateful_actor<relay_state>* self, context_ptr context,
                    std::vector<caf::actor> writers, caf::actor loader, caf::actor membership);

} // namespace holdfast::actors
