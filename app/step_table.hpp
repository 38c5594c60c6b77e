#pragma once

#include "messages/workflow_messages.hpp"

#include <nlohmann/json.hpp>

#include <vector>

namespace holdfast::app {

/// Prints one line per step, below a line with the names of the columns.
void print_steps(const std::vector<msg::step_view>& steps);

/// The same as an array with an object per step.
nlohmann::ordered_json steps_to_json(const std::vector<msg::step_view>& steps);

} // namespace holdfast::app
