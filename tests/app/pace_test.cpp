#include "app/demo/pace.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace demo = holdfast::app::demo;
namespace core = holdfast::core;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(pace)

BOOST_AUTO_TEST_CASE(first_units_are_done_as_planned_and_later_ones_in_even_intervals) {
  // given: two units at once, then two judgments a second
  demo::work_pace pace{2, 2};
  const core::instant start{1000s};

  // when, then: the first two take as long as planned
  BOOST_TEST(!pace.is_slow());
  BOOST_TEST((pace.thinking(7ms, start) == 7ms));
  BOOST_TEST(!pace.is_slow());
  BOOST_TEST((pace.thinking(9ms, start) == 9ms));
  BOOST_TEST(pace.is_slow());

  // and: three who are given units at the same time end half a second after each other
  BOOST_TEST((pace.thinking(7ms, start) == 500ms));
  BOOST_TEST((pace.thinking(7ms, start) == 1s));
  BOOST_TEST((pace.thinking(7ms, start + 200ms) == 1300ms));
}

BOOST_AUTO_TEST_CASE(places_that_nobody_took_are_not_made_up_for) {
  demo::work_pace pace{0, 1};
  const core::instant start{1000s};
  BOOST_TEST((pace.thinking(0ms, start) == 1s));
  BOOST_TEST((pace.thinking(0ms, start + 10s) == 1s));
  BOOST_TEST((pace.thinking(0ms, start + 10s) == 2s));
}

BOOST_AUTO_TEST_SUITE_END()
