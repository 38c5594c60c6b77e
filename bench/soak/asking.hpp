#pragma once

#include "bench/soak/history.hpp"
#include "client/connection.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>
#include <vector>

namespace holdfast::soak {

inline core::instant wall_now() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

/// What a failed request means for what it asked for.
inline told told_by(core::errc why) {
  switch (why) {
  case core::errc::none:
    return told::yes;
  case core::errc::unavailable:
  case core::errc::overloaded:
  case core::errc::fenced:
    return told::unknown;
  default:
    return told::no;
  }
}

/// How much was committed of what was asked.
template <class Answer>
std::size_t changes_in(const Answer& answer) {
  if constexpr (std::is_same_v<Answer, msg::task_outcomes>)
    return static_cast<std::size_t>(
        std::count_if(answer.outcomes.begin(), answer.outcomes.end(), [](const auto& one) {
          return one.refusal == core::errc::none && !one.repeated;
        }));
  else if constexpr (std::is_same_v<Answer, msg::leased_tasks>)
    return answer.tasks.size();
  else if constexpr (std::is_same_v<Answer, msg::judgment_accepted>)
    return answer.repeated ? 0 : 1;
  else if constexpr (std::is_same_v<Answer, msg::source_data_added>)
    return answer.added;
  else
    return std::is_same_v<Answer, msg::assignment> ? 1 : 0;
}

template <class Answer>
timed_request timing_of(const core::outcome<Answer>& answer, clock::time_point begun) {
  timed_request timed;
  timed.begun = begun;
  timed.millis = std::chrono::duration<float, std::milli>(clock::now() - begun).count();
  timed.failure = answer ? core::errc::none : answer.error().code;
  timed.changed = answer ? static_cast<std::uint32_t>(changes_in(*answer)) : 0;
  return timed;
}

/// Asks, waits for the answer and notes how it went.
template <class Request>
auto ask(const client::connection& node, history& noted, const Request& request) {
  const auto begun = clock::now();
  auto answer = node.ask<msg::answer_to<Request>>(request);
  noted.add([&](client_history& all) { all.requests.push_back(timing_of(answer, begun)); });
  return answer;
}

/// Hands in the results of `done`.
inline msg::complete_tasks completion_of(const core::queue_name& queue,
                                         const core::worker_id& worker,
                                         const std::vector<completed_task>& done) {
  msg::complete_tasks request{queue, worker, {}};
  for (const auto& one : done)
    request.tasks.push_back({{one.task, one.token}, R"({"try": ")" + one.result + R"("})"});
  return request;
}

/// Notes what became of them.
inline void note_completions(client_history& all, std::vector<completed_task> done,
                             const core::outcome<msg::task_outcomes>& answer) {
  for (std::size_t i = 0; i < done.size(); ++i) {
    done[i].at = clock::now();
    done[i].outcome = answer ? told_by(answer->outcomes[i].refusal) : told_by(answer.error().code);
    all.completed.push_back(std::move(done[i]));
  }
}

/// Notes what became of tasks that were handed in.
inline void note_enqueued(client_history& all, const std::vector<core::task_id>& tasks,
                          const core::outcome<msg::task_outcomes>& answer) {
  for (std::size_t i = 0; i < tasks.size(); ++i)
    all.enqueued.push_back(
        {tasks[i], answer ? told_by(answer->outcomes[i].refusal) : told_by(answer.error().code),
         clock::now()});
}

} // namespace holdfast::soak
