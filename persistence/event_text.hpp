#pragma once

#include "core/outcome.hpp"
#include "persistence/store.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::persistence {

/// The events of one outbox row, as the JSON array that is stored.
std::string events_to_text(const shard_batch& part);

/// Reads what `events_to_text` wrote. Fails with `wrong_state` on an event of a type that a newer
/// version wrote, so that it is kept and not skipped.
core::outcome<std::vector<stored_event>>
events_from_text(core::shard_id shard, core::event_seq first_seq, std::string_view text);

} // namespace holdfast::persistence
