// The example about links as a program: its tables and its outbox in the database of a real node.

#include "tests/support/program.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(record_linker)

// C1, C5, C7-C9, C23-C25, C29-C32, C36-C41, C46, C49
BOOST_AUTO_TEST_CASE(story_ends_as_promised) {
  const auto end = holdfast::test::run_program(HOLDFAST_RECORD_LINKER,
                                               {"story", "--records", "600", "--seed", "2"}, 240s);
  BOOST_TEST(end.code == 0, end.out + end.err);
  for (const auto* said :
       {"600 rows and their tasks are committed in one transaction", "200 tasks are enqueued",
        "project 3 is deleted", "somebody asked for one record", "jobs/s", "are redriven",
        "enqueues 12", "As promised"})
    BOOST_TEST(end.out.find(said) != std::string::npos, said);
}

BOOST_AUTO_TEST_SUITE_END()
