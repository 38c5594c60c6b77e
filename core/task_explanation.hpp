#pragma once

#include "core/queue.hpp"
#include "core/reason.hpp"

#include <vector>

/// Why a task is where it is, and does not move. Nothing here decides: the limits are those that
/// `dispatcher::take` looks at, in the same functions.
namespace holdfast::core {

/// All that keeps a live task of the queue from moving on now, most lasting first; never empty.
std::vector<reason> explain(const queue& q, const task& t, instant now);

/// The same of one that is over.
std::vector<reason> explain(task_ending ending, const task_error& error, instant finished_at);

} // namespace holdfast::core
