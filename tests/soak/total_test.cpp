// The total of several runs: the scorecard asks for more faults than one run has.

#include "bench/soak/report.hpp"
#include "bench/soak/total.hpp"
#include "tests/soak/timed_result.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// A run of a minute with a lease of two seconds and a kill, to be changed and added.
struct added_up : timed_result {
  added_up() : timed_result(60s) {
    result.plan.request.seed = 7;
    result.plan.request.kinds = {fault_kind::kill};
    result.command = "./dev soak --seed 7";
    result.quiet_after = 1;
    meets(fault_kind::kill, 0.4);
  }

  void meets(fault_kind kind, double takeover_seconds) {
    result.plan.request.kinds = {kind};
    result.faults.push_back({{10s, kind, 1, 3s, 2}, at(10), at(14), true, takeover_seconds, ""});
  }
  void add() { files.push_back({"run-" + std::to_string(files.size() + 1), verdict_json(result)}); }
  std::map<std::string, bench::figure> figures() const {
    std::map<std::string, bench::figure> named;
    for (const auto& one : total_figures(files, "./dev soak --total run-1 run-2"))
      BOOST_TEST(named.emplace(one.name, one).second, one.name);
    return named;
  }
  double value(const std::string& name) const {
    const auto all = figures();
    BOOST_REQUIRE_MESSAGE(all.count(name) != 0, name);
    return all.at(name).value;
  }
  bool met(const std::string& name) const {
    const auto all = figures();
    BOOST_REQUIRE_MESSAGE(all.count(name) != 0 && all.at(name).goal, name);
    return all.at(name).goal->reached_by(all.at(name).value);
  }

  std::vector<verdict_file> files;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_total, added_up)

BOOST_AUTO_TEST_CASE(runs_and_seeds_are_counted_and_figures_summed) {
  result.check.stale_attempted = 3;
  result.nodes.stale_writes = 1;
  add();
  result.plan.request.seed = 8;
  result.command = "./dev soak --seed 8";
  add();
  result.check.lost = 2;
  result.check.doubled = 1;
  add();
  BOOST_TEST(value("total.runs") == 3);
  BOOST_TEST(value("total.seeds") == 2);
  BOOST_TEST(value("total.kill.struck") == 3);
  BOOST_TEST(value("total.stale_attempted") == 9);
  BOOST_TEST(value("total.stale_writes_refused") == 3);
  BOOST_TEST(value("total.lost") == 2);
  BOOST_TEST(value("scorecard.06.total.lost") == 2);
  BOOST_TEST(!met("scorecard.06.total.lost"));
  BOOST_TEST(!met("scorecard.06.total.doubled"));
  BOOST_TEST(met("scorecard.08.total.stale_accepted"));
  const auto all = figures();
  BOOST_TEST(all.at("total.run.2.violations").command == "./dev soak --seed 8");
  BOOST_TEST(all.at("total.runs").command == "./dev soak --total run-1 run-2");
}

BOOST_AUTO_TEST_CASE(the_rows_ask_for_so_many_faults_and_late_results) { // scorecard 6, 8
  result.faults.resize(499, result.faults.front());
  result.check.stale_attempted = 200; // beside kills, which row 8 is not about
  result.nodes.stale_writes = 1;
  add();
  BOOST_TEST(!met("scorecard.06.total.kills"));
  BOOST_TEST(!met("scorecard.08.total.stale_attempted"));
  BOOST_TEST(!met("scorecard.08.total.stale_writes_refused"));
  result.faults.resize(1);
  add();
  BOOST_TEST(met("scorecard.06.total.kills"));

  result.faults.clear();
  meets(fault_kind::freeze, 2.5);
  result.faults.resize(199, result.faults.front());
  result.check.stale_attempted = 199;
  add();
  BOOST_TEST(!met("scorecard.08.total.freezes"));
  BOOST_TEST(!met("scorecard.08.total.stale_attempted"));
  BOOST_TEST(met("scorecard.08.total.stale_writes_refused"));
  result.faults.resize(1);
  result.check.stale_attempted = 1;
  add();
  BOOST_TEST(met("scorecard.08.total.freezes"));
  BOOST_TEST(met("scorecard.08.total.stale_attempted"));
}

BOOST_AUTO_TEST_CASE(takeovers_are_a_distribution_of_all_runs) { // scorecard 7
  result.faults.resize(99, result.faults.front());
  add();
  result.faults.resize(1);
  result.faults.front().takeover_seconds = 3.5; // a lease of two seconds, and one and a half
  add();
  BOOST_TEST(value("scorecard.07.total.takeover_s_p50") == 0.4);
  BOOST_TEST(met("scorecard.07.total.takeover_s_p99")); // of a hundred one may be longer
  BOOST_TEST(value("scorecard.07.total.takeover_s_max") == 3.5);
  BOOST_TEST(met("scorecard.07.total.takeover_s_max"));
  result.faults.front().takeover_seconds = 4.1;
  add();
  BOOST_TEST(!met("scorecard.07.total.takeover_s_p99"));
  BOOST_TEST(!met("scorecard.07.total.takeover_s_max"));
  BOOST_TEST(figures().count("scorecard.08.total.takeover_s_p99") == 0U); // no freeze was there
}

BOOST_AUTO_TEST_CASE(bounds_are_those_of_the_shortest_lease) {
  result.plan.request.lease_time = 5s;
  result.faults.front().takeover_seconds = 3;
  add();
  BOOST_TEST(met("scorecard.07.total.takeover_s_p50"));
  result.plan.request.lease_time = 2s;
  add();
  BOOST_TEST(!met("scorecard.07.total.takeover_s_p50"));
}

BOOST_AUTO_TEST_CASE(a_red_run_misses_a_goal_of_the_total) {
  add();
  const auto before = value("total.red");
  result.faults.front().violation = "no takeover within a minute";
  add();
  BOOST_TEST(value("total.red") == before + 1);
  BOOST_TEST(!met("total.red"));
  BOOST_TEST(!met("total.kill.violations"));
  BOOST_TEST(!met("total.run.2.violations"));
}

BOOST_AUTO_TEST_CASE(without_the_samples_of_every_run_only_the_longest_takeover_is_known) {
  add();
  const std::string older = R"({"verdict": "green", "seed": 1, "command": "c", "violations": [],
      "figures": {"seconds": 60, "lost": 0, "doubled": 0, "from_nowhere": 0, "stale_accepted": 0,
                  "faults": {"kill": {"struck": 2, "bit": 2,
                                      "takeover_s": {"n": 2, "p50": 1, "p99": 1, "max": 1}}}}})";
  files.push_back({"older", older});
  BOOST_TEST(value("scorecard.06.total.kills") == 3);
  BOOST_TEST(figures().count("scorecard.07.total.takeover_s_p99") == 0U);
  BOOST_TEST(value("scorecard.07.total.takeover_s_max") == 1);
}

BOOST_AUTO_TEST_CASE(a_run_counts_once) {
  add();
  add();
  BOOST_CHECK_EXCEPTION(figures(), std::runtime_error, [](const std::runtime_error& e) {
    return std::string{e.what()}.find("run-2") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_file_that_is_no_verdict_is_named) {
  for (const auto* text : {"", "{", "[]", "{}", R"({"figures": {"lost": "none"}})"}) {
    files = {{"odd.json", text}};
    BOOST_CHECK_EXCEPTION(figures(), std::runtime_error, [](const std::runtime_error& e) {
      return std::string{e.what()}.find("odd.json") != std::string::npos;
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
