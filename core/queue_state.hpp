#pragma once

#include "core/dispatcher.hpp"
#include "core/ids.hpp"
#include "core/queue_policy.hpp"
#include "core/schedule.hpp"
#include "core/task.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::core {

/// A queue: its live tasks, and which of them go to whom next.
///
/// All decisions about a task are made on it (core/queue.hpp) and not by an actor of its own: its
/// whole life is three decisions of a microsecond each, and its order, limits and shares depend on
/// all the others (docs/adr/0007).
struct queue {
  queue_name name;
  queue_policy policy;
  std::string definition; ///< The policy as stored.
  bool paused = false;
  std::set<std::string> paused_types;
  std::uint64_t revision = 0;
  bool removed = false;   ///< Nothing comes into it any more; its rows may not be gone yet.
  token tokens_above = 0; ///< Leases are granted under higher tokens only.
  std::optional<instant> latest_decision; ///< As `heed_clock` keeps it.
  /// Tasks whose lease ends earlier than the store has it, since the clock was set back.
  std::unordered_set<task_id> shortened;

  std::unordered_map<task_id, task> tasks;
  std::map<std::string, schedule> schedules; ///< By name.

  // The rest is all derived from `tasks` and `schedules`.
  dispatcher ready;                                ///< Tasks that are due and not leased.
  std::set<std::pair<instant, task_id>> sleeping;  ///< Not due, by `next_action`.
  std::set<std::pair<instant, task_id>> expiries;  ///< Ends of leases.
  std::unordered_map<std::string, task_id> unique; ///< By unique key.
  std::unordered_map<assignment_id, std::vector<task_id>> claims; ///< Those still leased.
  std::unordered_map<worker_id, std::set<task_id>> held;
  /// Leases that nobody has received yet: see `note_undelivered`.
  std::unordered_set<task_id> undelivered;
  std::set<std::pair<instant, std::string>> schedules_due; ///< By when they are to be run.
};

/// A worker's lease that was taken away.
struct lost_lease {
  worker_id worker;
  task_id task;
  core::token token = 0;
};

} // namespace holdfast::core
