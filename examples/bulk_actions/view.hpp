#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "examples/bulk_actions/people.hpp"

#include <cstdint>
#include <string>

/// What somebody who asks for a bulk action is given. Neither has a place for a bookmark or for the
/// description of an error, so neither can get out.
namespace bulk {

using namespace holdfast;

/// What the application wrote down about a request.
struct request_row {
  core::task_id task;
  std::string action; ///< The type of the task.
  staff_id owner = 0;
  staff_id run_as = 0;
  core::instant created;
};

/// What `report.tasks` says of its task, or `report.task_intake` while no queue has taken it in, or
/// the bookmark when the task is older than its queue keeps what has ended.
struct task_row {
  /// `workflow_status`, or that of the intake: `STAGED` or `REFUSED`; `FORGOTTEN`: nothing is
  /// known.
  std::string status;
  std::uint32_t percent = 0;
  std::string error_code;
  std::string result; ///< JSON; empty for none.
  core::instant last_action;
};

/// The answer to a request: there is a task, and nothing has been done yet.
struct receipt {
  core::task_id task;
  core::instant created;
  staff_id created_by = 0;
  core::instant modified;
  staff_id modified_by = 0;
};

receipt receipt_of(const request_row& request);

/// As JSON: the id, where to ask how it goes, and the audit fields.
std::string to_json(const receipt& given);

/// How it goes, for whoever asked.
struct requester_view {
  receipt about;
  std::string action;
  std::string status; ///< QUEUED, EXECUTING, COMPLETED, CANCELED, FAILURE, ERROR or FORGOTTEN.
  std::uint32_t percent = 0;
  std::string error_code; ///< From the catalogue; empty when there is none.
  std::string message;    ///< Of the error.
  std::string result;     ///< JSON; empty for none.
};

requester_view view_of(const request_row& request, const task_row& task);

std::string to_json(const requester_view& view);

} // namespace bulk
