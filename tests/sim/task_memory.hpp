#pragma once

#include "core/queue_policy.hpp"
#include "messages/task_messages.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace holdfast::sim {

/// The task auditor's conclusions from commits and acknowledgements. They are a value and go
/// back with the tables, like `auditor_memory`.
struct task_memory {
  struct grant {
    core::worker_id worker;
    core::assignment_id claim;
  };
  struct task_model {
    core::queue_name queue;
    core::task_spec spec;
    core::task_progress progress;
    /// How often the clock had been set when the progress was decided.
    std::size_t steps_before = 0;
    std::optional<core::lease> lease;
    /// The earliest time at which the lease may be taken to begin: earlier than it was granted if
    /// the clock was set back under it.
    core::instant lease_begins;
    bool clock_set_under_lease = false;
    std::optional<core::finish_task> over; ///< Set while it is finished.
    std::map<core::token, grant> grants;
    std::set<std::string> data; ///< All that were ever committed, as of the next ones.
    /// All that were stored, with the place at which each was stored last, from 1. A worker may
    /// send an earlier one again: then it is the last.
    std::map<std::string, std::size_t> bookmarks;
    std::size_t last_mark = 0;
    /// The place of the last one that was acknowledged, by the token under which it was sent.
    std::map<core::token, std::size_t> acknowledged_marks;
    /// The highest number of a save that was stored, by the token under which it was sent.
    std::map<core::token, std::uint64_t> saved_numbers;
    bool was_paused = false;
    bool was_running = true; ///< Not paused.
  };
  struct queue_model {
    core::put_queue row;
    core::queue_policy policy;
    core::duration ttl_min = core::duration::max();
    core::duration total_min = core::duration::max();
    core::duration total_max = core::duration::zero();
    std::uint64_t revived = 0;
    std::uint64_t revivals_told = 0;
    core::instant last_move; ///< A grant, or the end of a lease.
  };

  std::map<core::queue_name, queue_model> queues_;
  std::map<core::task_id, task_model> tasks_;
  std::set<core::task_id> touched_;
  std::set<core::queue_name> touched_queues_;
  std::size_t late_results_ = 0;

  struct staged_task {
    core::queue_name queue;
    msg::task_request request;
    bool refused = false;
  };
  std::set<core::task_id> to_be_staged_;
  std::map<core::staging_id, staged_task> staged_; ///< Those that have not been taken in.

  // Answers that clients have got.
  std::set<core::task_id> told_; ///< Requests to make a task that have got their answer.
  std::set<core::task_id> told_new_;
  std::set<core::task_id> told_completed_new_;
};

} // namespace holdfast::sim
