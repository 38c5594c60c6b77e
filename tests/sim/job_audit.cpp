// The part of the auditor that is about the job that the workflow is. A36

#include "tests/sim/invariants.hpp"

namespace holdfast::sim {

void auditor::acknowledged(const msg::job_status_changed& asked,
                           const msg::job_status_noted& answer) {
  if (answer.workflow != asked.workflow || answer.revision < asked.revision
      || (answer.applied && answer.revision != asked.revision))
    return blame("I-12", "news of a job were answered as others");
  for (const auto& [id, stored] : t_.steps)
    if (stored.row.workflow == asked.workflow && stored.row.position == 0
        && stored.row.job_revision < answer.revision)
      blame("I-12", "acknowledged news of a job are not in the database" + dump(id));
}

std::string auditor::unfinished_jobs() const {
  std::map<core::workflow_id, const core::step_row*> first;
  for (const auto& [id, stored] : t_.steps)
    if (stored.row.position == 0)
      first[stored.row.workflow] = &stored.row;
  for (const auto& [id, stored] : t_.steps) {
    const auto& told = *first.at(stored.row.workflow);
    if (stored.row.job_revision != told.job_revision || stored.row.job != told.job)
      return "a step does not know what the first one knows of the job" + dump(id);
  }
  return {};
}

} // namespace holdfast::sim
