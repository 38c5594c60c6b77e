#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

/// The commands below `holdfast tasks` that make and do tasks.
namespace holdfast::app {

void add_enqueue(CLI::App& tasks, exit_code& result);
void add_eject(CLI::App& tasks, exit_code& result);
void add_claim(CLI::App& tasks, exit_code& result);

} // namespace holdfast::app
