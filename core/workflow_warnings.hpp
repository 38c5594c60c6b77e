#pragma once

#include "core/workflow.hpp"

#include <vector>

/// Surprises for the author of a workflow that is allowed.
namespace holdfast::core {

/// By the JSON pointer of the place, as `problems_of`. Requires a definition without problems.
std::vector<definition_problem> warnings_of(const workflow_definition& definition);

} // namespace holdfast::core
