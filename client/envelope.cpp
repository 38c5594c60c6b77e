#include "client/envelope.hpp"

#include "core/job_envelope.hpp"

namespace holdfast::client {

std::string envelope_of(const msg::leased_task& task) {
  return core::to_json({task.task, task.type, task.version, task.created_at, task.attempt,
                        task.max_attempts, task.body, task.trace_id, task.span_id});
}

} // namespace holdfast::client
