#pragma once

#include "core/step.hpp"
#include "core/workflow.hpp"

#include <cstdint>
#include <vector>

/// The job that a workflow is to the lifecycle system outside, and what its steps do about it. Of
/// what is told of a job only the latest counts, in whatever order it comes: what a step does
/// follows from that alone.
namespace holdfast::core {

/// What the lifecycle system says of a job.
struct job_news {
  std::uint64_t revision = 0; ///< Grows with every change of the job there.
  job_status status = job_status::launched;
};

struct job_noted {
  std::uint64_t revision = 0; ///< Of the latest that is known of the job.
  bool applied = false;       ///< False: that is not what was told, which is older or the same.
};

/// Where the job stands as long as nobody has told of it. One that is to be launched is like one
/// that was launched and paused.
job_status job_at_first(job_start starts);

/// Has a new step begin as the job has it.
void begin_under(step_row& step, job_status job, std::uint64_t revision);

/// The step learns of the job. Launched and finished: it is worked on; finished, for the first
/// step: no more source data is expected. Paused: it is not worked on. Canceled: it is canceled,
/// and the job will be nothing else any more (`wrong_state`). What is completed stays so, and so
/// does what is canceled. A revision that is not greater than the one known changes nothing.
decision<job_noted> note_job_status(step& s, const job_news& news, instant now);

/// The same for the first step of a workflow, which decides about it. Events tell the others of
/// `steps`, those of all versions.
decision<job_noted> change_job_status(step& first, const std::vector<step_id>& steps,
                                      const job_news& news, instant now);

} // namespace holdfast::core
