#pragma once

#include "core/routing.hpp"
#include "core/workflow.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// The `routes` of a step with `labels`, which name answers here as they do in judgments. Appends
/// to `problems` what cannot be read; the rest is the core's to check.
std::vector<core::route> read_routes(const nlohmann::json& source, const std::string& place,
                                     const std::vector<std::string>& labels,
                                     std::vector<core::definition_problem>& problems);

/// A list of keys of steps.
std::vector<std::string> read_step_keys(const nlohmann::json& source, const std::string& place,
                                        std::vector<core::definition_problem>& problems);

} // namespace holdfast::documents
