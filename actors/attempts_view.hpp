#pragma once

#include "messages/task_messages.hpp"
#include "persistence/store.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::actors {

/// The public form of attempts of `task`: at most `limit` of them, and none after the one with
/// which the texts of all have `attempts_bytes`. `more` says that some were left out.
msg::task_attempts to_view(core::task_id task, persistence::recorded_attempts found,
                           std::uint32_t limit);

/// Of texts in one answer about attempts, which a node and its peers hold in memory.
constexpr std::size_t attempts_bytes = std::size_t{4} * 1024 * 1024;

} // namespace holdfast::actors
