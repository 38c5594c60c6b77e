#include "core/job_envelope.hpp"

#include "core/json_text.hpp"
#include "core/time_text.hpp"

namespace holdfast::core {

std::string to_json(const job_envelope& envelope) {
  json_object header;
  header.text("job_id", to_string(envelope.job_id))
      .text("type", envelope.type)
      .text("version", envelope.version);
  if (envelope.created_at != instant{})
    header.text("created_at", to_rfc3339(envelope.created_at));
  header.number("attempt", std::int64_t{envelope.attempt});
  if (envelope.max_attempts != 0)
    header.number("max_attempts", std::int64_t{envelope.max_attempts});
  json_object tracing;
  tracing.text("trace_id", envelope.trace_id).text("span_id", envelope.span_id);
  return json_object{}
      .raw("header", header.str())
      .raw("body", envelope.body)
      .raw("tracing", tracing.str())
      .str();
}

outcome<new_task> task_of(job_envelope envelope) {
  if (envelope.attempt != 1)
    return failure{errc::payload_invalid,
                   "/header/attempt: must be 1, not " + std::to_string(envelope.attempt)
                       + ": a job begins with its first try here; send it anew as attempt 1"};
  new_task made;
  auto& spec = made.spec;
  spec.id = envelope.job_id;
  spec.type = std::move(envelope.type);
  spec.version = std::move(envelope.version);
  spec.body = std::move(envelope.body);
  spec.trace_id = std::move(envelope.trace_id);
  spec.span_id = std::move(envelope.span_id);
  spec.max_attempts = envelope.max_attempts;
  return made;
}

} // namespace holdfast::core
