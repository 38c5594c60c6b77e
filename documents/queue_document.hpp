#pragma once

#include "core/outcome.hpp"
#include "core/queue_policy.hpp"
#include "documents/limits.hpp"

#include <string_view>

namespace holdfast::documents {

/// Reads the policy of a queue from JSON:
///
///     {"lease": {"ttl_seconds": 60, "total_max_seconds": 86400},
///      "retry": {"max_attempts": 10, "crashes_max": 3, "least_seconds": 1, "most_seconds": 3600},
///      "running_max": 50, "running_per_key_max": 5, "weights": {"gold": 3},
///      "rate": {"per_second": 100, "burst": 10},
///      "rate_per_credential": {"per_second": 5}, "credentials": {"paid": {"per_second": 50}},
///      "aging_seconds": 60, "depth_max": 1000000, "retention_seconds": 604800,
///      "events": ["TaskFailed", "TaskDead"],
///      "push": {"url": "https://example.org/work", "secret": "mailer", "concurrency": 8,
///               "timeout_seconds": 60},
///      "types": {"kyc": {"retry": {…}, "running_max": 10, "rate": {…}, "first_state": "NEW",
///                        "transitions": {"NEW": ["CHECKED"], "CHECKED": []},
///                        "versions": {"1": {"body": <JSON Schema>, "data": <JSON Schema>}}}}}
///
/// Every member may be left out. Unknown members are errors with a suggestion. Fails with
/// `payload_invalid`; the detail lists every problem with its JSON pointer, one per line. The
/// schemas are compiled with it.
core::outcome<core::queue_policy> parse_queue_policy(std::string_view json,
                                                     const json_limits& limits);

} // namespace holdfast::documents
