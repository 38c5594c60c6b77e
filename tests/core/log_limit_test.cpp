#include "core/log_limit.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

using namespace std::chrono_literals;
using holdfast::core::log_limit;

namespace {

constexpr log_limit::clock::time_point first_line{1h};

/// The count that a line comes with; -1 for a line that is left out.
std::int64_t said(log_limit& limit, const std::string& key, log_limit::clock::time_point now) {
  const auto left_out = limit.admit(key, now);
  return left_out ? static_cast<std::int64_t>(*left_out) : -1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(log_limits)

// finding B6
BOOST_AUTO_TEST_CASE(peer_has_one_line_a_second_that_counts_those_left_out) {
  log_limit limit;
  BOOST_TEST(said(limit, "ana", first_line) == 0);
  BOOST_TEST(said(limit, "ana", first_line) == -1);
  BOOST_TEST(said(limit, "ana", first_line + 999ms) == -1);
  BOOST_TEST(said(limit, "ana", first_line + 1s) == 2);
  BOOST_TEST(said(limit, "ana", first_line + 1500ms) == -1);
  BOOST_TEST(said(limit, "ana", first_line + 5s) == 1);
  BOOST_TEST(said(limit, "ana", first_line + 6s) == 0);
}

// finding B6
BOOST_AUTO_TEST_CASE(flood_of_one_peer_leaves_the_lines_of_another_alone) {
  log_limit limit;
  for (int i = 0; i < 100; ++i)
    limit.admit("ana", first_line);
  BOOST_TEST(said(limit, "bob", first_line) == 0);
  BOOST_TEST(said(limit, "ana", first_line + 1s) == 99);
}

// finding B6
BOOST_AUTO_TEST_CASE(keys_beyond_the_bound_share_one_line_until_others_are_silent) {
  log_limit limit;
  for (std::size_t i = 0; i < log_limit::keys_max; ++i)
    BOOST_TEST(said(limit, "peer-" + std::to_string(i), first_line) == 0);
  BOOST_TEST(said(limit, "late", first_line) == 0);
  BOOST_TEST(said(limit, "later", first_line) == -1); // by the line of the one before
  BOOST_TEST(said(limit, "peer-0", first_line) == -1);
  // when: a second has passed, the keys without a count are forgotten and make room
  BOOST_TEST(said(limit, "late", first_line + 1s) == 0);
  BOOST_TEST(said(limit, "later", first_line + 1s) == 0);
  BOOST_TEST(said(limit, "peer-0", first_line + 1s) == 1);
}

BOOST_AUTO_TEST_SUITE_END()
