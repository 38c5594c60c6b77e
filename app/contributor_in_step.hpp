#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

namespace holdfast::app {

/// The subcommands of `holdfast contributor` that are about the contributors of one step: list,
/// remove and repair.
void add_contributor_in_step(CLI::App& contributor, exit_code& result);

} // namespace holdfast::app
