#include "core/mended_text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using holdfast::core::mended_text;

BOOST_AUTO_TEST_SUITE(mended_texts)

// finding Q7
BOOST_AUTO_TEST_CASE(text_for_people_keeps_all_that_can_be_stored) {
  BOOST_TEST(mended_text("", 10) == "");
  BOOST_TEST(mended_text("na\u00efve \U0001F600", 100) == "na\u00efve \U0001F600");
  BOOST_TEST(mended_text("caf\xe9 zu", 100) == "caf\ufffd zu");         // Latin-1
  BOOST_TEST(mended_text(std::string("a\0b", 3), 100) == "a\ufffdb");   // no column takes it
  BOOST_TEST(mended_text("\xed\xa0\x80", 100) == "\ufffd\ufffd\ufffd"); // half of a pair
  BOOST_TEST(mended_text("\xc3", 100) == "\ufffd");
}

// finding Q7
BOOST_AUTO_TEST_CASE(text_for_people_is_cut_between_characters) {
  BOOST_TEST(mended_text("abcdef", 3) == "abc");
  BOOST_TEST(mended_text("ab\u00e4", 3) == "ab");
  BOOST_TEST(mended_text("ab\u00e4", 4) == "ab\u00e4");
  BOOST_TEST(mended_text("ab\xff", 4) == "ab");
  BOOST_TEST(mended_text(std::string(1 << 20, '\xff'), 9).size() == 9U);
}

BOOST_AUTO_TEST_SUITE_END()
