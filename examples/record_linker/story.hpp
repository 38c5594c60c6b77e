#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

#include <cstdint>

namespace linker {

/// How many records the node matches at once.
inline constexpr std::uint32_t handler_threads = 16;

/// Adds `story`: some projects matched from start to end, through bad days of the API.
void add_story_command(CLI::App& cli, holdfast::app::exit_code& result);

} // namespace linker
