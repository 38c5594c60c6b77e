#pragma once

#include "client/connection.hpp"
#include "client/id_source.hpp"
#include "messages/interfaces.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace holdfast::test {

/// A part of a `Fixture` that has `const client::connection& connection()`: a step that wants one
/// judgment of each unit, and what its requester and its only contributor do.
template <class Fixture>
struct simple_job {
  template <class Request>
  msg::answer_to<Request> ask(const Request& request) {
    auto answer =
        static_cast<Fixture*>(this)->connection().template ask<msg::answer_to<Request>>(request);
    BOOST_REQUIRE_MESSAGE(answer, (answer ? std::string{} : answer.error().detail));
    return *answer;
  }
  core::step_id given_step() {
    const auto created = ask(msg::create_workflow{
        {ids.next()}, R"({"name": "told", "steps": [{"key": "only", "judgments_per_unit": 1}]})"});
    return created.steps.front().step;
  }
  void feed(const core::step_id& step, int first, int number) {
    msg::add_source_data data{step, {}};
    for (int i = first; i < first + number; ++i)
      data.rows.push_back({std::to_string(i), "{}", 0});
    ask(data);
  }
  /// Judges the next unit of the step; answers which.
  core::unit_id judge(const core::step_id& step) {
    const auto given = ask(msg::ask_assignment{step, "ana", {ids.next()}});
    ask(msg::submit_judgment{
        step, given.unit, "ana", given.token, {ids.next()}, R"({"answer": "yes"})"});
    return given.unit;
  }
  void work(const core::step_id& step, int units) {
    for (int i = 0; i < units; ++i)
      judge(step);
  }

  client::id_source ids;
};

} // namespace holdfast::test
