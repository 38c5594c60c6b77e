#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What subscribers to events send. Events are numbered without a gap in each shard; whoever wants
/// all follows all shards.
namespace holdfast::msg {

/// Asks for the events of a shard that follow a position, in their order. Answered by `event_page`
/// as soon as there are any, or when `wait` is over. `events_gone` when events behind the position
/// are not kept any more. Reading again from the same position gives the same events.
struct read_events {
  core::shard_id shard = 0; ///< Below `node_status::shards_total`.
  /// A `core::event_start`: 1 behind `after`, 2 with the oldest that is kept, 3 with the next.
  std::uint8_t from = 1;
  core::event_seq after = 0;      ///< `position` of the page before.
  std::uint32_t limit = 1000;     ///< Events of the page at most, 1 to 1,000.
  core::duration wait{0};         ///< How long to wait for the first, up to 60 s.
  core::step_id step;             ///< Only of this step; nil: of all.
  std::vector<std::string> types; ///< Only these, e.g. `UnitFinalized`; empty: all.
};
HOLDFAST_WIRE(read_events, x.shard, x.from, x.after, x.limit, x.wait, x.step, x.types)

struct published_event {
  core::event_seq seq = 0;
  std::string event; ///< JSON, as in documents/schemas.
};
HOLDFAST_WIRE(published_event, x.seq, x.event)

struct event_page {
  core::shard_id shard = 0;
  /// Everything wanted up to here is in this page or one before; go on behind it.
  core::event_seq position = 0;
  core::event_seq newest = 0; ///< Of the shard, whether wanted or not: how far there is to go.
  std::vector<published_event> events; ///< About 1 MiB at most; may be empty.
};
HOLDFAST_WIRE(event_page, x.shard, x.position, x.newest, x.events)

} // namespace holdfast::msg
