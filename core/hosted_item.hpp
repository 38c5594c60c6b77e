#pragma once

#include "core/ids.hpp"

#include <cstdint>
#include <string>
#include <variant>

namespace holdfast::core {

/// An item that a shard hosts: an actor woken by timers of its own.
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

} // namespace holdfast::core
