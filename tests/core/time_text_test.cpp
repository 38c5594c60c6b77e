// Times as RFC 3339 has them: what is written is read again, and nothing else is.

#include "core/time_text.hpp"

#include "tests/core/random_source.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast::core;

namespace {

/// Microseconds since 1970; -1 for what is no time.
std::int64_t micros(std::string_view text) {
  const auto at = parse_rfc3339(text);
  return at ? to_micros(*at) : -1;
}

} // namespace

BOOST_AUTO_TEST_SUITE(time_texts)

// C16
BOOST_AUTO_TEST_CASE(written_time_is_read_again) {
  BOOST_TEST(to_rfc3339(from_micros(0)) == "1970-01-01T00:00:00.000000Z");
  BOOST_TEST(to_rfc3339(from_micros(1'700'000'000'000'042)) == "2023-11-14T22:13:20.000042Z");
  BOOST_TEST(to_rfc3339(from_micros(-1)) == "1969-12-31T23:59:59.999999Z");
  holdfast::test::random_source random{3};
  for (int i = 0; i < 10'000; ++i) {
    constexpr std::int64_t seconds_of_400_years = 12'622'780'800;
    const auto at = from_micros(
        (static_cast<std::int64_t>(random.below(seconds_of_400_years)) - 6'000'000'000) * 1'000'000
        + static_cast<std::int64_t>(random.below(1'000'000)));
    const auto back = parse_rfc3339(to_rfc3339(at));
    BOOST_REQUIRE_MESSAGE(back, to_rfc3339(at));
    BOOST_TEST((*back == at));
  }
}

BOOST_AUTO_TEST_CASE(fractions_and_places_are_read) {
  constexpr std::int64_t noon = 1'735'041'600'000'000;
  for (const auto* text :
       {"2024-12-24T12:00:00Z", "2024-12-24t12:00:00z", "2024-12-24T12:00:00.0Z",
        "2024-12-24T13:00:00+01:00", "2024-12-24T08:30:00-03:30", "2024-12-25T00:00:00+12:00",
        "2024-12-24T12:00:00-00:00", "2024-12-24T11:59:60Z", "2024-12-24T12:00:00.0000009Z"})
    BOOST_TEST(micros(text) == noon, text);
  BOOST_TEST(micros("2024-12-24T12:00:00.5Z") == noon + 500'000);
  BOOST_TEST(micros("2024-12-24T12:00:00.000001Z") == noon + 1);
  BOOST_TEST(micros("2024-02-29T00:00:00Z") == 1'709'164'800'000'000);
}

BOOST_AUTO_TEST_CASE(text_that_is_no_time_is_refused) {
  for (const auto* text : {"",
                           "2024",
                           "2024-12-24",
                           "2024-12-24T12:00:00",
                           "2024-12-24 12:00:00Z",
                           "2024-12-24T12:00Z",
                           "2024-12-24T12:00:00.Z",
                           "2024-12-24T12:00:00Zz",
                           "2024-12-24T12:00:00+1:00",
                           "2024-12-24T12:00:00+0100",
                           "2024-12-24T12:00:00+24:00",
                           "2024-12-24T12:00:00+01:60",
                           "2024-13-24T12:00:00Z",
                           "2024-00-24T12:00:00Z",
                           "2024-12-00T12:00:00Z",
                           "2024-12-32T12:00:00Z",
                           "2023-02-29T12:00:00Z",
                           "1900-02-29T12:00:00Z",
                           "2024-12-24T24:00:00Z",
                           "2024-12-24T12:60:00Z",
                           "2024-12-24T12:00:61Z",
                           "0000-12-24T12:00:00Z",
                           "+024-12-24T12:00:00Z",
                           "2024-12-24T12:00:0xZ",
                           "2024-12-24T12:00:-1Z"})
    BOOST_TEST(!parse_rfc3339(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
