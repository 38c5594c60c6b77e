#pragma once

#include "client/task_handler.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "messages/task_messages.hpp"

/// What the node is told at the end of a lease, for each way in which a task can go. Pure, so that
/// whoever runs handlers says it in the same words.
namespace holdfast::client {

/// Who holds a lease, and which.
struct lease_holder {
  core::queue_name queue;
  core::worker_id worker;
  msg::task_ref task;
};

/// One of many: `complete_tasks` takes a thousand of a worker at once.
msg::task_result lease_end(const lease_holder& by, const done& how);
msg::release_task lease_end(const lease_holder& by, const wait_until& how);
msg::fail_task lease_end(const lease_holder& by, const failed& how);
/// `claim` is chosen by the caller: the task that follows is leased under it, once.
msg::follow_task lease_end(const lease_holder& by, const next& how,
                           const core::assignment_id& claim);

/// Whether a refusal says that the lease is over: drop the work.
bool lease_is_over(core::errc refusal);

/// What is said in place of an outcome that the node refuses although the lease is fine: no valid
/// JSON, an unknown state, a following task that exists. Without any end the task would run out and
/// count a lost worker. What was decided in `refused` stays: a permanent failure is one, and a
/// pause lasts as long.
failed refused_outcome(const core::failure& why, const outcome& refused);

} // namespace holdfast::client
