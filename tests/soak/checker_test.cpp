// The checker of the soak must see every mistake that it is there to see: each is planted here
// once.

#include "bench/soak/checker.hpp"
#include "bench/soak/history_file.hpp"
#include "core/uuid.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

namespace holdfast::soak {

namespace {

/// A history without a mistake: three tasks, two of them done, two judgments, and two rows of
/// source data with the same key in different steps.
struct honest {
  honest() {
    for (auto& task : tasks)
      task = {ids.next({})};
    unit = {ids.next({})};
    for (auto& judgment : judgments)
      judgment = {ids.next({})};
    clients.enqueued = {{tasks[0], told::yes}, {tasks[1], told::yes}, {tasks[2], told::yes}};
    clients.completed = {{tasks[0], 1, "w1-1", told::yes, false},
                         {tasks[1], 1, "w1-2", told::no, true},
                         {tasks[1], 2, "w2-1", told::yes, false}};
    clients.judgments = {{judgments[0], unit, "ana", told::yes},
                         {judgments[1], unit, "bob", told::yes}};
    stored.tasks[tasks[0]] = {false, true, "w1-1"};
    stored.tasks[tasks[1]] = {false, true, "w2-1"};
    stored.tasks[tasks[2]] = {true, false, ""};
    stored.judgments[judgments[0]] = {unit, "ana"};
    stored.judgments[judgments[1]] = {unit, "bob"};
    for (auto& step : steps)
      step = {ids.next({})};
    clients.rows = {{steps[0], "row-1", told::yes}, {steps[1], "row-1", told::yes}};
    stored.rows = {{steps[0], "row-1"}, {steps[1], "row-1"}};
  }

  checked result() const { return check(clients, stored); }

  core::uuid_source ids{5};
  core::task_id tasks[3];
  core::unit_id unit;
  core::judgment_id judgments[2];
  core::step_id steps[2];
  client_history clients;
  final_state stored;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_checker, honest)

BOOST_AUTO_TEST_CASE(an_honest_history_is_clean) {
  const auto report = result();
  BOOST_TEST(report.violations.empty());
  BOOST_TEST(report.stale_attempted == 1U);
  BOOST_TEST(report.stale_refused == 1U);
  BOOST_TEST(report.stale_accepted == 0U);
}

BOOST_AUTO_TEST_CASE(request_of_unknown_outcome_may_be_there_or_not) {
  clients.enqueued[2].outcome = told::unknown;
  BOOST_TEST(result().violations.empty());
  stored.tasks.erase(tasks[2]);
  BOOST_TEST(result().violations.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_task_is_seen) { // I-12
  stored.tasks.erase(tasks[2]);
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(a_lost_result_is_seen) { // I-12
  stored.tasks[tasks[0]] = {true, false, ""};
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(a_result_that_was_replaced_is_seen) {
  stored.tasks[tasks[0]].result = "w9-9";
  BOOST_TEST(result().doubled == 1U);
}

BOOST_AUTO_TEST_CASE(two_accepted_results_of_one_task_are_seen) {
  clients.completed[1].outcome = told::yes;
  BOOST_TEST(result().doubled >= 1U);
  BOOST_TEST(result().stale_accepted == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_from_nowhere_is_seen) {
  stored.tasks[{ids.next({})}] = {true, false, ""};
  BOOST_TEST(result().from_nowhere == 1U);
}

BOOST_AUTO_TEST_CASE(a_refused_task_that_is_there_is_seen) {
  clients.enqueued[2].outcome = told::no;
  BOOST_TEST(result().from_nowhere == 1U);
}

BOOST_AUTO_TEST_CASE(a_dead_letter_that_is_none_is_seen) { // I-12, scorecard 55
  clients.failed = {{tasks[2], told::yes}};
  stored.tasks[tasks[2]] = {false, false, "", true};
  BOOST_TEST(result().violations.empty());
  stored.tasks[tasks[2]].dead = false;
  BOOST_TEST(result().lost == 1U);
  stored.tasks.erase(tasks[2]);
  BOOST_TEST(result().lost == 2U); // the task, too
}

BOOST_AUTO_TEST_CASE(a_dead_letter_that_nobody_failed_is_seen) {
  stored.tasks[tasks[2]] = {false, false, "", true};
  BOOST_TEST(result().from_nowhere == 1U);
  clients.failed = {{tasks[2], told::unknown}};
  BOOST_TEST(result().violations.empty());
}

BOOST_AUTO_TEST_CASE(a_lost_judgment_is_seen) { // I-12
  stored.judgments.erase(judgments[1]);
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(a_judgment_of_somebody_else_is_seen) {
  stored.judgments[judgments[1]].contributor = "eve";
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(two_judgments_of_one_contributor_on_a_unit_are_seen) { // I-1
  clients.judgments.push_back({{ids.next({})}, unit, "ana", told::unknown});
  stored.judgments[clients.judgments.back().judgment] = {unit, "ana"};
  BOOST_TEST(result().doubled == 1U);
}

BOOST_AUTO_TEST_CASE(a_late_result_that_nobody_answered_was_not_refused) {
  clients.completed[1].outcome = told::unknown;
  BOOST_TEST(result().stale_attempted == 1U);
  BOOST_TEST(result().stale_refused == 0U);
}

BOOST_AUTO_TEST_CASE(lost_source_data_is_seen) { // I-12
  stored.rows.erase(stored.rows.begin()); // the other step's row of this key does not stand for it
  BOOST_TEST(result().lost == 1U);
}

BOOST_AUTO_TEST_CASE(source_data_that_became_two_units_is_seen) {
  stored.rows.push_back({steps[1], "row-1"});
  BOOST_TEST(result().doubled == 1U);
}

BOOST_AUTO_TEST_CASE(source_data_from_nowhere_is_seen) {
  stored.rows.push_back({steps[0], "row-2"});
  BOOST_TEST(result().from_nowhere == 1U);
}

BOOST_AUTO_TEST_CASE(refused_source_data_that_is_there_is_seen) {
  clients.rows[0].outcome = told::no;
  BOOST_TEST(result().from_nowhere == 1U);
}

BOOST_AUTO_TEST_CASE(source_data_of_which_nobody_knows_may_be_there_or_not) {
  clients.rows[0].outcome = told::unknown;
  BOOST_TEST(result().violations.empty());
  stored.rows.erase(stored.rows.begin());
  BOOST_TEST(result().violations.empty());
}

BOOST_AUTO_TEST_CASE(the_history_is_there_to_be_searched) {
  clients.failed = {{tasks[2], told::unknown}};
  const auto lines = history_lines(clients);
  BOOST_TEST(std::count(lines.begin(), lines.end(), '\n') == 11);
  const auto has = [&](const std::string& line) {
    return lines.find(line + '\n') != std::string::npos;
  };
  BOOST_TEST(has(R"({"what":"enqueued","told":"yes","task":")" + to_string(tasks[0]) + R"("})"));
  BOOST_TEST(has(R"({"what":"completed","told":"no","task":")" + to_string(tasks[1])
                 + R"(","token":1,"result":"w1-2","late":true})"));
  BOOST_TEST(has(R"({"what":"failed","told":"unknown","task":")" + to_string(tasks[2]) + R"("})"));
  BOOST_TEST(has(R"({"what":"judged","told":"yes","judgment":")" + to_string(judgments[0])
                 + R"(","unit":")" + to_string(unit) + R"(","contributor":"ana"})"));
  BOOST_TEST(has(R"({"what":"source data","told":"yes","step":")" + to_string(steps[1])
                 + R"(","key":"row-1"})"));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
