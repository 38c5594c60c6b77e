#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>

namespace holdfast::actors {

/// The WRITER of one lane: collects changes of its shards and group-commits them.
///
/// Lifecycle: started before everything that writes. Opens its own connection to the database at
/// the first commit. Writes a shard only after `adopt_shards`; requests for other shards are
/// answered `fenced`.
///
/// Batching: a request arms a flush that lands behind everything already in the mailbox; while a
/// commit is under way the next batch gathers, and after it for a moment if those who were answered
/// are likely to come back by then (`core::rejoining`). What waits while a commit is under way, if
/// it is enough for another, is encoded in that time, on the assumption that the batch before it
/// goes in.
///
/// Failure: a lost connection or an unknown outcome repeats the very same batch under the same
/// sequence numbers, with backoff, until the database has said what happened; nobody is answered
/// before. A batch that the database refuses is cut in halves until the guilty change stands alone;
/// it alone is refused. A lost fence answers `fenced` to every request of that shard. A database
/// that does not know what a batch follows from answers `unavailable` to them, and membership hears
/// of it.
///
/// Backpressure: requests are turned away while `writer_gauges::queued` is above the high-water
/// mark, by the gateway and again by whoever would decide (`room_to_write`): nothing has been
/// decided then. What the node's own actors decide is taken beyond that, up to four times the mark:
/// whose change is refused there must start again.
caf::actor spawn_writer(caf::event_based_actor* parent, context_ptr context);

} // namespace holdfast::actors
