// Plans of the soak: every kind of fault in every long run, each over before the next one begins.

#include "bench/soak/plan.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

namespace holdfast::soak {

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(soak_plans)

BOOST_AUTO_TEST_CASE(a_seed_is_a_plan) {
  const auto one = draw_plan(7, 3, 10min, 2s);
  const auto again = draw_plan(7, 3, 10min, 2s);
  const auto other = draw_plan(8, 3, 10min, 2s);
  BOOST_REQUIRE(one.faults.size() == again.faults.size());
  bool differs = one.faults.size() != other.faults.size();
  for (std::size_t i = 0; i < one.faults.size(); ++i) {
    BOOST_TEST((one.faults[i].at == again.faults[i].at));
    BOOST_TEST((one.faults[i].kind == again.faults[i].kind));
    differs = differs || one.faults[i].at != other.faults[i].at;
  }
  BOOST_TEST(differs);
}

BOOST_AUTO_TEST_CASE(two_minutes_have_room_for_every_kind) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::set<fault_kind> kinds;
    for (const auto& fault : draw_plan(seed, 3, 2min, 2s).faults)
      kinds.insert(fault.kind);
    BOOST_TEST(kinds.size() == fault_names.size());
  }
}

BOOST_AUTO_TEST_CASE(faults_follow_each_other_and_end_with_the_load) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto plan = draw_plan(seed, 3, 10min, 2s);
    core::duration free{0};
    for (const auto& fault : plan.faults) {
      BOOST_TEST((fault.at >= free));
      BOOST_TEST(fault.node < 3U);
      BOOST_TEST((fault.at % 60s >= 8s)); // each minute begins calmly
      if (fault.kind == fault_kind::freeze)
        BOOST_TEST((fault.lasts > 2s));
      if (fault.kind == fault_kind::blink)
        BOOST_TEST((fault.lasts <= 1s));
      free = fault.at + fault.lasts;
      BOOST_TEST((free <= 10min));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
