#pragma once

#include "core/outcome.hpp"
#include "core/schedule.hpp"
#include "documents/limits.hpp"

#include <string_view>

namespace holdfast::documents {

/// Reads what a schedule does from JSON:
///
///     {"cron": "0 6 * * MON-FRI", "time_zone": "Europe/Berlin",
///      "task": {"type": "report.daily", "version": "1.0", "body": {…}, "state": "NEW",
///               "data": {…}, "priority": 5, "key": "acme", "credential": "paid",
///               "unique_key": "report", "max_attempts": 3, "owner_id": "ana",
///               "run_as_id": "reports"},
///      "backfill": "latest", "backfill_max": 100, "grace": 60, "paused": false,
///      "from": "2026-01-01T00:00:00Z", "until": "2026-12-31T23:59:59Z"}
///
/// Only `cron` and the `type` of `task` are required. Unknown members are errors with a suggestion.
/// Fails with `payload_invalid`; the detail lists every problem with its JSON pointer, one per
/// line.
core::outcome<core::schedule_plan> parse_schedule(std::string_view json, const json_limits& limits,
                                                  const core::zone_finder& find_zone);

} // namespace holdfast::documents
