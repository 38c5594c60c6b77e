// Work in parts that end in any order.

#include "actors/fan_in.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;

BOOST_AUTO_TEST_SUITE(fan_in)

BOOST_AUTO_TEST_CASE(the_outcome_is_told_once_when_all_parts_are_over) {
  std::vector<core::failure> told;
  actors::fan_in whole{[&](const core::failure& why) { told.push_back(why); }};
  whole.begin_part();
  whole.end_part();
  BOOST_TEST(told.empty()); // whoever hands out parts may hand out another one
  whole.begin_part();
  whole.end_part();
  whole.end_part();
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST((told[0].code == core::errc::none));
  BOOST_TEST(!whole.failed());
}

BOOST_AUTO_TEST_CASE(of_several_failures_the_first_is_told_and_the_last_part_is_waited_for) {
  std::vector<core::failure> told;
  actors::fan_in whole{[&](const core::failure& why) { told.push_back(why); }};
  for (int i = 0; i < 3; ++i)
    whole.begin_part();
  whole.end_part({core::errc::unavailable, "first"});
  BOOST_TEST(whole.failed());
  whole.end_part({core::errc::damaged, "second"});
  whole.end_part();
  BOOST_TEST(told.empty());
  whole.end_part();
  BOOST_REQUIRE(told.size() == 1U);
  BOOST_TEST(told[0].detail == "first");
}

// Whoever hears of damage sets aside what was asked for: not while the rest of it is still to be
// done.
BOOST_AUTO_TEST_CASE(that_something_is_damaged_is_told_when_nothing_else_has_failed) {
  using core::errc;
  const auto outcome_of = [](const std::vector<errc>& parts) {
    errc told = errc::none;
    actors::fan_in whole{[&](const core::failure& why) { told = why.code; }};
    for (const auto part : parts) {
      whole.begin_part();
      whole.end_part({part, {}});
    }
    whole.end_part();
    return told;
  };
  BOOST_TEST((outcome_of({errc::damaged, errc::none}) == errc::damaged));
  BOOST_TEST((outcome_of({errc::damaged, errc::unavailable, errc::fenced}) == errc::unavailable));
  BOOST_TEST((outcome_of({errc::fenced, errc::damaged}) == errc::fenced));
}

BOOST_AUTO_TEST_SUITE_END()
