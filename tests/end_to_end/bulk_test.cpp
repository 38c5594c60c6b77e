// The example about bulk actions as a program: its tables, its files and a mail server, around a
// real node that is killed in the midst of all.

#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(bulk_actions)

// B2-B5, B7-B9, B14, B19, B36-B44, B57-B66, I-14
BOOST_AUTO_TEST_CASE(story_ends_as_promised) {
  const auto end = holdfast::test::run_program(HOLDFAST_BULK_ACTIONS, {"story"}, 240s);
  BOOST_TEST(end.code == 0, end.out + end.err);
  for (const auto* said :
       {"four requests are refused", "121 mails wait", "accepted, to be done later",
        "the node is killed", "it is back", "has the same", "118 people have their mail",
        "RIGHTS_REVOKED", "450 newcomers", "60 units", "As promised"})
    BOOST_TEST(end.out.find(said) != std::string::npos, said);
}

BOOST_AUTO_TEST_SUITE_END()
