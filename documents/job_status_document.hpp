#pragma once

#include "core/ids.hpp"
#include "core/job_status.hpp"
#include "core/outcome.hpp"

#include <string_view>

namespace holdfast::documents {

/// What an event of the lifecycle system says.
struct told_job {
  core::workflow_id workflow;
  core::job_news news;
};

/// Reads the event by which a lifecycle system tells that a job has changed, as the schema
/// `events/v1/JobStatusChanged.json` has it:
///
///     {"type": "JobStatusChanged", "workflow_id": "018f2c5e-7c1a-7000-8000-000000000001",
///      "revision": 3, "status": "paused"}
///
/// All of these are required. Others are passed over, as that system may add some. Fails with
/// `too_large` or `payload_invalid`; the detail lists every problem with its JSON pointer, one per
/// line.
core::outcome<told_job> parse_job_status_changed(std::string_view json);

} // namespace holdfast::documents
