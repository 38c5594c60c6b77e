// Texts in messages: suggestions for misspelt names, and strangers' text made fit to print.

#include "documents/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::documents;

BOOST_AUTO_TEST_SUITE(texts_in_messages)

BOOST_AUTO_TEST_CASE(the_nearest_name_is_suggested_when_a_third_of_it_is_right) {
  const std::vector<std::string_view> known{"judgments_per_unit", "lease", "key", "next"};
  BOOST_TEST(nearest("judgements_per_unit", known) == "judgments_per_unit");
  BOOST_TEST(nearest("laese", known) == "lease"); // exchanged neighbours are one slip
  BOOST_TEST(nearest("leases", known) == "lease");
  BOOST_TEST(nearest("Key", known) == "key");
  BOOST_TEST(nearest("ke", known) == "key");
  BOOST_TEST(nearest("keys", known) == "key");
  BOOST_TEST(nearest("text", known) == "next");
  BOOST_TEST(nearest("colour", known) == "");
  BOOST_TEST(nearest("", known) == "");
  BOOST_TEST(nearest("x", {}) == "");
  BOOST_TEST(suggestion("laese", known) == "; did you mean 'lease'?");
  BOOST_TEST(suggestion("colour", known) == "");
}

BOOST_AUTO_TEST_CASE(of_two_near_names_the_nearer_wins_and_of_equals_the_first) {
  BOOST_TEST(nearest("labels", {"lapels", "label"}) == "lapels");
  BOOST_TEST(nearest("labelx", {"labely", "label"}) == "labely");
  BOOST_TEST(nearest("abcdef", {"abcxyf", "abcdxf"}) == "abcdxf");
}

BOOST_AUTO_TEST_CASE(very_long_names_are_not_compared) {
  const std::string long_name(65, 'a');
  BOOST_TEST(nearest(long_name, {long_name}) == "");
  BOOST_TEST(nearest(std::string(64, 'a'), {long_name}) == "");
  BOOST_TEST(nearest(std::string(64, 'b'), {std::string(64, 'b')}) == std::string(64, 'b'));
}

BOOST_AUTO_TEST_CASE(printable_text_is_valid_and_short) {
  BOOST_TEST(printable("plain äöü", 100) == "plain äöü");
  BOOST_TEST(printable("a\nb\x7f\x1f", 100) == "a?b??");
  BOOST_TEST(printable("\xff\xc3x", 100) == "??x");
  BOOST_TEST(printable("a\xc2\x9b"
                       "2Jb\xe2\x80\xae"
                       "c",
                       100)
             == "a?2Jb?c"); // finding D5
  BOOST_TEST(printable("12345", 5) == "12345");
  BOOST_TEST(printable("123456", 5) == "12345…");
  // Never cut inside a character.
  BOOST_TEST(printable("ääa", 3) == "ä…");
  BOOST_TEST(printable("", 0) == "");
  BOOST_TEST(printable("a", 0) == "…");
}

BOOST_AUTO_TEST_CASE(code_points_are_counted_not_bytes) {
  BOOST_TEST(code_points("") == 0U);
  BOOST_TEST(code_points("abc") == 3U);
  BOOST_TEST(code_points("äöü") == 3U);
  BOOST_TEST(code_points("\xf0\x9f\x98\x80") == 1U);
}

BOOST_AUTO_TEST_SUITE_END()
