#pragma once

#include "core/errors.hpp"
#include "core/task.hpp"

namespace holdfast::core {

/// Whether a request under the id of a task that is there, or was, asks for that task once more;
/// else `already_exists` and the first member that differs.
///
/// Compared are the members that never change: type, version, body, priority, key, credential,
/// unique key, attempts, owner and `run_as`. The body is compared byte for byte; where one of the
/// two is in the object store and the other in a row, by its length. Left out are the state, its
/// data and the time before which no worker gets the task, all of which the task's life changes,
/// and the trace, which is another one whenever the request is sent again.
failure check_repetition(const task_spec& known, const new_task& asked);

} // namespace holdfast::core
