// Commits that wait for those whom the last one has answered, through a whole node in virtual time.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using claim_answer = awaited_answer<msg::ask_assignment>;

struct two_just_answered : node_fixture {
  two_just_answered() {
    prepare().settings.batching.rejoin_max = 50us;
    start();
    step = create();
    feed(step, 8);
    assigned(step, "kit"); // has the step read its units
    database->set_reachable(false);
    const auto ana = asked("ana");
    const auto bob = asked("bob");
    advance(1s);
    database->set_reachable(true);
    const auto answered = [&] { return ana->arrived() && bob->arrived(); };
    while (!answered() && advance_to_next_timer(now() + 10s))
      while (!answered() && virtual_world::step()) {
      }
    BOOST_REQUIRE((ana->value && bob->value));
  }

  claim_answer asked(const std::string& who) {
    return send_to_node(msg::ask_assignment{step, who, fresh<core::assignment_id>()});
  }

  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rejoining, two_just_answered)

BOOST_AUTO_TEST_CASE(first_returning_caller_shares_the_commit_of_the_others) {
  std::size_t commits = 0;
  database->set_commit_faults([&](const persistence::write_batch&) {
    ++commits;
    return persistence::commit_fault::none;
  });
  const auto first = asked("eve");
  settle();
  BOOST_TEST(!first->arrived());
  BOOST_TEST(commits == 0u);
  const auto second = asked("kim");
  settle();
  BOOST_TEST(first->value.has_value());
  BOOST_TEST(second->value.has_value());
  BOOST_TEST(commits == 1u);
  database->set_commit_faults(nullptr);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(caller_who_returns_alone_waits_for_a_moment_and_no_longer) {
  const auto alone = asked("eve");
  settle();
  BOOST_TEST(!alone->arrived());
  advance(50us);
  BOOST_TEST(alone->value.has_value());
}

BOOST_AUTO_TEST_CASE(when_the_moment_is_over_nobody_waits) {
  advance(50us);
  const auto late = asked("eve");
  settle();
  BOOST_TEST(late->value.has_value());
}

// I-12
BOOST_AUTO_TEST_CASE(answer_held_up_when_the_node_dies_was_never_given) {
  const auto lost = asked("eve");
  settle();
  restart();
  BOOST_TEST(!lost->value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
  BOOST_TEST(assigned(step, "eve").token > 0u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
