#pragma once

#include "core/ids.hpp"
#include "core/task.hpp"

#include <string>
#include <string_view>
#include <vector>

/// What the nodes themselves read in the details of events, which core has written.
namespace holdfast::documents {

/// The keys of the steps that a unit goes on to, as the details of its `UnitFinalized` say.
std::vector<std::string> next_steps_in(std::string_view finalized_details);

/// What a `UnitTaskEnded` is about.
struct ended_task {
  core::task_id task;
  core::task_ending ending = core::task_ending::completed;
};
ended_task ended_task_in(std::string_view ended_details);

} // namespace holdfast::documents
