// The example about identities as a program: handlers inside a real node that is killed meanwhile.

#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(identity_verification)

// D1, D6, D10, D11, D30, D31
BOOST_AUTO_TEST_CASE(story_ends_as_promised) {
  const auto end = holdfast::test::run_program(
      HOLDFAST_IDENTITY_VERIFICATION,
      {"story", "--verifications", "12", "--speed", "40000", "--seed", "3"}, 180s);
  BOOST_TEST(end.code == 0, end.out + end.err);
  for (const auto* said : {"12 people hand in", "the node is killed", "it is back",
                           "all have their verdict", "As promised"})
    BOOST_TEST(end.out.find(said) != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(it_has_the_command_line_of_a_node) {
  const auto help = holdfast::test::run_program(HOLDFAST_IDENTITY_VERIFICATION, {"--help"}, 30s);
  BOOST_TEST(help.code == 0);
  for (const auto* command : {"node", "status", "verify", "config", "story"})
    BOOST_TEST(help.out.find(command) != std::string::npos, command);
}

BOOST_AUTO_TEST_SUITE_END()
