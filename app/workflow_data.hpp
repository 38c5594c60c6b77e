#pragma once

#include "app/exit_codes.hpp"

namespace CLI {
class App;
}

namespace holdfast::app {

/// `holdfast workflow add-data`: a file of rows as the source data of a workflow.
void add_workflow_data(CLI::App& workflow, exit_code& result);

} // namespace holdfast::app
