#pragma once

#include <caf/actor_system_config.hpp>

namespace holdfast::msg {

/// Registers every wire message under its name and the text of our errors. Called by nodes, peers
/// and tests alike: a type that one side has not registered arrives as an empty message.
///
/// Append only. A registered name is never reused for another layout.
void register_messages(caf::actor_system_config& config);

} // namespace holdfast::msg
