#include "core/pause.hpp"
#include "tests/core/describe.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::beginning;

BOOST_AUTO_TEST_SUITE(pauses)

// finding R4, Q9
BOOST_AUTO_TEST_CASE(pause_is_under_way_for_its_length_and_not_when_the_clock_was_set_back) {
  const auto lasts = [](duration left) { return is_under_way(beginning + left, 10s, beginning); };
  BOOST_TEST(lasts(10s));
  BOOST_TEST(lasts(1us));
  BOOST_TEST(!lasts(0s));
  BOOST_TEST(!lasts(10s + 1us));
  BOOST_TEST(!lasts(24h));
  BOOST_TEST(!is_under_way(instant{}, 10s, beginning)); // none has begun
}

BOOST_AUTO_TEST_SUITE_END()
