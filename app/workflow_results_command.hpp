#pragma once

#include "app/exit_codes.hpp"

#include <CLI/App.hpp>

namespace holdfast::app {

/// `holdfast workflow results`.
void add_workflow_results(CLI::App& workflow, exit_code& result);

} // namespace holdfast::app
