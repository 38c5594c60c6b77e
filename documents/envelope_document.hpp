#pragma once

#include "core/job_envelope.hpp"
#include "core/outcome.hpp"
#include "documents/limits.hpp"

#include <string_view>

namespace holdfast::documents {

/// Reads a job envelope:
///
///     {"header": {"job_id": "0af76519-16cd-43dd-8448-eb211c80319c", "type": "entity.match",
///                 "version": "1.0", "created_at": "2024-12-24T12:00:00Z", "attempt": 1,
///                 "max_attempts": 3},
///      "body": {…},
///      "tracing": {"trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": "b7ad6b7169203331"}}
///
/// `job_id`, `type`, `version` and `body` are required. Unknown members are errors with a
/// suggestion. The body is any JSON within `limits`, and is kept as it was written. Fails with
/// `too_large` or `payload_invalid`; the detail lists every problem with its JSON pointer, one per
/// line. What `core::to_json` writes is read as the same envelope.
core::outcome<core::job_envelope> parse_envelope(std::string_view json, const json_limits& limits);

} // namespace holdfast::documents
