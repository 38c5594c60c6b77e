#pragma once

#include "core/ids.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The place of a reader among the events of all shards, as clients send it back: a text without
/// meaning to them.
namespace holdfast::http {

/// The number of the last event that has been read, of each shard.
using event_positions = std::vector<core::event_seq>;

std::string cursor_of(const event_positions& positions);

/// The positions in a cursor of a cluster with so many shards; none in a text that is no such
/// cursor.
std::optional<event_positions> positions_of(std::string_view cursor, std::size_t shards);

} // namespace holdfast::http
