// The life of work on one node, in virtual time: create, feed, assign, submit, aggregate, complete.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

BOOST_FIXTURE_TEST_SUITE(work, node_fixture)

// A13, A29, A31, A34, A35, A90 (`submit_judgment`), A92 (`list_results`), A107-A113, A123, A127,
// A128
BOOST_AUTO_TEST_CASE(units_are_judged_aggregated_and_complete_their_sealed_step) {
  start();
  const auto step = create(one_step);
  feed(step, 2);
  for (const auto* who : {"ana", "bob"})
    for (int i = 0; i < 2; ++i)
      work(step, who);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(1s);

  const auto found = results(step);
  BOOST_REQUIRE(found.size() == 2);
  for (const auto& r : found) {
    BOOST_TEST(r.result == R"({"answer":"red","confidence":1,"votes":{"red":2},"tied":1})");
    BOOST_TEST(r.state == core::unit_state::finalized);
  }
  BOOST_TEST(statistics(step).step.status == core::step_status::open); // more may come
  seal(step);
  BOOST_TEST(statistics(step).step.status == core::step_status::completed);
  BOOST_TEST(statistics(step).step.completed_units == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
