#pragma once

#include "core/outcome.hpp"
#include "documents/limits.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace holdfast::documents {

/// Reads JSON text from outside under the rules of `check_json`. The one way in which text becomes
/// a value in this folder. Never recurses: nesting is counted before anything is built for it.
/// Numbers keep all of their digits (documents/exact_number.hpp).
core::outcome<nlohmann::json> parse_json(std::string_view text, const json_limits& limits);

} // namespace holdfast::documents
