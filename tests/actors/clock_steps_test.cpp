// The database's clock is set back under a node that runs: finding R4, F06.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// A node whose database's clock stands an hour ahead until it is set back.
struct node_on_a_clock : node_with_queue {
  node_on_a_clock() {
    database_ahead = 1h;
    advance(5s); // renewals tell the node of it
  }
  void set_back() {
    database_ahead = {};
    advance(5s);
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(clock_steps, node_on_a_clock)

BOOST_AUTO_TEST_CASE(a_task_whose_worker_died_before_a_step_back_goes_to_another_soon) {
  const auto id = enqueued(request());
  one("ana");
  set_back();
  advance(2 * 30s + 10s); // its lease, noticed late, and its pause
  const auto again = claimed(claim("bob"));
  BOOST_REQUIRE(again.size() == 1U);
  BOOST_TEST((again.front().task == id));
}

BOOST_AUTO_TEST_CASE(a_worker_extends_and_completes_a_task_that_it_took_before_a_step_back) {
  enqueued(request());
  const auto task = one("ana");
  set_back();
  for (int i = 0; i < 3; ++i) {
    const auto told = send_to_node(msg::extend_tasks{"mail", "ana", {{task.task, task.token}}});
    advance(20s); // extensions share commits: the answer takes a moment
    BOOST_REQUIRE(told->value);
    BOOST_TEST((told->value->outcomes.front().refusal == core::errc::none));
  }
  BOOST_TEST((complete("ana", task) == core::errc::none));
}

BOOST_AUTO_TEST_CASE(a_task_that_waited_before_a_step_back_is_there_after_a_restart) {
  enqueued(request());
  set_back();
  restart();
  advance(20s);
  BOOST_TEST(claimed(claim("bob")).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_unit_whose_contributor_left_before_a_step_back_goes_to_another_soon) {
  const auto step = create();
  feed(step, 1);
  const auto first = assigned(step, "ana");
  assigned(step, "eve");
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  set_back();
  advance(3min); // leases of 60 s, noticed when the node looks after what is late
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST((assigned(step, "bob").unit == first.unit));
}

// The unit leaves the memory before its lease ends, and has it from the database after that.
BOOST_AUTO_TEST_CASE(a_shortened_lease_of_a_unit_that_is_sent_away_ends_in_time) {
  prepare().settings.unit_idle_timeout = 1s;
  start();
  database_ahead = 1h;
  advance(5s);
  const auto step = create();
  feed(step, 1);
  assigned(step, "ana");
  set_back();
  advance(100s); // 15 s until the step looks, 60 s of lease
  BOOST_TEST(active_leases() == 0U);
}

BOOST_AUTO_TEST_CASE(a_contributor_extends_a_lease_from_before_a_step_back) {
  const auto step = create();
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  set_back();
  advance(30s);
  const auto told = extend(lease, "ana");
  BOOST_TEST(told.value.has_value(), (told.error ? told.error->detail : "no answer"));
  advance(40s);
  BOOST_TEST(submit(lease, "ana").value.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
