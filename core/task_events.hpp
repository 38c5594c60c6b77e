#pragma once

#include "core/change.hpp"
#include "core/task.hpp"

#include <optional>
#include <string_view>

namespace holdfast::core {

/// The event that tells of an end of a task: `TaskCompleted` of a completed one.
event_type event_type_of(task_ending ending);

/// The ending that events of this type tell of; none of all other types.
std::optional<task_ending> ending_told_by(event_type type);

/// The same by the name of the type, as the policy of a queue and a filter have it.
std::optional<task_ending> ending_told_by(std::string_view event_name);

/// The word for a task that ended so, as requesters read it: `COMPLETED`, `FAILURE` when its worker
/// gave it up, `ERROR` for a dead letter, `CANCELED`.
std::string_view status_word(task_ending ending);

/// The event of the end of `t` at `now`. It has the code of the error and not its detail, which is
/// for operators only, and neither body nor result: they are read from the task.
event task_ended(const queue_name& queue, const task& t, task_ending ending,
                 const task_error& error, instant now);

} // namespace holdfast::core
