#pragma once

#include "core/ids.hpp"
#include "core/task.hpp"

#include <cstdint>
#include <string_view>

/// What the nodes themselves read in the details of events, which core has written.
namespace holdfast::documents {

/// The index of the route that a unit took, as the details of its `UnitFinalized` say; the first
/// where they say nothing, which only those of a time without routes do.
std::int16_t route_in(std::string_view finalized_details);

/// What a `UnitTaskEnded` is about.
struct ended_task {
  core::task_id task;
  core::task_ending ending = core::task_ending::completed;
};
ended_task ended_task_in(std::string_view ended_details);

} // namespace holdfast::documents
