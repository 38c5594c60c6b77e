#pragma once

#include "core/outcome.hpp"
#include "core/webhook.hpp"
#include "documents/limits.hpp"

#include <string_view>

namespace holdfast::documents {

/// Reads what a webhook is from JSON:
///
///     {"url": "https://example.com/hooks", "secret": "billing",
///      "types": ["UnitFinalized"], "workflow": "018f2c5e-…", "start": "newest",
///      "retry": {"max_attempts": 24, "least_seconds": 5, "most_seconds": 3600},
///      "timeout_seconds": 30, "failing_after": 100, "dead_letters_max": 10000,
///      "batch": {"events": 100, "bytes": 262144}}
///
/// with `"queues": ["orders"]` in place of `workflow` for events of tasks, and `"envelope":
/// "cloudevents"`, which makes batches of one event unless it says another number; or, of one whose
/// events become tasks, `{"queue": "mail", "task_type": "event"}` in place of
/// `url`, `secret`, `timeout_seconds` and `max_attempts`.
///
/// Only `url` and `secret`, or `queue`, are required. Unknown members are errors with a suggestion.
/// Fails with `payload_invalid`; the detail lists every problem with its JSON pointer, one per
/// line.
core::outcome<core::webhook_definition> parse_webhook(std::string_view json,
                                                      const json_limits& limits);

} // namespace holdfast::documents
