// Cursors of readers of events: what is written is read again, and nothing else is.

#include "http/event_cursor.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <string>

namespace holdfast::http {

BOOST_AUTO_TEST_SUITE(event_cursor)

BOOST_AUTO_TEST_CASE(positions_come_back_as_they_were) {
  const event_positions all[] = {{0},
                                 {127, 128},
                                 {1, 2, 3},
                                 {16383, 16384, std::uint64_t{INT64_MAX}},
                                 event_positions(1024, 7)};
  for (const auto& positions : all) {
    const auto text = cursor_of(positions);
    BOOST_TEST(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789-_")
               == std::string::npos);
    const auto read = positions_of(text, positions.size());
    BOOST_REQUIRE(read);
    BOOST_TEST(*read == positions, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_cursor_of_another_number_of_shards_is_none) {
  const auto text = cursor_of({1, 2, 3});
  BOOST_TEST(!positions_of(text, 2));
  BOOST_TEST(!positions_of(text, 4));
}

BOOST_AUTO_TEST_CASE(texts_that_are_no_cursors_are_none) {
  for (const auto* text : {"", "A", "AQ", "!", "AQ==", "AgE", "AQE B", "AYCAgICAgICAgIB_"})
    BOOST_TEST(!positions_of(text, 1), text);
  BOOST_TEST(!!positions_of("AQE", 1));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::http
