#pragma once

#include "app/exit_codes.hpp"

#include <CLI/CLI.hpp>

namespace holdfast::app {

/// Adds the commands that correct one unit to `holdfast unit`: `reopen`, `override`, `taint`,
/// `reinstate` and `corrections`.
void add_unit_corrections(CLI::App& unit, exit_code& result);

} // namespace holdfast::app
