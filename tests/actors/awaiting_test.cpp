// Requests that wait at a queue for the end of a task, and at a step for a unit, through a whole
// node in virtual time.

#include "tests/support/queue_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct queue_with_waits : node_with_queue {
  msg::await_task wait_for(const core::task_id& task, core::duration wait = 20s) {
    return {"mail", task, fresh<core::assignment_id>(), wait};
  }
};

struct step_with_waits : node_fixture {
  step_with_waits() {
    start();
    step = create();
  }

  std::uint64_t seen() {
    const auto told = call(msg::await_units{step, 0, {}});
    BOOST_REQUIRE(told.value);
    return told.value->seen;
  }

  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(awaited_tasks, queue_with_waits)

BOOST_AUTO_TEST_CASE(a_wait_is_answered_when_its_task_is_completed) {
  const auto task = enqueued(request());
  const auto other = enqueued(request());
  const auto wait = send_to_node(wait_for(task));
  const auto of_other = send_to_node(wait_for(other));
  settle();
  BOOST_TEST(!wait->arrived());
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  BOOST_REQUIRE(wait->value);
  BOOST_TEST((wait->value->task == task));
  BOOST_TEST(!wait->value->live);
  BOOST_TEST(!of_other->arrived());
}

BOOST_AUTO_TEST_CASE(a_wait_is_answered_when_its_task_dies_or_is_canceled) {
  const auto failed = enqueued(request());
  const auto canceled = enqueued(request());
  const auto first = send_to_node(wait_for(failed));
  const auto second = send_to_node(wait_for(canceled));
  BOOST_TEST((fail("w", one("w"), core::failure_kind::permanent) == core::errc::none));
  BOOST_REQUIRE(first->value);
  BOOST_TEST(!first->value->live);
  BOOST_TEST(
      call(msg::change_task{"mail", canceled, static_cast<std::uint8_t>(core::task_verb::cancel)})
          .value.has_value());
  BOOST_REQUIRE(second->value);
  BOOST_TEST(!second->value->live);
}

BOOST_AUTO_TEST_CASE(a_wait_for_a_task_that_has_ended_is_answered_at_once) {
  const auto task = enqueued(request());
  BOOST_TEST((complete("w", one("w")) == core::errc::none));
  const auto told = call(wait_for(task));
  BOOST_REQUIRE(told.value);
  BOOST_TEST(!told.value->live);
}

BOOST_AUTO_TEST_CASE(a_wait_ends_when_its_time_is_over) {
  const auto wait = send_to_node(wait_for(enqueued(request()), 5s));
  advance(4s);
  BOOST_TEST(!wait->arrived());
  advance(1s);
  BOOST_REQUIRE(wait->value);
  BOOST_TEST(wait->value->live);
}

BOOST_AUTO_TEST_CASE(a_repetition_without_a_wait_ends_the_first) {
  auto request_of_wait = wait_for(enqueued(request()));
  const auto wait = send_to_node(request_of_wait);
  settle();
  request_of_wait.wait = {};
  const auto last = call(request_of_wait);
  BOOST_REQUIRE(last.value);
  BOOST_TEST(last.value->live);
  BOOST_REQUIRE(wait->value);
  BOOST_TEST(wait->value->live);
}

BOOST_AUTO_TEST_CASE(waits_that_make_no_sense_are_refused) {
  const auto task = enqueued(request());
  BOOST_TEST((call(wait_for(task, 61s)).code() == core::errc::invalid_argument));
  BOOST_TEST((call(wait_for({}, 1s)).code() == core::errc::invalid_argument));
  BOOST_TEST((call(msg::await_task{"mail", task, {}, 1s}).code() == core::errc::invalid_argument));
  const auto wait = wait_for(task);
  send_to_node(wait);
  settle();
  BOOST_TEST((call(msg::await_task{"mail", fresh<core::task_id>(), wait.id, 1s}).code()
              == core::errc::already_exists));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(awaited_units, step_with_waits)

BOOST_AUTO_TEST_CASE(a_wait_is_answered_when_a_unit_is_made) {
  const auto wait = send_to_node(msg::await_units{step, seen(), 20s});
  settle();
  BOOST_TEST(!wait->arrived());
  feed(step, 1);
  settle();
  BOOST_REQUIRE(wait->value);
}

BOOST_AUTO_TEST_CASE(a_wait_is_answered_when_a_unit_is_given_back) {
  feed(step, 1);
  const auto first = assigned(step, "ana");
  const auto second = assigned(step, "bob");
  const auto wait = send_to_node(msg::await_units{step, seen(), 20s});
  settle();
  BOOST_TEST(!wait->arrived());
  BOOST_TEST(release(first, "ana").value.has_value());
  settle();
  BOOST_REQUIRE(wait->value);
}

BOOST_AUTO_TEST_CASE(a_wait_is_answered_when_a_lease_runs_out) {
  feed(step, 1);
  assigned(step, "ana");
  assigned(step, "bob");
  const auto before = seen();
  advance(50s);
  const auto wait = send_to_node(msg::await_units{step, before, 20s});
  settle();
  BOOST_TEST(!wait->arrived());
  advance(11s); // leases last 60 s
  BOOST_REQUIRE(wait->value);
  BOOST_TEST(wait->value->seen != before);
}

BOOST_AUTO_TEST_CASE(a_change_that_was_missed_is_told_at_once) {
  const auto before = seen();
  feed(step, 1);
  settle();
  const auto told = call(msg::await_units{step, before, 20s});
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->seen != before);
}

BOOST_AUTO_TEST_CASE(a_wait_without_a_change_ends_when_its_time_is_over) {
  const auto before = seen();
  const auto wait = send_to_node(msg::await_units{step, before, 5s});
  advance(4s);
  BOOST_TEST(!wait->arrived());
  advance(1s);
  BOOST_REQUIRE(wait->value);
  BOOST_TEST(wait->value->seen == before);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
