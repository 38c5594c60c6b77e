#pragma once

#include "bench/soak/final_state.hpp"
#include "bench/soak/history.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace holdfast::soak {

/// Commits that a database has lost: a copy that lagged behind it took its place. An asynchronous
/// standby does that in a failover, and an older copy when it is restored. The acknowledgements of
/// these commits are excused; those of all other commits are not.
struct lost_commits {
  /// Everything acknowledged before that was in the copy.
  clock::time_point from{};
  /// All nodes had noticed the loss, and their earlier answers had arrived. A later acknowledgement
  /// comes from a node that had read the copy.
  clock::time_point until{};
  std::set<core::task_id> tasks; ///< That the copy did not have at all.
  /// By the task that the copy had as unfinished, or not at all.
  std::map<core::task_id, std::string> results;
  std::set<core::task_id> dead_letters; ///< Likewise.
  std::set<core::judgment_id> judgments;
  std::set<std::pair<core::step_id, std::string>> rows; ///< Source data, by its step and key.

  bool empty() const {
    return tasks.empty() && results.empty() && dead_letters.empty() && judgments.empty()
           && rows.empty();
  }
  std::size_t size() const {
    return tasks.size() + results.size() + dead_letters.size() + judgments.size() + rows.size();
  }

  /// Whether a loss is the reason why an acknowledged record is not there.
  bool excuses(const enqueued_task& one) const {
    return when(one.at) && tasks.count(one.task) != 0;
  }
  bool excuses(const completed_task& one) const {
    const auto found = results.find(one.task);
    return when(one.at) && found != results.end() && found->second == one.result;
  }
  bool excuses(const failed_task& one) const {
    return when(one.at) && dead_letters.count(one.task) != 0;
  }
  bool excuses(const handed_in_judgment& one) const {
    return when(one.at) && judgments.count(one.judgment) != 0;
  }
  bool excuses(const added_row& one) const {
    return when(one.at) && rows.count({one.step, one.key}) != 0;
  }

private:
  bool when(clock::time_point told_at) const { return from <= told_at && told_at <= until; }
};

/// The records that a database `had` and its copy did not keep. The caller sets the times.
lost_commits lost_between(const final_state& had, const final_state& kept);

} // namespace holdfast::soak
