#pragma once

#include "core/ids.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::core {

/// What a shard hosts: an actor that is woken by timers of its own.
using hosted_item = std::variant<step_id, queue_name>;

/// Its name for the log.
inline std::string to_string(const hosted_item& item) {
  if (const auto* step = std::get_if<step_id>(&item))
    return "step " + to_string(*step);
  return "queue " + std::get<queue_name>(item);
}

/// The shard it belongs to.
inline shard_id shard_of(const hosted_item& item, std::uint32_t shards) {
  return std::visit([=](const auto& id) { return shard_of(id, shards); }, item);
}

/// How many looks in a row have found an item overdue. Those that are not here were in time.
using overdue_record = std::map<hosted_item, std::uint32_t>;

/// What to do about items that hold leases which should have ended long ago.
struct sweep_verdict {
  std::vector<hosted_item> late;  ///< To look at the clock again: a timer was lost.
  std::vector<hosted_item> stuck; ///< Looking again has not helped: to be read anew.
};

/// Judges what one look at the database has found. An item that is found at `looks_max` looks in a
/// row does not know what the database knows, so its memory is not worth keeping.
sweep_verdict judge_overdue(overdue_record& record, const std::vector<hosted_item>& found,
                            std::uint32_t looks_max);

} // namespace holdfast::core
