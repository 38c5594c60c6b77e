#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

#include <cstdint>

namespace bulk {

/// How many tasks the node does at once.
inline constexpr std::uint32_t handler_threads = 8;

/// Adds `story`: some bulk actions through a node that is killed meanwhile.
void add_story_command(CLI::App& cli, holdfast::app::exit_code& result);

} // namespace bulk
