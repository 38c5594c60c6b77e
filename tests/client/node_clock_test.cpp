#include "client/node_clock.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

namespace client = holdfast::client;
namespace core = holdfast::core;
using namespace std::chrono_literals;

namespace {

using point = client::node_clock::time_point;

const point here{1000h};
const core::instant there{std::chrono::hours{24 * 20'000}};

} // namespace

BOOST_AUTO_TEST_SUITE(node_clock)

// finding R5
BOOST_AUTO_TEST_CASE(a_lease_is_held_for_as_long_as_is_sure_from_when_the_node_was_asked) {
  client::node_clock clock;
  BOOST_TEST(!clock.not_after(there).has_value());
  BOOST_TEST(!clock.at(here).has_value());
  BOOST_TEST(clock.wants_to_ask(here));
  clock.note(here, here + 100ms, there);
  // It may have said so the moment it was asked: then 5 s of a lease are over 5 s after that.
  BOOST_TEST((*clock.not_after(there + 5s) == here + 5s));
  BOOST_TEST((*clock.at(here + 100ms) == there + 50ms));
}

// finding R5
BOOST_AUTO_TEST_CASE(the_narrowest_of_several_answers_counts) {
  client::node_clock clock;
  clock.note(here, here + 4s, there + 3900ms);
  BOOST_TEST((*clock.not_after(there + 10s) == here + 10s - 3900ms));
  BOOST_TEST(clock.wants_to_ask(here + 5s)); // that was vague
  clock.note(here + 5s, here + 5s + 10ms, there + 5s);
  BOOST_TEST((*clock.not_after(there + 10s) == here + 10s));
  BOOST_TEST(!clock.wants_to_ask(here + 20s));
  clock.note(here + 6s, here + 10s, there + 9900ms); // a slow one tells nothing new
  const auto until = *clock.not_after(there + 20s);
  BOOST_TEST((until <= here + 20s && until > here + 20s - 10ms));
}

BOOST_AUTO_TEST_CASE(clocks_run_apart_and_are_asked_again) {
  client::node_clock clock;
  clock.note(here, here, there);
  BOOST_TEST(!clock.wants_to_ask(here + 30s - 1us));
  BOOST_TEST(clock.wants_to_ask(here + 30s));
  clock.note(here + 30s, here + 30s, there + 30s + 10ms);
  BOOST_TEST((*clock.at(here + 30s) == there + 30s + 10ms));
}

// finding R5, and R4: the database's clock was set, or another server is the primary
BOOST_AUTO_TEST_CASE(a_clock_that_was_set_is_believed_at_once_in_both_directions) {
  for (const auto step : {core::duration{1h}, core::duration{-1h}}) {
    client::node_clock clock;
    clock.note(here, here + 1ms, there);
    clock.note(here + 30s, here + 30s + 1ms, there + 30s + step);
    BOOST_TEST((*clock.not_after(there + step + 60s) == here + 60s));
  }
}

BOOST_AUTO_TEST_SUITE_END()
