// How much of its log a private server may keep on a volume.

#include "persistence/wal_size.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>

namespace holdfast::test {

namespace {

using persistence::wal_size_for;

constexpr std::uint64_t gb = 1ULL << 30;

BOOST_AUTO_TEST_SUITE(size_of_the_write_ahead_log)

BOOST_AUTO_TEST_CASE(follows_the_size_of_the_volume) { // finding E5
  BOOST_TEST(wal_size_for(2 * gb, 2 * gb).max_mb == 204U);
  BOOST_TEST(wal_size_for(2 * gb, 2 * gb).min_mb == 51U);
  BOOST_TEST(wal_size_for(20 * gb, 20 * gb).max_mb == 2048U);
}

BOOST_AUTO_TEST_CASE(is_4_gb_where_there_is_room) { // finding E5
  BOOST_TEST(wal_size_for(40 * gb, 40 * gb).max_mb == 4096U);
  BOOST_TEST(wal_size_for(4000 * gb, 4000 * gb).max_mb == 4096U);
  BOOST_TEST(wal_size_for(4000 * gb, 4000 * gb).min_mb == 1024U);
  BOOST_TEST(wal_size_for(UINT64_MAX, UINT64_MAX).max_mb == 4096U);
}

BOOST_AUTO_TEST_CASE(leaves_room_on_a_volume_that_others_have_filled) { // finding E5
  BOOST_TEST(wal_size_for(100 * gb, 1 * gb).max_mb == 256U);
}

BOOST_AUTO_TEST_CASE(is_never_less_than_a_server_accepts) { // finding E5
  BOOST_TEST(wal_size_for(0, 0).max_mb == 64U);
  BOOST_TEST(wal_size_for(gb / 4, gb / 4).max_mb == 64U);
  BOOST_TEST(wal_size_for(gb / 4, gb / 4).min_mb == 32U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace

} // namespace holdfast::test
