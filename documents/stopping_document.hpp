#pragma once

#include "core/outcome.hpp"
#include "core/quality/stopping.hpp"
#include "core/workflow.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace holdfast::documents {

/// Reads a stopping rule: `{"judgments_per_unit": 5}`, or `{"min": 2, "max": 5, "stop_at": 0.9}`;
/// either with `"curtail": true`. Fails with `payload_invalid`, naming the member.
core::outcome<core::quality::stopping_rule> read_stopping_rule(std::string_view json);

/// The same of a part of a document: what is wrong is added to `problems`.
core::quality::stopping_rule read_stopping_rule(const nlohmann::json& source,
                                                const std::string& place,
                                                std::vector<core::definition_problem>& problems);

} // namespace holdfast::documents
