#pragma once

#include "core/change.hpp"
#include "core/errors.hpp"
#include "core/uuid.hpp"
#include "core/workflow_versions.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// How the next version of a workflow comes about: its first step decides, see docs/adr/0025.
namespace holdfast::core {

/// What comes of a request to let a workflow go on in another form, as the stored versions have it.
struct update_plan {
  failure refusal;            ///< `none`: it may go on.
  std::uint32_t version = 0;  ///< Of the workflow when it is done.
  std::uint32_t compared = 0; ///< The version that the differences are told from.
  bool done = false;          ///< Nothing is left to do: the version is there.
};

/// For a request that has read `version` and wants `definition`, where the workflow has taken the
/// forms `definitions`, at least one. What is there already is not made again: so a request may be
/// repeated for as long as the version that it made is the latest. `wrong_state` when somebody else
/// has changed the workflow in between.
update_plan plan_update(const std::vector<std::string>& definitions, std::uint32_t version,
                        const std::string& definition);

/// Why the workflow of this first step takes no other form; `none` when it may.
failure obstacle_to_update(const step_row& first);

/// Makes `next`, whose text is `definition`, the latest version of `workflow`. `steps` are those of
/// all versions, by position; those that only `next` has are added to them, and begin as the first
/// one has the job. The events say what each step is from now on; they have it look at the
/// versions, and tell those that are behind it now whether it is complete.
change add_version(versioned_workflow& workflow, std::vector<step_row>& steps,
                   workflow_definition next, const std::string& definition, uuid_source& ids,
                   instant now);

} // namespace holdfast::core
