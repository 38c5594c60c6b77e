#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace holdfast::soak {

using clock = std::chrono::steady_clock;

/// What a client was told about something that it asked for.
enum class told : std::uint8_t {
  yes,     ///< It is done.
  no,      ///< Refused for good: it is not done.
  unknown, ///< No answer in time: it may be done or not.
};

/// A task that was handed in.
struct enqueued_task {
  core::task_id task;
  told outcome = told::unknown;
  clock::time_point at{}; ///< When it was told.
};

/// A task whose result was handed in.
struct completed_task {
  core::task_id task;
  core::token token = 0;
  std::string result; ///< Names the try that it comes from.
  told outcome = told::unknown;
  bool stale = false; ///< Handed in on purpose after the lease had run out.
  clock::time_point at{};
};

/// A task of one try only, which its worker has failed: a dead letter.
struct failed_task {
  core::task_id task;
  told outcome = told::unknown;
  clock::time_point at{};
};

/// A judgment that was handed in.
struct handed_in_judgment {
  core::judgment_id judgment;
  core::unit_id unit;
  core::contributor_id contributor;
  told outcome = told::unknown;
  clock::time_point at{};
};

/// Source data that was handed in.
struct added_row {
  core::step_id step;
  std::string key; ///< One of its own for each row of a run.
  told outcome = told::unknown;
  clock::time_point at{};
};

/// One request, for the figures.
struct timed_request {
  clock::time_point begun; ///< When it should have been asked, by the schedule where it has one.
  float millis = 0;
  core::errc failure = core::errc::none;
  /// What was committed before its answer: tasks, results, leases, judgments. None when it was
  /// merely told something.
  std::uint32_t changed = 0;
  bool scheduled = false; ///< It kept to a schedule, whatever became of those before it.
};

/// What came of what nobody should hand in. Each has happened to somebody who was told so.
struct trouble_seen {
  std::uint64_t bad_beside_good = 0;   ///< Tasks refused as they are, in a batch with others.
  std::uint64_t refused_by_server = 0; ///< Tasks that the database would not take.
  std::uint64_t no_room = 0;           ///< Tasks beyond what their queue holds.
  std::uint64_t dead_letters = 0;
  std::uint64_t repeated = 0; ///< Known to have been done before.
};

/// What the clients have seen.
struct client_history {
  std::vector<enqueued_task> enqueued;
  std::vector<completed_task> completed;
  std::vector<failed_task> failed;
  std::vector<handed_in_judgment> judgments;
  std::vector<added_row> rows;
  std::vector<timed_request> requests;
  trouble_seen trouble;
  std::uint64_t not_sent = 0; ///< Left out, because too many scheduled requests were open.
};

/// Collects it from several threads.
class history {
public:
  template <class Function>
  void add(Function change) {
    const std::lock_guard lock{mutex_};
    change(all_);
  }
  /// Once nobody adds any more.
  const client_history& all() const { return all_; }

  std::size_t requests() const {
    const std::lock_guard lock{mutex_};
    return all_.requests.size();
  }

private:
  mutable std::mutex mutex_;
  client_history all_;
};

} // namespace holdfast::soak
