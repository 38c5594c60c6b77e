#pragma once

#include "messages/task_messages.hpp"

#include <string>

namespace holdfast::client {

/// The task as a message of its own, as JSON: `{"header": {"job_id", "type", "version",
/// "created_at", "attempt", "max_attempts"}, "body", "tracing": {"trace_id", "span_id"}}`, with the
/// try that this lease is and the tries that there are. For programs whose jobs come so, whoever
/// hands them out.
std::string envelope_of(const msg::leased_task& task);

} // namespace holdfast::client
