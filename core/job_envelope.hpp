#pragma once

#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/task.hpp"

#include <cstdint>
#include <string>

namespace holdfast::core {

/// A job as a message of its own, in the form in which programs pass jobs to each other:
///
///     {"header": {"job_id", "type", "version", "created_at", "attempt", "max_attempts"},
///      "body", "tracing": {"trace_id", "span_id"}}
struct job_envelope {
  task_id job_id;
  std::string type;
  std::string version;            ///< Of the body's form, `major.minor`.
  instant created_at;             ///< The epoch: not said.
  std::uint32_t attempt = 1;      ///< Which try this is, from 1.
  std::uint32_t max_attempts = 0; ///< 0: not said.
  std::string body;               ///< JSON.
  std::string trace_id;
  std::string span_id;
};

/// The envelope as JSON; what is not said in it is left out.
std::string to_json(const job_envelope& envelope);

/// The task that an envelope asks for. Its id is that of the job, so that sending the job again is
/// a repetition. It is as old as its queue says: the clock of whoever wrote the envelope orders
/// nothing here. A job that has been tried is refused, because tries are counted where the task is,
/// and the ones elsewhere would silently be forgotten.
outcome<new_task> task_of(job_envelope envelope);

} // namespace holdfast::core
