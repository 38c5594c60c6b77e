// Which programs understand each other. F44

#include "messages/protocol.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using holdfast::msg::why_not_understood;
using holdfast::test::contains;

BOOST_AUTO_TEST_SUITE(protocols)

BOOST_AUTO_TEST_CASE(programs_whose_ranges_meet_understand_each_other) {
  BOOST_TEST(why_not_understood({1, 1}, {1, 1}, "x").empty());
  BOOST_TEST(why_not_understood({1, 2}, {2, 3}, "x").empty());
  BOOST_TEST(why_not_understood({2, 3}, {1, 2}, "x").empty());
  BOOST_TEST(why_not_understood({1, 4}, {2, 3}, "x").empty());
}

BOOST_AUTO_TEST_CASE(the_older_program_is_to_be_upgraded_first) {
  const auto older = why_not_understood({3, 4}, {1, 2}, "0.3.1");
  BOOST_TEST(contains(older, "version 0.3.1 and speaks protocols 1 to 2"), older);
  BOOST_TEST(contains(older, "this program speaks protocols 3 to 4"), older);
  BOOST_TEST(contains(older, "upgrade that one first"), older);
  const auto newer = why_not_understood({2, 2}, {3, 3}, "0.9.0");
  BOOST_TEST(contains(newer, "speaks protocol 3;"), newer);
  BOOST_TEST(contains(newer, "upgrade this program first"), newer);
}

BOOST_AUTO_TEST_CASE(this_program_understands_itself_and_the_one_before) {
  using holdfast::msg::own_protocols;
  BOOST_TEST(why_not_understood(own_protocols, own_protocols, "x").empty());
  if (own_protocols.newest > 1)
    BOOST_TEST(own_protocols.oldest < own_protocols.newest);
}

BOOST_AUTO_TEST_SUITE_END()
