#pragma once

#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"
#include "actors/unreadable_events.hpp"
#include "core/event_feed.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <set>

namespace holdfast::actors {

struct feed_state {
  static inline const char* name = "feed";

  /// A shard that somebody has asked about.
  struct watched {
    explicit watched(core::shard_id shard) : events(shard) {}

    core::shard_feed events;
    unreadable_events unreadable;
    bool heard = false; ///< The relay tells of every commit from now on.
    bool used = true;   ///< Somebody has asked since the last look at it.
    std::uint64_t life = 0;
  };

  context_ptr context;
  caf::actor relay;
  caf::actor reader;
  std::set<core::shard_id> hosted;
  std::map<core::shard_id, watched> shards;
  std::map<core::shard_feed::subscriber, held_promise> open;
  core::shard_feed::subscriber last_request = 0;
  std::uint64_t last_life = 0;
  caf::actor_clock::time_point wakes_at = caf::actor_clock::time_point::max();
  bool looks_after_unused = false; ///< The timer is set.
};

/// THE EVENT FEED: where subscribers outside read the events of the shards that this node hosts.
/// What a shard's subscribers get, and when, is `core::shard_feed`; this carries it out: it watches
/// the relay for shards that somebody reads, looks at the table for those who are behind, and
/// keeps whoever has got all waiting for the next commit.
///
/// A shard costs nothing until it is read, and nothing again a minute after the last read.
///
/// Failure: its requests end unanswered, and are repeated by whoever sent them. Started again, it
/// begins with the table.
/// Backpressure: at most `events_reads_max` requests are open, more are answered `overloaded`; one
/// look at the table is under way for each shard.
caf::behavior feed(caf::stateful_actor<feed_state>* self, context_ptr context, caf::actor relay,
                   caf::actor reader, const caf::actor& membership);

} // namespace holdfast::actors
