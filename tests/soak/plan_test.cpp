// Plans of the soak: every kind of fault in every long run, each over before the next one begins.

#include "bench/soak/plan.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <vector>

namespace holdfast::soak {

using namespace std::chrono_literals;

namespace {

std::vector<fault_kind> all_kinds() {
  std::vector<fault_kind> kinds;
  for (std::size_t i = 0; i < fault_names.size(); ++i)
    kinds.push_back(static_cast<fault_kind>(i));
  return kinds;
}

soak_plan drawn(std::uint64_t seed, core::duration load_time) {
  return draw_plan({seed, 3, load_time, 2s, all_kinds()});
}

} // namespace

BOOST_AUTO_TEST_SUITE(soak_plans)

BOOST_AUTO_TEST_CASE(a_seed_is_a_plan) {
  const auto one = drawn(7, 10min);
  const auto again = drawn(7, 10min);
  const auto other = drawn(8, 10min);
  BOOST_REQUIRE(one.faults.size() == again.faults.size());
  bool differs = one.faults.size() != other.faults.size();
  for (std::size_t i = 0; i < one.faults.size(); ++i) {
    BOOST_TEST((one.faults[i].at == again.faults[i].at));
    BOOST_TEST((one.faults[i].kind == again.faults[i].kind));
    BOOST_TEST(one.faults[i].other == again.faults[i].other);
    differs = differs || one.faults[i].at != other.faults[i].at;
  }
  BOOST_TEST(differs);
}

BOOST_AUTO_TEST_CASE(seven_minutes_have_room_for_every_kind) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::set<fault_kind> kinds;
    for (const auto& fault : drawn(seed, 7min).faults)
      kinds.insert(fault.kind);
    BOOST_TEST(kinds.size() == fault_names.size());
  }
}

BOOST_AUTO_TEST_CASE(only_what_is_asked_for_is_planned) {
  const auto plan = draw_plan({3, 3, 5min, 2s, {fault_kind::kill, fault_kind::bad_line}});
  BOOST_TEST(plan.faults.size() > 10U);
  for (const auto& fault : plan.faults)
    BOOST_TEST((fault.kind == fault_kind::kill || fault.kind == fault_kind::bad_line));
  BOOST_TEST(draw_plan({3, 3, 5min, 2s, {}}).faults.empty());
}

BOOST_AUTO_TEST_CASE(faults_follow_each_other_and_end_with_the_load) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto plan = drawn(seed, 10min);
    core::duration free{0};
    for (const auto& fault : plan.faults) {
      BOOST_TEST((fault.at >= free));
      BOOST_TEST(fault.node < 3U);
      BOOST_TEST(fault.other < 3U);
      BOOST_TEST(fault.other != fault.node);
      BOOST_TEST((fault.at % 60s >= 8s)); // each minute begins calmly
      if (fault.kind == fault_kind::freeze || fault.kind == fault_kind::compound)
        BOOST_TEST((fault.lasts > 2s));
      if (fault.kind == fault_kind::hesitation)
        BOOST_TEST((fault.lasts >= 1600ms && fault.lasts <= 2400ms));
      if (fault.kind == fault_kind::freeze)
        BOOST_TEST((fault.lasts <= 6s));
      if (fault.kind == fault_kind::blink)
        BOOST_TEST((fault.lasts <= 1200ms)); // three fifths of the lease
      free = fault.at + fault.lasts;
      BOOST_TEST((free <= 10min));
    }
  }
}

BOOST_AUTO_TEST_CASE(pauses_come_close_to_the_lease_from_both_sides) {
  core::duration longest_blink{0};
  core::duration longest_freeze{0};
  core::duration shortest_freeze = 1h;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& fault :
         draw_plan({seed, 3, 30min, 2s, {fault_kind::blink, fault_kind::freeze}}).faults)
      if (fault.kind == fault_kind::blink) {
        longest_blink = std::max(longest_blink, fault.lasts);
      } else {
        longest_freeze = std::max(longest_freeze, fault.lasts);
        shortest_freeze = std::min(shortest_freeze, fault.lasts);
      }
  BOOST_TEST((longest_blink > 1100ms && longest_blink <= 1200ms));
  BOOST_TEST((longest_freeze > 9s && longest_freeze <= 10s)); // five leases, as the run is long
  BOOST_TEST((shortest_freeze >= 4s));
}

BOOST_AUTO_TEST_CASE(fault_measured_while_it_lasts_is_a_part_of_the_run) { // scorecard 24, 36
  const auto lengths = [](fault_kind kind, core::duration load_time) {
    std::set<core::duration> all;
    for (const auto& fault : draw_plan({1, 3, load_time, 2s, {kind}}).faults)
      all.insert(fault.lasts);
    return all;
  };
  using set = std::set<core::duration>;
  BOOST_TEST((lengths(fault_kind::outage, 1min) == set{10s}));
  BOOST_TEST((lengths(fault_kind::outage, 3min) == set{30s}));
  BOOST_TEST((lengths(fault_kind::outage, 10min) == set{1min}));
  BOOST_TEST((lengths(fault_kind::far_line, 1min) == set{5s}));
  BOOST_TEST((lengths(fault_kind::far_line, 10min) == set{40s}));
  BOOST_TEST((lengths(fault_kind::far_line, 30min) == set{1min}));
}

BOOST_AUTO_TEST_CASE(a_database_lags_long_enough_to_lose_commits_and_the_next_fault_lets_it_heal) {
  for (const auto kind : {fault_kind::lossy_failover, fault_kind::older_copy}) {
    const auto plan = draw_plan({1, 3, 5min, 2s, {kind}});
    BOOST_TEST(plan.faults.size() > 10U);
    core::duration free{0};
    for (const auto& fault : plan.faults) {
      BOOST_TEST((fault.lasts >= 500ms && fault.lasts <= 3s));
      BOOST_TEST((fault.at >= free));
      free = fault.at + fault.lasts + recovery_max(kind);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_swizzle_heals_the_nodes_that_it_cut_in_another_order) {
  std::set<std::size_t> sizes;
  std::set<std::vector<std::uint32_t>> orders;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    for (const auto& fault : draw_plan({seed, 4, 5min, 2s, {fault_kind::swizzle}}).faults) {
      const auto& cut = fault.cut_order;
      BOOST_TEST(cut != fault.heal_order);
      BOOST_TEST(std::is_permutation(cut.begin(), cut.end(), fault.heal_order.begin(),
                                     fault.heal_order.end()));
      const std::set<std::uint32_t> nodes{cut.begin(), cut.end()};
      BOOST_TEST(nodes.size() == cut.size());
      BOOST_TEST(*nodes.rbegin() < 4U);
      BOOST_TEST((fault.lasts >= 2s && fault.lasts <= 8s)); // one lease to four
      sizes.insert(cut.size());
      orders.insert(cut);
    }
  BOOST_TEST((sizes == std::set<std::size_t>{2, 3, 4}));
  BOOST_TEST(orders.size() > 20U);
  for (const auto& fault : draw_plan({1, 2, 2min, 2s, {fault_kind::swizzle}}).faults)
    BOOST_TEST(fault.cut_order.size() == 2U);
  for (const auto& fault : draw_plan({1, 3, 2min, 2s, {fault_kind::kill}}).faults)
    BOOST_TEST(fault.cut_order.empty());
}

BOOST_AUTO_TEST_CASE(a_longer_or_busier_run_gets_a_larger_disk) {
  const auto bytes = disk_bytes_for(1h, 40, 10);
  BOOST_TEST(disk_bytes_for(2h, 40, 10) > bytes + (bytes - disk_bytes_for(0s, 40, 10)) / 2);
  BOOST_TEST(disk_bytes_for(1h, 80, 10) > bytes);
  BOOST_TEST(disk_bytes_for(1h, 40, 20) > bytes);
  BOOST_TEST(disk_bytes_for(0s, 40, 10) > std::uint64_t{1} << 30); // what the server keeps anyway
}

BOOST_AUTO_TEST_CASE(every_kind_is_found_by_its_name) {
  for (const auto kind : all_kinds())
    BOOST_TEST((kind_named(name_of(kind)) == kind));
  BOOST_TEST((kind_named("one-way-partition") == fault_kind::one_way_partition));
  BOOST_TEST((kind_named("server-crash") == fault_kind::server_crash));
  BOOST_TEST(!kind_named("kil"));
  BOOST_TEST(!kind_named("kill "));
}

BOOST_AUTO_TEST_CASE(faults_impossible_on_the_machine_are_told) {
  const obstacles machine{"no lines", "no disk"};
  BOOST_TEST(obstacle_to(fault_kind::partition, 3, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::bad_line, 1, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::disk_full, 3, machine) == "no disk");
  BOOST_TEST(obstacle_to(fault_kind::clock_jump, 1, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::failover, 3, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::standby_away, 3, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::lossy_failover, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::older_copy, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::database_clock, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::worker_clock, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::database_partition, 3, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::database_partition, 1, {}) == "it takes 2 nodes");
  BOOST_TEST(obstacle_to(fault_kind::far_line, 3, {"", "", "no tunnel"}) == "no tunnel");
  BOOST_TEST(obstacle_to(fault_kind::far_line, 3, {"no lines", "", "no tunnel"}) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::swizzle, 3, machine) == "no lines");
  BOOST_TEST(obstacle_to(fault_kind::swizzle, 1, {}) == "it takes 2 nodes");
  BOOST_TEST(obstacle_to(fault_kind::commit_cut, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::commit_hang, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::join_and_leave, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::blink, 1, machine) == "");
  BOOST_TEST(obstacle_to(fault_kind::kill, 1, machine) == "it takes 2 nodes");
  BOOST_TEST(obstacle_to(fault_kind::partition, 1, {}) == "it takes 2 nodes");
  BOOST_TEST(obstacle_to(fault_kind::partial_partition, 2, {}) == "it takes 3 nodes");
  BOOST_TEST(obstacle_to(fault_kind::compound, 2, {}) == "it takes 3 nodes");
  for (const auto kind : all_kinds())
    BOOST_TEST(obstacle_to(kind, 3, {}) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
