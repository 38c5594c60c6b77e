#pragma once

#include "core/outcome.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::persistence {

/// The events of one outbox row, as the JSON array that is stored.
std::string events_to_text(const shard_batch& part);

/// A row of the outbox but for the text of its events.
struct outbox_place {
  core::shard_id shard = 0;
  core::event_seq first_seq = 0;
  std::uint32_t count = 0;
  core::instant committed_at;
};

/// Reads what `events_to_text` wrote: as many events as the row has. Those that it is not possible
/// to read are `event_unreadable`. Fails with `wrong_state` on an event of a type that a newer
/// version wrote, so that it is kept and not skipped.
core::outcome<std::vector<core::sequenced_event>> events_from_text(const outbox_place& row,
                                                                   std::string_view text);

/// The events of a row of which the database does not give back the text.
std::vector<core::sequenced_event> unreadable_events(const outbox_place& row,
                                                     std::string_view problem);

} // namespace holdfast::persistence
