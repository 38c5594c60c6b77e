// An ask that is repeated after its lease has come and gone: the id of an assignment names one
// lease, for ever.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct late_repetition_fixture : node_fixture {
  late_repetition_fixture() {
    start();
    step = create();
    feed(step, 3);
    ask = {step, "ana", fresh<core::assignment_id>()};
    const auto granted = call(ask);
    BOOST_REQUIRE(granted.value);
    first = *granted.value;
  }

  core::step_id step;
  msg::ask_assignment ask;
  msg::assignment first;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(late_repetition, late_repetition_fixture)

BOOST_AUTO_TEST_CASE(repetition_in_time_gets_the_same_lease) {
  advance(59s);
  const auto again = call(ask);
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->unit == first.unit));
  BOOST_TEST(again.value->token == first.token);
}

BOOST_AUTO_TEST_CASE(repetition_after_the_expiry_gets_no_other_lease) {
  advance(61s);
  BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(assign(step, "ana").value.has_value());
}

BOOST_AUTO_TEST_CASE(repetition_after_a_release_gets_no_other_lease) {
  BOOST_REQUIRE(release(first, "ana").value);
  BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  BOOST_TEST(active_leases() == 0U);
}

// A node that was cut off had the request in its hands, and passes it on to the next host, which
// has not seen what became of it.
BOOST_AUTO_TEST_CASE(repetition_at_the_next_host_gets_no_other_lease) { // I-3
  BOOST_REQUIRE(submit(first, "ana").value);
  advance(10ms);
  restart();
  for (int i = 0; i < 2; ++i)
    BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  BOOST_TEST(active_leases() == 0U);
  ask.assignment = fresh<core::assignment_id>();
  const auto second = call(ask);
  BOOST_REQUIRE(second.value);
  BOOST_REQUIRE(release(*second.value, "ana").value);
  advance(10ms);
  restart();
  BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  // What waited for the next host without ever having been answered is new.
  const msg::ask_assignment waited{step, "ana", fresh<core::assignment_id>()};
  advance(10ms);
  restart();
  BOOST_TEST(call(waited).value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

// What is repeated later than the next ones, however many these are.
BOOST_AUTO_TEST_CASE(repetition_after_many_others_gets_no_other_lease) { // I-3
  feed(step, 20, 3);
  BOOST_REQUIRE(submit(first, "ana").value);
  for (int i = 0; i < 12; ++i) {
    advance(10ms);
    const auto next = assign(step, "ana");
    BOOST_REQUIRE(next.value);
    BOOST_REQUIRE(submit(*next.value, "ana").value);
  }
  BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  BOOST_TEST(active_leases() == 0U);
}

// The reply was lost with the node, and the lease ran out while it was down.
BOOST_AUTO_TEST_CASE(repetition_at_a_node_that_comes_back_late_gets_no_other_lease) {
  node.reset();
  advance(61s);
  restart();
  BOOST_TEST(call(ask).code() == core::errc::lease_expired);
  BOOST_TEST(assign(step, "ana").value.has_value());
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
