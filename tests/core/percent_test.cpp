// Percent-encoding, as paths, queries, JSON pointers and grants have it.

#include "core/percent.hpp"

#include <boost/test/unit_test.hpp>

using namespace holdfast::core;

BOOST_AUTO_TEST_SUITE(percent_encoding)

BOOST_AUTO_TEST_CASE(escapes_become_their_bytes) {
  BOOST_TEST(percent_decoded("").value() == "");
  BOOST_TEST(percent_decoded("plain+text").value() == "plain+text");
  BOOST_TEST(percent_decoded("a%20b%2Fc%2fd").value() == "a b/c/d");
  BOOST_TEST(percent_decoded("%c3%A4").value() == "\xc3\xa4");
  BOOST_TEST(percent_decoded("%00").value() == std::string(1, '\0'));
  BOOST_TEST(percent_decoded("%2541").value() == "%41"); // once
}

BOOST_AUTO_TEST_CASE(escape_without_two_digits_is_none) {
  for (const auto* text : {"%", "a%", "%2", "%zz", "%2g", "%g2", "a%%20", "% 20", "%-1"})
    BOOST_TEST(!percent_decoded(text), text);
}

BOOST_AUTO_TEST_SUITE_END()
