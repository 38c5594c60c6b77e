#pragma once

#include "app/exit_codes.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::app {

/// Adds `act`, `actions` and `stop-action` to the command `queues`.
void add_queue_action_commands(CLI::App& queues, exit_code& result);

} // namespace holdfast::app
