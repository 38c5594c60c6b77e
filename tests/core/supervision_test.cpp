// The children that are stopped and started when one ends, and the end of a supervisor.

#include "core/supervision.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

namespace {

std::string list_of(const std::vector<std::size_t>& children) {
  std::string text;
  for (const auto child : children)
    text += (text.empty() ? "" : " ") + std::to_string(child);
  return text;
}

/// The verdict on the end of `ended` of four children, with no restarts before.
std::string verdict_on(strategy how, std::size_t ended, restart kind = restart::permanent,
                       bool crashed = true) {
  restart_history history;
  const auto v = judge(how, kind, intensity{}, history, 4, ended, crashed, beginning);
  if (v.escalate)
    return "escalate";
  return "stop [" + list_of(v.stopped) + "], start [" + list_of(v.started) + "]";
}

/// Whether the n-th of these restarts is the first to escalate; 0 when none does.
std::size_t first_escalation(const intensity& limit, const std::vector<duration>& at) {
  restart_history history;
  for (std::size_t n = 0; n < at.size(); ++n)
    if (judge(strategy::one_for_one, restart::permanent, limit, history, 1, 0, true,
              beginning + at[n])
            .escalate)
      return n + 1;
  return 0;
}

} // namespace

BOOST_AUTO_TEST_SUITE(supervision)

BOOST_AUTO_TEST_CASE(one_for_one_restarts_the_one_that_ended) {
  BOOST_TEST(verdict_on(strategy::one_for_one, 0) == "stop [], start [0]");
  BOOST_TEST(verdict_on(strategy::one_for_one, 2) == "stop [], start [2]");
  BOOST_TEST(verdict_on(strategy::one_for_one, 3) == "stop [], start [3]");
}

BOOST_AUTO_TEST_CASE(rest_for_one_restarts_it_and_what_was_started_after_it) {
  BOOST_TEST(verdict_on(strategy::rest_for_one, 0) == "stop [3 2 1], start [0 1 2 3]");
  BOOST_TEST(verdict_on(strategy::rest_for_one, 2) == "stop [3], start [2 3]");
  BOOST_TEST(verdict_on(strategy::rest_for_one, 3) == "stop [], start [3]");
}

BOOST_AUTO_TEST_CASE(one_for_all_restarts_all_stopping_the_last_first) {
  BOOST_TEST(verdict_on(strategy::one_for_all, 0) == "stop [3 2 1], start [0 1 2 3]");
  BOOST_TEST(verdict_on(strategy::one_for_all, 2) == "stop [3 1 0], start [0 1 2 3]");
  BOOST_TEST(verdict_on(strategy::one_for_all, 3) == "stop [2 1 0], start [0 1 2 3]");
}

BOOST_AUTO_TEST_CASE(the_kind_of_a_child_decides_whether_its_end_matters) {
  const std::string nothing = "stop [], start []";
  const std::string again = "stop [], start [1]";
  const auto how = strategy::one_for_one;
  BOOST_TEST(verdict_on(how, 1, restart::permanent, true) == again);
  BOOST_TEST(verdict_on(how, 1, restart::permanent, false) == again);
  BOOST_TEST(verdict_on(how, 1, restart::transient, true) == again);
  BOOST_TEST(verdict_on(how, 1, restart::transient, false) == nothing);
  BOOST_TEST(verdict_on(how, 1, restart::temporary, true) == nothing);
  BOOST_TEST(verdict_on(how, 1, restart::temporary, false) == nothing);
  // Also where one takes the others with it.
  BOOST_TEST(verdict_on(strategy::one_for_all, 1, restart::temporary, true) == nothing);
  BOOST_TEST(verdict_on(strategy::rest_for_one, 1, restart::transient, false) == nothing);
}

BOOST_AUTO_TEST_CASE(one_restart_too_many_within_the_window_escalates) {
  const intensity limit{3, 60s};
  BOOST_TEST(first_escalation(limit, {0s, 1s, 2s}) == 0U);
  BOOST_TEST(first_escalation(limit, {0s, 1s, 2s, 3s}) == 4U);
  BOOST_TEST(first_escalation(limit, {0s, 0s, 0s, 0s}) == 4U);
  BOOST_TEST(first_escalation({0, 60s}, {0s}) == 1U);
}

BOOST_AUTO_TEST_CASE(a_restart_leaves_the_window_to_the_microsecond) {
  const intensity limit{2, 60s};
  BOOST_TEST(first_escalation(limit, {0s, 30s, 60s - 1us}) == 3U);
  BOOST_TEST(first_escalation(limit, {0s, 30s, 60s}) == 0U);
  BOOST_TEST(first_escalation(limit, {0s, 30s, 60s, 90s - 1us}) == 4U);
  BOOST_TEST(first_escalation(limit, {0s, 30s, 60s, 90s}) == 0U);
}

BOOST_AUTO_TEST_CASE(children_that_are_not_restarted_do_not_use_up_the_intensity) {
  restart_history history;
  const intensity limit{1, 60s};
  for (int i = 0; i < 5; ++i)
    judge(strategy::one_for_one, restart::temporary, limit, history, 1, 0, true, beginning);
  BOOST_TEST(
      !judge(strategy::one_for_one, restart::permanent, limit, history, 1, 0, true, beginning)
           .escalate);
  const auto second =
      judge(strategy::one_for_all, restart::permanent, limit, history, 3, 0, true, beginning);
  BOOST_TEST(second.escalate);
  BOOST_TEST(second.stopped.empty());
  BOOST_TEST(second.started.empty());
}

BOOST_AUTO_TEST_SUITE_END()
