#pragma once

#include "core/ids.hpp"
#include "core/job_status.hpp"
#include "core/task.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the nodes themselves read in the details of events, which core has written.
namespace holdfast::documents {

/// What a `UnitFinalized`, `UnitReopened` or `UnitWithdrawn` says of the result that it is about.
struct routed_result {
  std::vector<std::string> next_steps; ///< Keys of the steps to which it leads, or has led.
  std::uint32_t revision = 1;          ///< Which result of the unit, counted from 1.
};
routed_result routed_result_in(std::string_view details);

/// What a `UnitTaskEnded` is about.
struct ended_task {
  core::task_id task;
  core::task_ending ending = core::task_ending::completed;
};
ended_task ended_task_in(std::string_view ended_details);

/// What a `JobStepUpdated` tells of the job; nothing in most of them.
std::optional<core::job_news> job_news_in(std::string_view step_details);

} // namespace holdfast::documents
