#pragma once

#include "core/time.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace holdfast::core {

/// RFC 3339 in UTC, to the microsecond: `2023-11-14T22:13:20.000042Z`. For years 1 to 9999.
std::string to_rfc3339(instant at);

/// Reads any RFC 3339 time, e.g. `2024-12-24T12:00:00Z` or `2024-12-24T13:00:00.5+01:00`; what is
/// below a microsecond is cut off. Empty for anything else.
std::optional<instant> parse_rfc3339(std::string_view text);

} // namespace holdfast::core
