// The verdict of a soak: what makes it red or void, and its figures.

#include "bench/soak/report.hpp"
#include "tests/soak/timed_result.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// Thirty seconds with ten answers in each; a kill from the tenth to the fourteenth, in whose first
/// two seconds nobody is answered, and which is made up for by the sixteenth.
struct green_run : timed_result {
  green_run() : timed_result(30s) {
    result.plan.request.seed = 7;
    result.plan.request.kinds = {fault_kind::kill};
    const planned_fault kill{10s, fault_kind::kill, 1, 3s, 2};
    result.plan.faults = {kill};
    result.faults = {{kill, at(10), at(14), true, 0.4, ""}};
    for (int second = 0; second < 30; ++second)
      if (second != 10 && second != 11)
        answer(second, second >= 12 && second < 15 ? 5 : 10);
    result.check.stale_attempted = 1;
    result.check.stale_refused = 1;
    result.clients.trouble = {1, 1, 1, 1, 1};
    result.verify_rounds = {{at(5), core::errc::none, ""}, {at(30), core::errc::none, ""}};
    result.quiet_after = 3;
  }

  void answer(int second, int times) {
    for (int i = 0; i < times; ++i)
      result.clients.requests.push_back({at(second) + i * 50ms, 20, core::errc::none, 1, true});
  }
  nlohmann::json verdict() const { return nlohmann::json::parse(verdict_json(result)); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_report, green_run)

BOOST_AUTO_TEST_CASE(a_run_that_met_its_faults_is_green) {
  BOOST_TEST(verdict()["verdict"] == "green");
  BOOST_TEST(void_reasons(result).empty());
  BOOST_TEST(violations(result).empty());
}

BOOST_AUTO_TEST_CASE(a_fault_that_met_nothing_makes_it_void) {
  result.faults[0].bit = false;
  BOOST_TEST(verdict()["verdict"] == "void");
  BOOST_TEST(void_reasons(result) == std::vector<std::string>{"no kill met anything"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_fault_that_was_not_planned_makes_it_void) {
  result.plan.request.kinds.push_back(fault_kind::bad_line);
  BOOST_TEST(void_reasons(result)
                 == std::vector<std::string>{"the run is too short for a bad line"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_run_without_late_results_or_live_checks_is_void) {
  result.check.stale_refused = 0;
  result.verify_rounds.clear();
  BOOST_TEST((void_reasons(result)
              == std::vector<std::string>{"it never came to late results refused",
                                          "the live database was never verified"}));
}

BOOST_AUTO_TEST_CASE(a_run_without_any_kind_of_trouble_is_void) { // scorecard 55
  result.clients.trouble = {};
  BOOST_TEST((void_reasons(result)
              == std::vector<std::string>{"it never came to bad tasks refused beside good ones",
                                          "it never came to tasks that the server refused",
                                          "it never came to tasks that a queue had no room for",
                                          "it never came to dead letters",
                                          "it never came to repetitions that were known"}));
}

BOOST_AUTO_TEST_CASE(a_run_of_two_versions_is_void_without_an_upgrade) { // F44
  result.two_versions = true;
  BOOST_TEST(
      void_reasons(result)
          == std::vector<std::string>{"nothing was upgraded: two versions take a rolling restart"},
      boost::test_tools::per_element());
  result.faults[0].versions = struck_fault::change::upgrade;
  BOOST_TEST(verdict()["verdict"] == "green");
  BOOST_TEST(verdict()["figures"]["versions"]["upgrades"] == 1);
  BOOST_TEST(verdict()["figures"]["versions"]["rollbacks"] == 0);
  result.faults[0].bit = false;
  BOOST_TEST(void_reasons(result).size() == 2U);
}

BOOST_AUTO_TEST_CASE(fault_that_is_left_out_is_told_and_makes_no_run_void) {
  result.left_out = {{fault_kind::partition, "no lines"}};
  BOOST_TEST(verdict()["verdict"] == "green");
  BOOST_TEST(verdict()["left_out"]["partition"] == "no lines");
}

BOOST_AUTO_TEST_CASE(every_kind_of_wrong_makes_it_red) {
  const auto red = [&](const std::string& with) {
    const auto all = violations(result);
    BOOST_TEST(verdict()["verdict"] == "red");
    BOOST_REQUIRE(all.size() == 1U);
    BOOST_TEST(all.front().find(with) != std::string::npos, all.front());
  };
  const auto good = result;
  result.check.violations = {"lost: a task"};
  red("lost: a task");
  result = good;
  result.check.stale_accepted = 2;
  red("2 results were accepted after");
  result = good;
  result.faults[0].violation = "no takeover within a minute";
  red("kill of n1: no takeover");
  result = good;
  result.broken_invariants = {"I-1 slots: x"};
  red("I-1 slots");
  result = good;
  result.quiet_after.reset();
  red("not all work was finished");
}

BOOST_AUTO_TEST_CASE(red_is_stronger_than_void) {
  result.faults[0].bit = false;
  result.quiet_after.reset();
  BOOST_TEST(verdict()["verdict"] == "red");
}

BOOST_AUTO_TEST_CASE(takeover_silence_and_recovery_are_figures_of_their_fault) {
  const auto kill = verdict()["figures"]["faults"]["kill"];
  BOOST_TEST(kill["struck"] == 1);
  BOOST_TEST(kill["takeover_s"]["max"] == 0.4);
  // The last answer before it came in the tenth second, the next one in the thirteenth.
  BOOST_TEST(kill["longest_silence_s"]["max"].get<double>() == 2.02,
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(verdict()["figures"]["calm_commits_answered_per_second"] == 10);
  BOOST_TEST(kill["recovery_s"]["n"] == 1);
  BOOST_TEST(kill["recovery_s"]["max"] == 2); // from 14 to the end of the second that begins at 15
}

BOOST_AUTO_TEST_CASE(a_silence_that_goes_on_counts_to_the_end_of_its_fault) {
  // The fault is over at 14 and what it leaves behind at 19; nobody is answered from 12 on.
  result.clients.requests.clear();
  for (int second = 0; second < 12; ++second)
    answer(second, 10);
  const auto silence = [&] {
    return verdict()["figures"]["faults"]["kill"]["longest_silence_s"]["max"].get<double>();
  };
  BOOST_TEST(silence() == 19 - 11.47, boost::test_tools::tolerance(1e-6));
  // What comes after that was not on time for it.
  answer(25, 10);
  BOOST_TEST(silence() == 19 - 11.47, boost::test_tools::tolerance(1e-6));
  // The next fault has a silence of its own, and the run an end.
  result.faults.push_back({{16s, fault_kind::kill, 0, 1s, 1}, at(16), at(28), true, 0.1, ""});
  BOOST_TEST(silence() == 25.02 - 16, boost::test_tools::tolerance(1e-6));
  result.clients.requests.clear();
  BOOST_TEST(silence() == 30 - 16, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(an_answer_without_a_commit_breaks_no_silence) {
  for (int second = 10; second < 12; ++second)
    result.clients.requests.push_back({at(second) + 500ms, 20, core::errc::none, false, false});
  BOOST_TEST(verdict()["figures"]["faults"]["kill"]["longest_silence_s"]["max"].get<double>()
                 == 2.02,
             boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(latencies_of_a_schedule_are_told_apart) {
  result.clients.requests.push_back({at(3), 200, core::errc::none, false, false});
  const auto figures = verdict()["figures"];
  BOOST_TEST(figures["latency_ms"]["max"] == 200);
  BOOST_TEST(figures["latency_of_scheduled_ms"]["max"] == 20);
}

BOOST_AUTO_TEST_CASE(fault_without_recovery_before_the_next_has_no_recovery_time) {
  result.faults.push_back({{15s, fault_kind::kill, 0, 1s, 1}, at(15), at(16), true, 0.1, ""});
  const auto kill = verdict()["figures"]["faults"]["kill"];
  BOOST_TEST(kill["struck"] == 2);
  BOOST_TEST(kill["recovery_s"]["n"] == 1);
  BOOST_TEST(kill["recovery_s"]["max"] == 1);
}

BOOST_AUTO_TEST_CASE(latencies_are_those_of_answers) {
  result.clients.requests.push_back({at(3), 5000, core::errc::unavailable});
  result.clients.requests.push_back({at(3), 90, core::errc::none});
  const auto figures = verdict()["figures"];
  BOOST_TEST(figures["latency_ms"]["p50"] == 20);
  BOOST_TEST(figures["latency_ms"]["max"] == 90);
  BOOST_TEST(figures["requests_failed"]["unavailable"] == 1);
}

BOOST_AUTO_TEST_CASE(outcomes_of_interrupted_commits_are_in_the_figures) { // scorecard 15
  result.plan.request.kinds = {fault_kind::commit_cut};
  result.faults[0].planned.kind = fault_kind::commit_cut;
  result.faults[0].commits = {5, 4, 0, 5, 3, {0.1, 0.3}};
  result.faults.push_back(result.faults[0]);
  const auto commits = verdict()["figures"]["faults"]["commit cut"]["commits"];
  BOOST_TEST(commits["cut_before"] == 10);
  BOOST_TEST(commits["cut_after"] == 8);
  BOOST_TEST(commits["found_absent"] == 10);
  BOOST_TEST(commits["found_there"] == 6);
  BOOST_TEST(commits["unresolved"] == 2);
  BOOST_TEST(commits["stall_s"]["n"] == 4);
  BOOST_TEST(commits["stall_s"]["max"] == 0.3);
}

BOOST_AUTO_TEST_CASE(moved_shards_are_in_the_figures_of_swizzles_and_joins) {
  result.plan.request.kinds = {fault_kind::swizzle, fault_kind::join_and_leave};
  result.faults[0].planned.kind = fault_kind::swizzle;
  result.faults[0].moves_per_flap = 1.5;
  auto join = result.faults[0];
  join.planned.kind = fault_kind::join_and_leave;
  join.shards_given = 4;
  join.violation = "a shard moved";
  result.faults.push_back(join);
  const auto faults = verdict()["figures"]["faults"];
  BOOST_TEST(faults["swizzle"]["moves_per_flap"]["max"] == 1.5);
  BOOST_TEST(faults["swizzle"]["violations"] == 0);
  BOOST_TEST(faults["join and leave"]["shards_given"] == 4);
  BOOST_TEST(faults["join and leave"]["violations"] == 1);
}

BOOST_AUTO_TEST_CASE(shards_are_without_a_host_from_the_end_of_their_process_on) { // scorecard 10
  result.plan.request.kinds = {fault_kind::drain};
  result.faults[0].planned.kind = fault_kind::drain;
  result.faults[0].takeover_seconds = 1.5;
  result.faults[0].exit_seconds = {1.25};
  const auto gap = [&] { return verdict()["figures"]["faults"]["drain"]["without_host_s"]["max"]; };
  BOOST_TEST(gap() == 0.25);
  result.faults[0].takeover_seconds = 1;
  BOOST_TEST(gap() == 0);
}

BOOST_AUTO_TEST_CASE(the_page_has_every_fault_and_the_verdict) {
  const auto page = report_html(result);
  BOOST_TEST(page.find("<h1>Soak: green</h1>") != std::string::npos);
  BOOST_TEST(page.find("<td>kill</td><td>1</td><td>1</td><td>0.4 / 0.4</td>") != std::string::npos);
  BOOST_TEST(page.find("<title>kill of n1</title>") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_page_draws_how_takeovers_and_recoveries_are_distributed) {
  result.faults.push_back({{20s, fault_kind::kill, 0, 1s, 1}, at(20), at(21), true, 0.8, ""});
  const auto page = report_html(result);
  const auto titles = [&](const std::string& text) {
    int times = 0;
    for (auto found = page.find(text); found != std::string::npos;
         found = page.find(text, found + 1))
      ++times;
    return times;
  };
  BOOST_TEST(titles("<h3>takeover: share that was over") == 1);
  BOOST_TEST(titles("<h3>takeover <small>(at most 0.8 s)") == 1);
  BOOST_TEST(titles("<h3>recovery <small>(at most 2 s)") == 1);
  // The first half of them is over half-way to the longest one.
  BOOST_TEST(titles("450,85 900,85 900,10 ") == 1);
  BOOST_TEST(titles("<title>0.4 s</title>") == 1);
  BOOST_TEST(titles("<title>2 s</title>") == 1);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
