// Rows of the scorecard, of the verdicts of its runs.

#include "bench/soak/report.hpp"
#include "bench/soak/scorecard.hpp"
#include "tests/soak/timed_result.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// A run of a minute with one fault, for a scorecard with a lease of five seconds.
struct carded : timed_result {
  carded() : timed_result(60s) {
    result.command = "./dev soak --seed 1";
    result.quiet_after = 1;
  }

  struck_fault& meets(fault_kind kind) {
    result.plan.request.kinds = {kind};
    result.faults = {{{10s, kind, 1, 3s, 2}, at(10), at(14), true, 0.4, ""}};
    return result.faults.front();
  }
  std::map<std::string, bench::figure> figures() const {
    std::map<std::string, bench::figure> named;
    for (const auto& one :
         scorecard_figures({"alone", result.plan.request.kinds}, verdict_json(result), 5))
      named[one.name] = one;
    return named;
  }
  /// Whether the goal of a figure is met; it must be there, and have one.
  bool met(const std::string& name) const {
    const auto all = figures();
    const auto found = all.find("scorecard." + name);
    BOOST_REQUIRE_MESSAGE(found != all.end() && found->second.goal, name);
    return found->second.goal->reached_by(found->second.value);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_scorecard, carded)

BOOST_AUTO_TEST_CASE(the_runs_have_every_kind_of_fault_once) {
  std::vector<fault_kind> kinds;
  for (const auto& run : scorecard_runs())
    kinds.insert(kinds.end(), run.kinds.begin(), run.kinds.end());
  std::sort(kinds.begin(), kinds.end());
  BOOST_TEST(kinds.size() == fault_names.size());
  BOOST_TEST((std::unique(kinds.begin(), kinds.end()) == kinds.end()));
}

BOOST_AUTO_TEST_CASE(takeovers_after_kills_are_held_against_the_lease) {
  auto& kill = meets(fault_kind::kill);
  kill.takeover_seconds = 3;
  for (const auto* name : {"07.kill.takeover_s_p50", "07.kill.takeover_s_p99",
                           "07.kill.takeover_s_max", "06.kill.lost", "06.kill.doubled"})
    BOOST_TEST(met(name), name);
  kill.takeover_seconds = 3.1;
  BOOST_TEST(!met("07.kill.takeover_s_p50"));
  BOOST_TEST(met("07.kill.takeover_s_p99"));
  kill.takeover_seconds = 6.1;
  BOOST_TEST(!met("07.kill.takeover_s_p99"));
  BOOST_TEST(met("07.kill.takeover_s_max"));
  result.check.lost = 1;
  BOOST_TEST(!met("06.kill.lost"));
  BOOST_TEST(figures().at("scorecard.06.kill.struck").value == 1);
  BOOST_TEST(figures().at("scorecard.06.kill.struck").command == "./dev soak --seed 1");
}

BOOST_AUTO_TEST_CASE(red_or_void_run_misses_a_goal) {
  meets(fault_kind::compound).bit = false;
  BOOST_TEST(!met("55.alone.void_reasons"));
  result.quiet_after.reset();
  BOOST_TEST(!met("55.alone.violations"));
}

BOOST_AUTO_TEST_CASE(a_violation_counts_for_its_fault) {
  for (const auto& [kind, name] :
       {std::pair{fault_kind::blink, "09.blink.violations"},
        {fault_kind::clock_jump, "11.clock_jump.violations"},
        {fault_kind::database_clock, "11.database_clock.violations"},
        {fault_kind::worker_clock, "11.worker_clock.violations"},
        {fault_kind::partition, "22.partition.violations"},
        {fault_kind::far_line, "24.far_line.violations"},
        {fault_kind::swizzle, "25.swizzle.violations"},
        {fault_kind::join_and_leave, "joining.join_and_leave.violations"}}) {
    auto& fault = meets(kind);
    BOOST_TEST(met(name), name);
    fault.violation = "shards moved";
    BOOST_TEST(!met(name), name);
  }
}

BOOST_AUTO_TEST_CASE(interrupted_commits_are_counted_and_resolved) {
  meets(fault_kind::commit_cut).commits = {2, 2, 0, 2, 1, {0.1}};
  BOOST_TEST(!met("15.commit_cut.unresolved"));
  BOOST_TEST(figures().at("scorecard.15.commit_cut.cut_after").value == 2);
  meets(fault_kind::commit_hang).commits = {0, 0, 1, 0, 1, {6.5}};
  BOOST_TEST(met("16.commit_hang.unresolved"));
  BOOST_TEST(!met("16.commit_hang.stall_s_p99"));
}

BOOST_AUTO_TEST_CASE(
    only_commits_that_the_database_lost_may_be_missing_and_some_must_be) { // issue 31
  auto& fault = meets(fault_kind::lossy_failover);
  fault.generation_seconds = 5.9;
  BOOST_TEST(!met("lossy_failover.lossy_failover.excused")); // nothing was proved
  result.check.excused = 1;
  for (const auto* name : {"excused", "lost", "doubled", "violations", "generation_s_max"})
    BOOST_TEST(met("lossy_failover.lossy_failover." + std::string{name}), name);
  result.check.lost = 1;
  BOOST_TEST(!met("lossy_failover.lossy_failover.lost"));
  fault.generation_seconds = 6.1;
  BOOST_TEST(!met("lossy_failover.lossy_failover.generation_s_max"));

  meets(fault_kind::standby_away); // it loses nothing that was acknowledged
  BOOST_TEST(!met("standby_away.standby_away.excused"));
  result.check.excused = 0;
  BOOST_TEST(met("standby_away.standby_away.excused"));
}

BOOST_AUTO_TEST_CASE(runs_that_do_not_recover_are_counted) {
  meets(fault_kind::server_crash);
  commits(1, 10, 100);
  BOOST_TEST(!met("14.server_crash.not_recovered"));
  BOOST_TEST(figures().count("scorecard.14.server_crash.recovery_s_p99") == 0U);
  commits(15, 60, 100);
  for (const auto* name : {"14.server_crash.not_recovered", "14.server_crash.recovery_s_p99",
                           "14.server_crash.first_commit_after_s_p99"})
    BOOST_TEST(met(name), name);
  result.faults.front().ended = at(12.9);
  BOOST_TEST(!met("14.server_crash.first_commit_after_s_p99")); // 2.1 s
}

BOOST_AUTO_TEST_CASE(writes_of_who_lost_a_shard_are_wanted_and_refused) {
  meets(fault_kind::freeze);
  BOOST_TEST(!met("08.freeze.stale_writes_refused"));
  result.nodes.stale_writes = 1;
  BOOST_TEST(met("08.freeze.stale_writes_refused"));
}

BOOST_AUTO_TEST_CASE(clients_that_return_all_at_once_are_counted) {
  meets(fault_kind::outage);
  result.sessions_of_nodes = {at(14)};
  for (const auto* name : {"36.outage.sessions_in_a_second_max", "36.outage.relapses",
                           "36.outage.recovery_of_95_percent_s_max", "36.outage.lost"})
    BOOST_TEST(met(name), name);
  result.sessions_of_nodes.assign(51, at(14));
  BOOST_TEST(!met("36.outage.sessions_in_a_second_max"));

  meets(fault_kind::disk_full); // for four seconds
  result.sessions_of_nodes.assign(60, at(12));
  BOOST_TEST(met("20.disk_full.sessions_a_second_of_a_node_max"));
  result.sessions_of_nodes.assign(61, at(12));
  BOOST_TEST(!met("20.disk_full.sessions_a_second_of_a_node_max"));
}

BOOST_AUTO_TEST_CASE(a_figure_that_was_not_measured_is_left_out) {
  auto& freeze = meets(fault_kind::freeze);
  freeze.takeover_seconds.reset();
  BOOST_TEST(figures().count("scorecard.08.freeze.takeover_s_p99") == 0U);
  BOOST_TEST(!met("08.freeze.stale_attempted")); // nothing was proved
}

BOOST_AUTO_TEST_CASE(every_kind_makes_figures_without_stumbling) {
  for (std::size_t i = 0; i < fault_names.size(); ++i) {
    meets(static_cast<fault_kind>(i));
    BOOST_TEST(figures().size() >= 2U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
