#pragma once

#include "core/ids.hpp"
#include "http/recent_map.hpp"

/// Places that never change, so that no entry can be wrong: a request by an id alone spares the
/// database a question.
namespace holdfast::http {

/// The queues of tasks.
using task_queues = recent_map<core::task_id, core::queue_name>;
/// The steps of units.
using unit_steps = recent_map<core::unit_id, core::step_id>;
/// The workflows of steps.
using step_workflows = recent_map<core::step_id, core::workflow_id>;

} // namespace holdfast::http
