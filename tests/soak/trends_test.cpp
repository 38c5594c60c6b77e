// What grows with a run: lines through what processes use, and what of it makes a run red.

#include "bench/soak/goals.hpp"
#include "bench/soak/report.hpp"
#include "bench/soak/trends.hpp"
#include "tests/soak/timed_result.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <functional>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// An hour of three nodes, each looked at every ten seconds; the second one is told apart.
struct an_hour : timed_result {
  an_hour() : timed_result(1h) { result.quiet_after = 1; }

  void sample(const std::function<process_reading(double hours)>& second_node) {
    result.samples.clear();
    const auto count = result.plan.request.load_time / 10s;
    for (int i = 0; i < count; ++i) {
      const process_reading steady{"a", 100, 20, 9, 50};
      result.samples.push_back({result.begun + i * 10s, {steady, second_node(i / 360.0), steady}});
    }
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_trends, an_hour)

BOOST_AUTO_TEST_CASE(points_of_a_line_have_its_slope) {
  const auto line = fit({{0, 5}, {3600, 7}, {7200, 9}, {10800, 11}, {14400, 13}});
  BOOST_REQUIRE(line);
  BOOST_TEST(line->per_hour == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(line->at_least_per_hour == 2, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(line->median == 9);
}

BOOST_AUTO_TEST_CASE(points_beside_the_line_make_it_uncertain) {
  const auto line = fit({{0, 0}, {3600, 3}, {7200, 0}, {10800, 3}, {14400, 0}});
  BOOST_REQUIRE(line);
  BOOST_TEST(line->per_hour == 0);
  BOOST_TEST(line->at_least_per_hour < 0);
}

BOOST_AUTO_TEST_CASE(few_points_or_those_of_one_moment_make_no_line) {
  BOOST_TEST(!fit({{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
  BOOST_TEST(!fit({{1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, 5}}));
}

BOOST_AUTO_TEST_CASE(memory_that_grows_makes_a_long_run_red) { // scorecard 43
  sample([](double hours) { return process_reading{"b", 100 + 4 * hours, 20, 9, 50}; });
  BOOST_TEST(missed_goals(result).empty());
  sample([](double hours) { return process_reading{"b", 100 + 6 * hours, 20, 9, 50}; });
  const auto missed = missed_goals(result);
  BOOST_REQUIRE(missed.size() == 1U);
  BOOST_TEST(missed.front() == "a node's memory grows by 5.80 % an hour; at most 5.00 %");
}

BOOST_AUTO_TEST_CASE(files_threads_and_actors_do_not_grow) { // scorecard 43
  sample([](double hours) { return process_reading{"b", 100, 20 + 2 * hours, 9, 50}; });
  BOOST_TEST(missed_goals(result).size() == 1U);
  sample([](double hours) { return process_reading{"b", 100, 20, 9 + 2 * hours, 50}; });
  BOOST_TEST(missed_goals(result).size() == 1U);
  sample([](double hours) { return process_reading{"b", 100, 20, 9, 50 + 2 * hours}; });
  BOOST_TEST(missed_goals(result).size() == 1U);
  sample([](double hours) {
    return process_reading{"b", 100, 20 + hours / 2, 9 - hours, std::nullopt};
  });
  BOOST_TEST(missed_goals(result).empty());
}

BOOST_AUTO_TEST_CASE(a_short_run_says_nothing_about_growth) {
  result.plan.request.load_time = 29min;
  sample([](double hours) { return process_reading{"b", 100 + 100 * hours, 20, 9, 50}; });
  BOOST_TEST(missed_goals(result).empty());
  const auto memory = nlohmann::json::parse(verdict_json(result))["figures"]["nodes"]["memory_mib"];
  BOOST_TEST(memory["slope_per_hour"].get<double>() == 100, boost::test_tools::tolerance(0.01));
  BOOST_TEST(memory["slope_percent_per_hour"].get<double>() > 50);
}

BOOST_AUTO_TEST_CASE(value_that_comes_and_goes_is_no_growth) {
  sample([](double hours) {
    const auto minute = static_cast<int>(hours * 60);
    return process_reading{"b", 100.0 + minute * 7 % 30, 20, 9, 50};
  });
  BOOST_TEST(missed_goals(result).empty());
}

BOOST_AUTO_TEST_CASE(backlog_of_an_outage_is_no_growth) {
  // It goes again before the end. A line by least squares would rise by more than its error.
  sample([](double hours) {
    const auto minute = static_cast<int>(hours * 60);
    return process_reading{"b", minute >= 43 && minute < 58 ? 180.0 : 100.0, 20, 9, 50};
  });
  BOOST_TEST(missed_goals(result).empty());
}

BOOST_AUTO_TEST_CASE(a_process_gets_warm_without_growing) {
  // It climbs in its first minutes, and again for some seconds whenever it was started again.
  sample([](double hours) {
    const auto minute = static_cast<int>(hours * 60);
    const auto age = hours * 60 - minute; // of a minute
    const bool young = minute % 10 == 0 && age < 0.4;
    return process_reading{"b" + std::to_string(minute / 10),
                           minute < 9 ? 10.0 + minute : (young ? 10.0 : 100.0), 20, 9, 50};
  });
  BOOST_TEST(missed_goals(result).empty());
  BOOST_TEST(std::abs(worst_trend(result, resource::memory)->per_hour) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_leak_is_seen_across_restarts) {
  sample([](double hours) {
    return process_reading{"b" + std::to_string(static_cast<int>(hours * 12)), 100 + 20 * hours, 20,
                           9, 50};
  });
  BOOST_TEST(missed_goals(result).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_node_that_does_not_run_has_no_reading) {
  sample([](double) { return process_reading{"b", 100, 20, 9, 50}; });
  for (auto& one : result.samples)
    one.nodes[1].reset();
  BOOST_TEST(missed_goals(result).empty());
  for (auto& one : result.samples)
    one.nodes.assign(3, std::nullopt);
  BOOST_TEST(!worst_trend(result, resource::memory));
  BOOST_TEST(most(result, resource::memory) == 0);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
