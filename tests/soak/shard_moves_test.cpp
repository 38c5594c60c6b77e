// What moved from one look at the shards to the next.

#include "bench/soak/shard_moves.hpp"

#include <boost/test/unit_test.hpp>

namespace holdfast::soak {

namespace {

/// Four shards of two hosts.
const shard_hosts before_moves{
    {"0", {"ann", 3}}, {"1", {"ann", 5}}, {"2", {"ben", 1}}, {"3", {"ben", 2}}};

} // namespace

BOOST_AUTO_TEST_SUITE(soak_shard_moves)

BOOST_AUTO_TEST_CASE(shard_that_stays_has_not_moved) {
  BOOST_TEST(moves_between(before_moves, before_moves) == 0U);
  BOOST_TEST(most_moves_of_one(before_moves, before_moves) == 0U);
  BOOST_TEST(moves_between_others(before_moves, before_moves, "eve") == 0U);
  BOOST_TEST(shards_of(before_moves, "ann") == 2U);
  BOOST_TEST(shards_of(before_moves, "eve") == 0U);
}

BOOST_AUTO_TEST_CASE(new_node_takes_shards_and_moves_no_others) { // D3
  auto after = before_moves;
  after["1"] = {"eve", 6};
  after["2"] = {"eve", 2};
  BOOST_TEST(moves_between(before_moves, after) == 2U);
  BOOST_TEST(moves_between_others(before_moves, after, "eve") == 0U);
  BOOST_TEST(moves_between_others(after, before_moves, "eve") == 0U); // and when they leave
}

BOOST_AUTO_TEST_CASE(a_shard_that_moves_between_others_is_seen) {
  auto after = before_moves;
  after["1"] = {"eve", 6};
  after["3"] = {"ann", 3};
  BOOST_TEST(moves_between_others(before_moves, after, "eve") == 1U);
}

BOOST_AUTO_TEST_CASE(a_shard_that_went_and_came_back_has_moved) {
  auto after = before_moves;
  after["0"] = {"ann", 7};
  BOOST_TEST(most_moves_of_one(before_moves, after) == 4U);
  BOOST_TEST(moves_between_others(before_moves, after, "eve") == 1U);
}

BOOST_AUTO_TEST_CASE(node_without_a_shard_is_seen) {
  BOOST_TEST(each_has_shards(before_moves, {"ann", "ben"}));
  BOOST_TEST(!each_has_shards(before_moves, {"ann", "ben", "eve"}));
  BOOST_TEST(!each_has_shards({}, {"ann"}));
  BOOST_TEST(each_has_shards({}, {}));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::soak
