#include "client/shard_routes.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

namespace client = holdfast::client;
namespace core = holdfast::core;
namespace msg = holdfast::msg;
using namespace std::chrono_literals;

namespace {

core::incarnation_id node(std::uint8_t number) {
  core::incarnation_id id;
  id.value.bytes.fill(number);
  return id;
}

/// Three ways, to the nodes 1, 2 and 3; of four shards the first three are theirs, in this order,
/// and the last is of a node that no way leads to.
struct three_ways {
  three_ways() {
    for (client::way_number way = 0; way < 3; ++way)
      routes.open(way);
    tell();
  }
  void tell(std::vector<core::incarnation_id> hosts = {node(1), node(2), node(3), node(4)}) {
    for (client::way_number way = 0; way < 3; ++way)
      routes.learn(way, {node(static_cast<std::uint8_t>(way + 1)), hosts});
  }
  /// The way of a request that is answered at once.
  client::way_number way_to(core::shard_id shard) {
    const auto way = routes.depart(shard, now);
    routes.arrive(shard);
    return way;
  }

  client::shard_routes routes;
  client::shard_routes::time_point now{1h};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(shard_routes, three_ways)

BOOST_AUTO_TEST_CASE(requests_go_to_the_host_and_else_home) {
  BOOST_TEST(routes.home() == 0U);
  BOOST_TEST(way_to(0) == 0U);
  BOOST_TEST(way_to(1) == 1U);
  BOOST_TEST(way_to(2) == 2U);
  BOOST_TEST(way_to(3) == 0U); // not reached
  BOOST_TEST(way_to(4) == 0U); // no such shard
  tell({node(1), {}, node(3), node(4)});
  BOOST_TEST(way_to(1) == 0U); // nobody hosts it
}

BOOST_AUTO_TEST_CASE(without_a_hint_all_go_home) {
  client::shard_routes fresh;
  fresh.open(2);
  fresh.open(0);
  BOOST_TEST(fresh.shards() == 0U);
  BOOST_TEST(fresh.home() == 2U);
  BOOST_TEST(fresh.depart(1, now) == 2U);
}

BOOST_AUTO_TEST_CASE(another_way_is_home_when_the_first_is_lost) {
  routes.close(1);
  BOOST_TEST(way_to(1) == 0U);
  routes.close(0);
  BOOST_TEST(routes.home() == 2U);
  BOOST_TEST(way_to(0) == 2U);
  routes.open(0); // which may lead to another process now
  BOOST_TEST(way_to(0) == 2U);
  routes.learn(0, {node(1), {node(1), node(2), node(3), node(4)}});
  BOOST_TEST(way_to(0) == 0U);
  routes.close(2);
  BOOST_TEST(routes.home() == 0U);
  routes.close(0);
  BOOST_TEST(!routes.any_open());
}

BOOST_AUTO_TEST_CASE(requests_stay_behind_those_that_are_under_way) {
  BOOST_TEST(routes.depart(1, now) == 1U);
  tell({node(1), node(3), node(3), node(4)});
  BOOST_TEST(routes.depart(1, now) == 1U);
  routes.arrive(1);
  BOOST_TEST(routes.depart(1, now) == 1U); // one is still under way
  BOOST_TEST(way_to(2) == 2U);             // another shard
  routes.arrive(1);
  routes.arrive(1);
  BOOST_TEST(way_to(1) == 2U);
}

BOOST_AUTO_TEST_CASE(client_with_a_request_always_open_follows_the_shard_after_a_while) {
  routes.depart(1, now);
  tell({node(1), node(3), node(3), node(4)});
  BOOST_TEST(routes.depart(1, now) == 1U);
  now += client::shard_routes::patience - 1us;
  BOOST_TEST(routes.depart(1, now) == 1U);
  now += 1us;
  BOOST_TEST(routes.depart(1, now) == 2U);
  tell(); // and back: patience begins anew
  BOOST_TEST(routes.depart(1, now) == 2U);
}

BOOST_AUTO_TEST_CASE(requests_do_not_wait_on_a_way_that_is_closed) {
  routes.depart(1, now);
  routes.close(1);
  BOOST_TEST(routes.depart(1, now) == 0U);
}

BOOST_AUTO_TEST_CASE(requests_sent_home_before_the_first_hint_stay_in_order) {
  client::shard_routes fresh;
  fresh.open(0);
  fresh.open(1);
  fresh.learn(0, {node(1), {node(2)}});
  fresh.join(0);
  fresh.learn(1, {node(2), {node(2)}});
  BOOST_TEST(fresh.depart(0, now) == 0U);
  fresh.arrive(0);
  fresh.arrive(0);
  BOOST_TEST(fresh.depart(0, now) == 1U);
}

BOOST_AUTO_TEST_CASE(a_way_that_failed_is_not_taken_until_the_host_is_told_anew) {
  routes.depart(1, now);
  routes.distrust(1);
  BOOST_TEST(routes.depart(1, now) == 0U);
  BOOST_TEST(way_to(2) == 2U);
  routes.arrive(1);
  routes.arrive(1);
  tell();
  BOOST_TEST(way_to(1) == 1U);
}

BOOST_AUTO_TEST_CASE(questions_are_asked_at_a_pace) {
  using ways = std::vector<client::way_number>;
  client::shard_routes fresh;
  BOOST_TEST(fresh.questions(now).empty()); // of whom?
  fresh.open(0);
  fresh.open(1);
  BOOST_TEST((fresh.questions(now) == ways{0, 1}));
  BOOST_TEST(fresh.questions(now + 1s).empty());
  fresh.learn(0, {node(1), {node(1)}});
  now += client::shard_routes::ask_interval;
  BOOST_TEST((fresh.questions(now) == ways{0, 1})); // the second has not said who it is
  fresh.learn(0, {node(1), {node(1)}});
  fresh.learn(1, {node(2), {node(1)}});
  now += client::shard_routes::ask_interval - 1us;
  BOOST_TEST(fresh.questions(now).empty());
  now += 1us;
  BOOST_TEST((fresh.questions(now) == ways{0}));
  // Signs that shards have moved.
  fresh.distrust(0);
  BOOST_TEST(fresh.questions(now + 99ms).empty());
  BOOST_TEST((fresh.questions(now + 100ms) == ways{0}));
  BOOST_TEST(fresh.questions(now + 200ms).empty());
  fresh.close(0);
  BOOST_TEST((fresh.questions(now + 200ms) == ways{1}));
}

BOOST_FIXTURE_TEST_CASE(all_are_asked_while_home_is_silent, three_ways) {
  using ways = std::vector<client::way_number>;
  BOOST_TEST((routes.questions(now) == ways{0}));
  now += client::shard_routes::ask_interval;
  BOOST_TEST((routes.questions(now) == ways{0, 1, 2}));
  now += client::shard_routes::ask_interval;
  BOOST_TEST((routes.questions(now) == ways{0, 1, 2})); // it still is
  tell();
  now += client::shard_routes::ask_interval;
  BOOST_TEST((routes.questions(now) == ways{0}));
  routes.close(0);
  BOOST_TEST((routes.questions(now + 100ms) == ways{1})); // another is home, and was not asked yet
}

BOOST_AUTO_TEST_CASE(requests_for_a_shard_that_moved_need_not_stay_behind) {
  routes.depart(1, now);
  tell({node(1), node(3), node(3), node(4)});
  routes.turn(1);
  BOOST_TEST(routes.depart(1, now) == 2U);
}

BOOST_AUTO_TEST_CASE(other_ways_are_wanted_when_many_requests_are_passed_on) {
  for (std::uint32_t i = 1; i < client::shard_routes::detours_max; ++i)
    way_to(3);
  way_to(1); // no detour
  BOOST_TEST(!routes.wants_ways(now));
  way_to(3);
  BOOST_TEST(routes.wants_ways(now));
  for (std::uint32_t i = 0; i < client::shard_routes::detours_max; ++i)
    way_to(3);
  BOOST_TEST(!routes.wants_ways(now));
  BOOST_TEST(routes.wants_ways(now + client::shard_routes::ask_interval));
}

// Answers of several nodes overtake each other, and a node may not have heard of the last change.
BOOST_AUTO_TEST_CASE(older_placement_does_not_replace_a_newer_one) {
  const std::vector<core::incarnation_id> before{node(1), node(2), node(3), node(4)};
  const std::vector<core::incarnation_id> later{node(1), node(3), node(3), node(4)};
  routes.learn(2, {node(3), later, {1, 6, 1, 1}});
  BOOST_TEST(way_to(1) == 2U);
  routes.learn(0, {node(1), before, {1, 5, 1, 1}});
  BOOST_TEST(way_to(1) == 2U);
  routes.learn(0, {node(1), {node(2), node(2), node(3), node(4)}, {2, 5, 1, 1}});
  BOOST_TEST(way_to(0) == 1U); // each shard by itself
  BOOST_TEST(way_to(1) == 2U);
  routes.learn(0, {node(1), {node(2), {}, node(3), node(4)}, {2, 6, 1, 1}});
  BOOST_TEST(way_to(1) == 0U); // given free by its host, which no later one has taken over yet
  routes.learn(0, {node(1), before, {3, 7, 1, 1}});
  BOOST_TEST(way_to(1) == 1U);
  // Where that has led to nothing, whatever is said counts.
  routes.distrust(1);
  routes.learn(2, {node(3), later, {3, 6, 1, 1}});
  BOOST_TEST(way_to(1) == 2U);
}

// A cluster that was stopped may come back with a database from a backup.
BOOST_AUTO_TEST_CASE(after_all_ways_were_closed_whatever_is_said_counts) {
  const std::vector<core::incarnation_id> before{node(1), node(2), node(3), node(4)};
  const std::vector<core::incarnation_id> restored{node(1), node(3), node(3), node(4)};
  routes.learn(0, {node(1), before, {9, 9, 9, 9}});
  routes.close(1);
  routes.close(2);
  routes.open(2);
  routes.learn(2, {node(3), restored, {2, 2, 2, 2}});
  BOOST_TEST((routes.host_of(1) == node(2))); // one that is there all along has said so
  routes.close(0);
  routes.close(2);
  routes.open(2);
  routes.learn(2, {node(3), restored, {2, 2, 2, 2}});
  BOOST_TEST((routes.host_of(1) == node(3)));
}

BOOST_AUTO_TEST_SUITE_END()
