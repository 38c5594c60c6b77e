#pragma once

#include "core/time.hpp"
#include "http/door.hpp"
#include "http/fields.hpp"
#include "http/route_table.hpp"
#include "http/routes.hpp"
#include "http/shapes/task_shapes.hpp"
#include "http/shapes/work_shapes.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

/// Requests that can wait: for the end of a task, for a unit of a step.
namespace holdfast::http {

/// The time that a request may wait, in its query.
template <class Fields>
void describe_wait(Fields& f, core::duration& wait, std::string_view doc) {
  f.query("wait", bounded{wait, 0, 60}, doc);
}

// --- a task ---

enum class task_point : std::uint8_t { finished = 1 };

inline const word_list& task_point_words() {
  static const word_list words{{"finished", static_cast<std::uint64_t>(task_point::finished)}};
  return words;
}

struct task_wanted {
  static constexpr route_row row{topic::tasks, verb::get, "/v1/tasks/{id}", 200,
                                 "Read a task, or wait for its end"};
  static constexpr std::string_view name = "get_task";
  using answer = msg::task_view;
  static std::vector<other_answer> other_answers();
  static void run(const door& through, const visit& from, const task_wanted& asked);

  msg::get_task message;
  core::duration wait{0};
  task_point until = task_point::finished;
};

template <class Fields>
void describe(Fields& f, task_wanted& x) {
  describe(f, x.message);
  describe_wait(f, x.wait, "Seconds to wait for the end of the task, 0 by default.");
  f.query("until", word{x.until, task_point_words()},
          "The state to wait for. `finished`, the default: completed, failed, dead or canceled.");
}

// --- a unit of a step ---

struct assignment_wanted {
  static constexpr route_row row{topic::work, verb::post, "/v1/assignments", 200,
                                 "Ask for an assignment"};
  static constexpr std::string_view name = "ask_assignment";
  using answer = msg::assignment;
  static std::vector<other_answer> other_answers();
  static void run(const door& through, const visit& from, const assignment_wanted& asked);

  msg::ask_assignment message;
  core::duration wait{0};
};

template <class Fields>
void describe(Fields& f, assignment_wanted& x) {
  describe(f, x.message);
  describe_wait(f, x.wait,
                "Seconds to wait for a unit, 0 by default. A client that closes its connection "
                "gives up its wait, and a unit that was granted meanwhile goes back.");
}

} // namespace holdfast::http
