#include "core/workflow_update.hpp"

#include "core/invariant.hpp"
#include "core/job_status.hpp"
#include "core/step_listing.hpp"

#include <utility>

namespace holdfast::core {

update_plan plan_update(const std::vector<std::string>& definitions, std::uint32_t version,
                        const std::string& definition) {
  HOLDFAST_INVARIANT(!definitions.empty(), "a workflow has a first version");
  const auto latest = static_cast<std::uint32_t>(definitions.size());
  const bool same = definitions.back() == definition;
  if (same && latest > 1 && version == latest - 1)
    return {{}, latest, latest - 1, true};
  if (version != latest)
    return {{errc::wrong_state, "the workflow is at version " + std::to_string(latest) + ", not "
                                    + std::to_string(version)
                                    + "; read it, and change what is there now"},
            0,
            0,
            false};
  return {{}, same ? latest : latest + 1, latest, same};
}

failure obstacle_to_update(const step_row& first) {
  if (first.status == step_status::canceled)
    return {errc::wrong_state,
            "the first step is canceled: nothing begins in this workflow any more"};
  if (first.job == job_status::canceled)
    return {errc::wrong_state, "the job is canceled: nothing begins in this workflow any more"};
  return {};
}

change add_version(versioned_workflow& workflow, std::vector<step_row>& steps,
                   workflow_definition next, const std::string& definition, uuid_source& ids,
                   instant now) {
  const auto first = steps.front();
  const auto id = first.workflow;
  workflow.add(std::move(next));
  change changes;
  changes.writes.push_back(insert_workflow_version{id, workflow.latest(), definition, now});
  const auto before = static_cast<std::uint32_t>(steps.size());
  for (auto position = before; position < workflow.keys().size(); ++position) {
    step_row row;
    row.id = {ids.next(now)};
    row.workflow = id;
    row.key = workflow.keys()[position];
    row.position = position;
    begin_under(row, first.job, first.job_revision);
    changes.writes.push_back(insert_step{row, now});
    steps.push_back(std::move(row));
  }
  for (const auto& row : steps) {
    const auto at = row.position;
    const auto listing = listing_of(row, workflow.step(at), workflow.newest(at));
    changes.events.push_back({event_type::job_step_updated,
                              row.id,
                              {},
                              {},
                              now,
                              at < before ? version_details(listing) : step_details(row, listing)});
  }
  return changes;
}

} // namespace holdfast::core
