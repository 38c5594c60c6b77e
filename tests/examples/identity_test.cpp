// Hundreds of identity verifications over days of virtual time: callbacks that are lost, late, sent
// twice and in the midst of a poll, workers and nodes that die, workers that wake up too late.

#include "tests/examples/identity_world.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>

namespace holdfast::test {

BOOST_AUTO_TEST_SUITE(identity_verification)

// D1, D2, D4-D8, D11, D12, D27-D33, D35, D38, D39, I-3, I-12, I-13
BOOST_AUTO_TEST_CASE(every_verification_ends_once_with_the_verdict_of_the_service) {
  for (const std::uint64_t seed : {1U, 2U, 4U}) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      identity_world world{seed, 150};
      world.run();
      world.check_the_end();
      const auto& seen = world.counts;
      BOOST_TEST_MESSAGE("deaths " << seen.deaths << ", restarts " << seen.restarts << ", stale "
                                   << seen.stale << ", late " << seen.late << ", applied "
                                   << seen.applied << ", not awaited " << seen.not_awaited
                                   << ", undone " << seen.undone << ", taken " << seen.taken
                                   << ", never called " << seen.never_called
                                   << ", found by polling " << seen.found_by_polling);
      // A run in which nothing went wrong would show nothing.
      for (const auto happened :
           {seen.deaths, seen.restarts, seen.stale, seen.late, seen.applied, seen.not_awaited,
            seen.undone, seen.taken, seen.never_called, seen.found_by_polling})
        BOOST_TEST(happened > 0U);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
