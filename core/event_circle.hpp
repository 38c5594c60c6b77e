#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/webhook.hpp"

#include <vector>

/// Webhooks that bring events of tasks into queues, whose tasks make events in turn.
namespace holdfast::core {

/// Whether a webhook wants the ends of tasks of `queue`, if these are events. One that brings
/// events into a queue wants ends of tasks only if it names types of them or queues, and never
/// those of its own queue.
bool wants_ends_of(const webhook_definition& webhook, const queue_name& queue);

/// Why `added` may not stand beside the `others`: events would go round without an end, each a task
/// of the next queue. None when they do not.
failure check_circle(const webhook_definition& added,
                     const std::vector<webhook_definition>& others);

} // namespace holdfast::core
