// Pauses between attempts: how they grow, and how jitter spreads them.

#include "core/backoff.hpp"
#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>

using namespace holdfast::core;
using namespace std::chrono_literals;
using holdfast::test::random_source;

namespace {

constexpr std::uint64_t no_bits = 0;
constexpr std::uint64_t half_of_bits = std::uint64_t{1} << 63;
constexpr std::uint64_t all_bits = ~std::uint64_t{0};

} // namespace

BOOST_AUTO_TEST_SUITE(backing_off)

BOOST_AUTO_TEST_CASE(the_pause_doubles_with_every_attempt_up_to_the_most) {
  BOOST_TEST((backoff(0, 10ms, 1s) == 10ms));
  BOOST_TEST((backoff(1, 10ms, 1s) == 20ms));
  BOOST_TEST((backoff(2, 10ms, 1s) == 40ms));
  BOOST_TEST((backoff(6, 10ms, 1s) == 640ms));
  BOOST_TEST((backoff(7, 10ms, 1s) == 1s));
  BOOST_TEST((backoff(1000, 10ms, 1s) == 1s));
  BOOST_TEST((backoff(4'000'000'000U, 10ms, 1s) == 1s));
}

BOOST_AUTO_TEST_CASE(the_pause_doubles_also_where_the_most_is_far_from_the_least) { // finding Q14
  constexpr auto year = 365 * 24h;
  BOOST_TEST((backoff(20, 1us, year) == 1us * (1 << 20)));
  BOOST_TEST((backoff(21, 1us, year) == 1us * (1 << 21)));
  BOOST_TEST((backoff(40, 1us, year) == 1us * (std::int64_t{1} << 40)));
  BOOST_TEST((backoff(45, 1us, year) == year));
  BOOST_TEST((backoff(1000, 1us, year) == year));
}

BOOST_AUTO_TEST_CASE(random_bits_become_a_number_from_zero_to_one) {
  BOOST_TEST(share_of(no_bits) == 0.0);
  BOOST_TEST(share_of(all_bits) == 1.0);
  BOOST_TEST(std::int64_t(share_of(half_of_bits) * 1'000'000) == 500'000);
  BOOST_TEST(std::int64_t(share_of(half_of_bits / 2) * 1'000'000) == 250'000);
}

BOOST_AUTO_TEST_CASE(full_jitter_takes_the_whole_range_the_first_time_too) {
  BOOST_TEST((full_jitter(1, 10ms, 1s, no_bits) == 10ms));
  BOOST_TEST((full_jitter(1, 10ms, 1s, half_of_bits) == 15ms));
  BOOST_TEST((full_jitter(1, 10ms, 1s, all_bits) == 20ms));
  BOOST_TEST((full_jitter(3, 10ms, 1s, no_bits) == 10ms));
  BOOST_TEST((full_jitter(3, 10ms, 1s, half_of_bits) == 45ms));
  BOOST_TEST((full_jitter(3, 10ms, 1s, all_bits) == 80ms));
}

BOOST_AUTO_TEST_CASE(equal_jitter_takes_the_upper_half_of_the_range) {
  BOOST_TEST((equal_jitter(1, 10ms, 1s, no_bits) == 15ms));
  BOOST_TEST((equal_jitter(1, 10ms, 1s, all_bits) == 20ms));
  BOOST_TEST((equal_jitter(3, 10ms, 1s, no_bits) == 45ms));
  BOOST_TEST((equal_jitter(3, 10ms, 1s, all_bits) == 80ms));
}

BOOST_AUTO_TEST_CASE(a_pause_is_never_below_the_least_nor_above_the_most) {
  random_source random{7};
  for (int i = 0; i < 10'000; ++i) {
    const auto attempt = static_cast<std::uint32_t>(1 + random.below(40));
    const auto least = duration{static_cast<std::int64_t>(1 + random.below(1'000'000))};
    const auto most = least * static_cast<std::int64_t>(1 + random.below(5000));
    const auto bits = random.below(all_bits);
    for (const auto pause : {backoff(attempt, least, most), full_jitter(attempt, least, most, bits),
                             equal_jitter(attempt, least, most, bits)}) {
      BOOST_TEST((pause >= least));
      BOOST_TEST((pause <= most));
    }
  }
  BOOST_TEST((full_jitter(5, 1h, 1h, half_of_bits) == 1h));
}

BOOST_AUTO_TEST_SUITE_END()
