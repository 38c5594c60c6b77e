// The clocks of the world, from the time zone database of the system.

#include "calendar/time_zones.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(time_zones)

// D12
BOOST_AUTO_TEST_CASE(a_place_changes_its_clocks_when_its_law_says) {
  const auto berlin = calendar::find_zone("Europe/Berlin");
  BOOST_REQUIRE(berlin);
  const core::instant summer{std::chrono::seconds{1'774'746'000}}; // 2026-03-29 01:00 UTC
  BOOST_TEST((berlin->offset_at(summer - 1us) == 1h));
  BOOST_TEST((berlin->offset_at(summer) == 2h));
  const core::instant winter{std::chrono::seconds{1'792'890'000}}; // 2026-10-25 01:00 UTC
  BOOST_TEST((berlin->offset_at(winter - 1us) == 2h));
  BOOST_TEST((berlin->offset_at(winter) == 1h));
  const auto kolkata = calendar::find_zone("Asia/Kolkata");
  BOOST_REQUIRE(kolkata);
  BOOST_TEST((kolkata->offset_at(summer) == 5h + 30min));
}

BOOST_AUTO_TEST_CASE(utc_is_a_place_too) {
  for (const auto* name : {"UTC", "Etc/UTC"}) {
    const auto utc = calendar::find_zone(name);
    BOOST_REQUIRE(utc);
    BOOST_TEST((utc->offset_at({}) == 0h));
  }
}

// C24: names come from outside
BOOST_AUTO_TEST_CASE(names_that_are_unknown_give_nothing) {
  for (const auto& name :
       {std::string{}, std::string{"Europe/Atlantis"}, std::string{"europe/berlin"},
        std::string{"../../../etc/passwd"}, std::string{"/etc/localtime"}, std::string{"Europe"},
        std::string{"tzdata.zi"}, std::string("UTC\0x", 5), std::string(100'000, 'x')})
    BOOST_TEST(!calendar::find_zone(name), name.substr(0, 40));
}

BOOST_AUTO_TEST_SUITE_END()
