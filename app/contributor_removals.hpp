#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

namespace holdfast::app {

/// Adds the subcommands of `holdfast contributor` about removals from a step, a workflow or
/// everywhere.
void add_contributor_removals(CLI::App& contributor, exit_code& result);

} // namespace holdfast::app
