// What a soak is to reach: each goal that is missed makes it red, and what is just reached does
// not.

#include "bench/soak/figures.hpp"
#include "bench/soak/goals.hpp"
#include "bench/soak/report.hpp"
#include "tests/soak/timed_result.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

/// A minute with a lease of two seconds, in which a node is drained from the twentieth second to
/// the twenty-second, and was frozen before, from the tenth to the fifteenth.
struct reached : timed_result {
  reached() : timed_result(60s) {
    result.plan.request.kinds = {fault_kind::freeze, fault_kind::drain};
    result.ended = at(70);
    struck_fault freeze{{10s, fault_kind::freeze, 1, 5s, 2}, at(10), at(15), true, 3, ""};
    struck_fault drain{{20s, fault_kind::drain, 0, 0s, 2}, at(20), at(22), true, 1.5, ""};
    drain.exit_seconds = {1.2};
    result.faults = {freeze, drain};
    result.verify_rounds = {{at(5), core::errc::none, ""}, {at(70), core::errc::none, ""}};
    result.quiet_after = 120;
  }

  void fails(double from, double to, core::errc why = core::errc::unavailable) {
    result.clients.requests.push_back(
        {at(from), static_cast<float>((to - from) * 1000), why, false, true});
  }
  void red(const std::string& with) const {
    const auto missed = missed_goals(result);
    BOOST_REQUIRE(missed.size() == 1U);
    BOOST_TEST(missed.front().find(with) != std::string::npos, missed.front());
    BOOST_TEST(violations(result) == missed, boost::test_tools::per_element());
  }
  void reached_all() const { BOOST_TEST(missed_goals(result).empty()); }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(soak_goals, reached)

BOOST_AUTO_TEST_CASE(goal_that_is_just_met_is_met) { reached_all(); }

BOOST_AUTO_TEST_CASE(a_frozen_node_is_taken_over_within_its_lease_and_a_second) {
  result.faults[0].takeover_seconds = 3.01;
  red("takeover after a freeze took 3.01 s at p99 of 1; at most 3.00 s");
  result.faults[0].planned.kind = fault_kind::database_partition;
  red("takeover after a database partition took 3.01 s");
  result.faults[0].planned.kind = fault_kind::hesitation;
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_dead_node_is_taken_over_within_a_second) {
  result.faults[0].planned.kind = fault_kind::kill;
  red("takeover after a kill took 3.00 s");
  result.faults[0].takeover_seconds = 1;
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_takeover_from_who_hosted_nothing_counts_not) {
  result.faults[0].takeover_seconds = 9;
  result.faults[0].bit = false;
  reached_all();
}

BOOST_AUTO_TEST_CASE(one_slow_takeover_among_a_hundred_is_within_the_goal) {
  const auto freeze = result.faults[0];
  for (int i = 0; i < 99; ++i)
    result.faults.insert(result.faults.begin(), freeze);
  result.faults[0].takeover_seconds = 30;
  reached_all();
  result.faults[1].takeover_seconds = 30;
  red("30.00 s at p99 of 100");
}

BOOST_AUTO_TEST_CASE(no_request_fails_by_a_drain) {
  fails(21, 21.5);
  red("a drain at 20.00 s: 1 requests failed");
  result.faults[1].planned.kind = fault_kind::rolling_restart;
  red("a rolling restart at 20.00 s: 1 requests failed");
  result.faults[1].planned.kind = fault_kind::server_crash;
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_request_that_was_open_when_a_drain_began_counts) {
  fails(16, 20.5);
  red("1 requests failed");
}

BOOST_AUTO_TEST_CASE(a_request_that_a_drain_cannot_have_hurt_does_not_count) {
  fails(14, 21); // it met the freeze first
  fails(16, 19); // it was over before
  fails(23, 24); // it began afterwards
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_request_that_was_still_open_at_the_next_fault_counts) {
  struck_fault crash{{30s, fault_kind::server_crash, 0, 1s, 1}, at(30), at(31), true, {}, ""};
  result.faults.push_back(crash);
  fails(21, 40); // eight seconds without anything wrong were enough for it
  red("a drain at 20.00 s: 1 requests failed");
}

BOOST_AUTO_TEST_CASE(clients_that_waited_for_the_server_do_not_overrun_it) { // scorecard 36
  result.faults[0].planned.kind = fault_kind::outage;
  result.faults[0].takeover_seconds.reset();
  const auto begin = [&](double from, double to, int sessions) {
    for (int i = 0; i < sessions; ++i)
      result.sessions_of_nodes.push_back(at(from + (to - from) * i / sessions));
  };
  begin(1, 1.5, 60);   // before
  begin(15, 15.9, 50); // at most so many within a second
  begin(16.1, 19, 30);
  begin(20, 20.5, 60); // the drain's doing
  reached_all();
  begin(15.9, 15.95, 1);
  red("an outage at 10.00 s: nodes began 51 sessions within a second; at most 50");
  result.faults[0].planned.kind = fault_kind::server_crash;
  reached_all();
}

BOOST_AUTO_TEST_CASE(load_recovered_from_an_outage_does_not_collapse_again) { // scorecard 36
  result.faults[0].planned.kind = fault_kind::outage;
  result.faults[0].takeover_seconds.reset();
  commits(1, 10, 100);
  commits(16, 17, 300); // what had waited
  commits(17, 18, 50);  // half of the usual
  commits(18, 19, 100);
  commits(19, 20, 50);
  reached_all();
  result.clients.requests.erase(result.clients.requests.end() - 30, result.clients.requests.end());
  red("an outage at 10.00 s: 1 seconds after it had recovered with less than half");
  result.faults[1].begun = at(19.5); // it was not a whole second
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_refusal_is_no_failure) {
  for (const auto why :
       {core::errc::no_unit_available, core::errc::lease_not_held, core::errc::stale_token,
        core::errc::lease_expired, core::errc::already_judged, core::errc::limit_reached})
    fails(21, 21.5, why);
  reached_all();
  for (const auto why :
       {core::errc::unavailable, core::errc::overloaded, core::errc::fenced, core::errc::not_found,
        core::errc::damaged, core::errc::refused_by_store, core::errc::invalid_argument})
    fails(21, 21.5, why);
  red("7 requests failed");
}

BOOST_AUTO_TEST_CASE(a_drained_process_ends_in_time) {
  result.faults[1].exit_seconds = {20};
  result.faults[1].takeover_seconds = 20;
  reached_all();
  result.faults[1].exit_seconds = {20.5};
  red("a process took 20.50 s to end");
  result.faults[1].planned.kind = fault_kind::rolling_restart;
  result.faults[1].exit_seconds = {1, 21, 1};
  red("a process took 21.00 s to end");
}

BOOST_AUTO_TEST_CASE(shards_have_a_host_soon_after_a_drain) {
  result.faults[1].takeover_seconds = 2.15;
  reached_all();
  result.faults[1].takeover_seconds = 2.25;
  red("its shards had no host 1.05 s after its end");
}

BOOST_AUTO_TEST_CASE(no_request_fails_by_a_node_that_leaves_for_good) { // D3
  result.faults[1].planned.kind = fault_kind::join_and_leave;
  fails(21, 21.5);
  red("a join and leave at 20.00 s: 1 requests failed");
}

BOOST_AUTO_TEST_CASE(a_commit_without_an_answer_holds_up_for_seconds_only) { // scorecard 16
  result.faults[0].planned.kind = fault_kind::commit_hang;
  result.faults[0].commits.silenced = 2;
  result.faults[0].commits.stall_seconds = {4.2, 6};
  reached_all();
  result.faults[0].commits.stall_seconds.push_back(6.1);
  red("a commit hang held a node up for 6.10 s at p99 of 3; at most 6.00 s");
}

BOOST_AUTO_TEST_CASE(a_shard_moves_away_and_back_for_each_node_that_is_cut_off) { // scorecard 25
  result.faults[0].planned.kind = fault_kind::swizzle;
  result.faults[0].moves_per_flap = 2;
  reached_all();
  result.faults[0].moves_per_flap = 2.5;
  red("in a swizzle a shard moved 2.50 times for each node that was cut off; at most 2.00");
  result.faults[0].planned.kind = fault_kind::compound;
  reached_all();
}

BOOST_AUTO_TEST_CASE(work_goes_on_with_a_node_that_is_far_away) { // scorecard 24
  result.faults = {result.faults[0]};
  result.faults[0].planned.kind = fault_kind::far_line;
  result.faults[0].ended = at(40);
  commits(0, 10, 10);
  commits(10, 40, 6);
  reached_all();
  result.clients.requests.clear();
  commits(0, 10, 10);
  commits(10, 40, 5);
  red("with a far line 50.00 % of the usual was committed; at least 60.00 %");
  for (auto& request : result.clients.requests)
    request.changed = request.begun < at(10) ? 10 : 13; // half of the answers, each of them more
  reached_all();
}

BOOST_AUTO_TEST_CASE(a_throughput_of_seconds_or_with_nothing_to_set_it_against_is_no_goal) {
  result.faults = {result.faults[0]};
  result.faults[0].planned.kind = fault_kind::far_line;
  result.faults[0].ended = at(39);
  commits(0, 10, 10);
  commits(10, 39, 5);
  reached_all();
  result.faults[0].ended = at(40);
  result.clients.requests.clear();
  commits(10, 40, 5);
  reached_all();
}

BOOST_AUTO_TEST_CASE(all_work_is_finished_soon_after_the_healing) {
  result.quiet_after = 121;
  red("all work was finished 121.00 s after everything had been healed");
  result.quiet_after.reset();
  red("not all work was finished");
}

BOOST_AUTO_TEST_CASE(a_last_verify_that_fails_is_red) {
  result.verify_rounds.back() = {at(70), core::errc::unavailable, "nobody is there"};
  red("the last verify failed: unavailable nobody is there");
}

BOOST_AUTO_TEST_CASE(a_verify_that_meets_a_server_that_is_away_is_none) {
  result.verify_rounds.front().failure = core::errc::unavailable;
  reached_all();
}

BOOST_AUTO_TEST_CASE(an_unknown_schema_is_expected_before_the_upgrade_only) { // F44
  result.verify_rounds.front().failure = core::errc::wrong_state;
  red("verify did not know the schema 1 times");
  result.two_versions = true;
  reached_all();
  result.verify_rounds.back().failure = core::errc::wrong_state;
  reached_all(); // nothing was upgraded: the run is void
  result.faults[1].versions = struck_fault::change::upgrade;
  red("the last verify failed: wrong_state");
  result.verify_rounds.insert(result.verify_rounds.begin() + 1,
                              {at(40), core::errc::wrong_state, ""});
  BOOST_TEST(missed_goals(result).size() == 2U);
}

BOOST_AUTO_TEST_CASE(rounds_of_verify_are_counted_by_what_became_of_them) {
  result.two_versions = true;
  result.faults[1].versions = struck_fault::change::upgrade;
  result.verify_rounds.front().failure = core::errc::wrong_state;
  result.verify_rounds.insert(result.verify_rounds.begin() + 1,
                              {at(40), core::errc::unavailable, ""});
  const auto text = verdict_json(result);
  BOOST_TEST(text.find(R"("rounds": 3)") != std::string::npos);
  BOOST_TEST(text.find(R"("verified": 1)") != std::string::npos);
  BOOST_TEST(text.find(R"("unavailable": 1)") != std::string::npos);
  BOOST_TEST(text.find(R"("wrong_state_before_the_upgrade": 1)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(effects_of_a_fault_that_struck_are_required) {
  const auto find = [&](const std::string& what) {
    for (const auto& one : sometimes_of(result))
      if (one.what == what)
        return one;
    BOOST_FAIL("nothing of the name " + what);
    return sometimes{};
  };
  BOOST_TEST(find("late results refused").wanted);
  BOOST_TEST(find("takeovers").wanted);
  BOOST_TEST(find("takeovers").times == 2U);
  BOOST_TEST(find("shards that a node found lost").wanted);
  BOOST_TEST(!find("commits without an answer").wanted);
  BOOST_TEST(!find("requests that nodes turned away").wanted);
  result.faults[0].bit = false;
  BOOST_TEST(!find("shards that a node found lost").wanted);
  result.faults[0] = {{10s, fault_kind::server_crash, 1, 5s, 2}, at(10), at(15), true, {}, ""};
  BOOST_TEST(find("commits without an answer").wanted);
}

BOOST_AUTO_TEST_CASE(commits_in_doubt_are_wanted_both_ways) { // scorecard 15, 55
  const auto times = [&](const std::string& what) {
    for (const auto& one : sometimes_of(result))
      if (one.what == what && one.wanted)
        return static_cast<int>(one.times);
    return -1;
  };
  BOOST_TEST(times("commits in doubt that were there") == -1);
  result.faults[0].planned.kind = fault_kind::commit_hang;
  result.faults[0].commits.found_there = 3;
  BOOST_TEST(times("commits without an answer") == 0);
  BOOST_TEST(times("commits in doubt that were there") == 3);
  BOOST_TEST(times("commits in doubt that were not there") == -1);
  result.faults[0].planned.kind = fault_kind::commit_cut;
  result.faults[0].commits.found_absent = 4;
  BOOST_TEST(times("commits in doubt that were there") == 3);
  BOOST_TEST(times("commits in doubt that were not there") == 4);
}

BOOST_AUTO_TEST_CASE(a_run_in_which_that_never_happened_is_void) {
  result.plan.faults = {result.faults[0].planned, result.faults[1].planned};
  result.check.stale_refused = 1;
  result.clients.trouble = {1, 1, 1, 1, 1};
  result.nodes.shards_lost = 1;
  BOOST_TEST(void_reasons(result).empty());
  result.nodes.shards_lost = 0;
  BOOST_TEST(void_reasons(result)
                 == std::vector<std::string>{"it never came to shards that a node found lost"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
