#include "client/peer_system.hpp"

#include <boost/test/unit_test.hpp>

#include <caf/actor_system.hpp>
#include <caf/scheduler/abstract_coordinator.hpp>

BOOST_AUTO_TEST_SUITE(peer_systems)

BOOST_AUTO_TEST_CASE(actors_have_half_of_the_cores_and_never_none) {
  BOOST_TEST(holdfast::client::threads_on(0) == 1U);
  BOOST_TEST(holdfast::client::threads_on(1) == 1U);
  BOOST_TEST(holdfast::client::threads_on(2) == 1U);
  BOOST_TEST(holdfast::client::threads_on(3) == 1U);
  BOOST_TEST(holdfast::client::threads_on(4) == 2U);
  BOOST_TEST(holdfast::client::threads_on(64) == 32U);
}

BOOST_AUTO_TEST_CASE(a_system_has_the_threads_that_it_was_given) {
  holdfast::client::peer_settings settings;
  settings.scheduler_threads = 3;
  holdfast::client::peer_system configuration{settings};
  caf::actor_system system{configuration};
  BOOST_TEST(system.scheduler().num_workers() == 3U);
}

BOOST_AUTO_TEST_SUITE_END()
