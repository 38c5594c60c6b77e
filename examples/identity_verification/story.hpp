#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

namespace identity {

/// The queue of the verifications.
inline constexpr const char* queue_name = "kyc";

/// Adds `story`: some verifications from start to end, through a node that is killed meanwhile.
void add_story_command(CLI::App& cli, holdfast::app::exit_code& result);

} // namespace identity
