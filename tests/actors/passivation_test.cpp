// Units live in memory only while somebody needs them.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct passivating_node : node_fixture {
  passivating_node() {
    auto& settings = prepare().settings;
    settings.unit_idle_timeout = 10s;
    settings.unit_prefetch = 4;
    start();
    step = create();
  }
  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(passivation, passivating_node)

BOOST_AUTO_TEST_CASE(units_nobody_asks_for_are_not_in_memory) {
  feed(step, 100);
  BOOST_TEST(status().live_units == 0u);
  assigned(step, "ana");
  BOOST_TEST(status().live_units == 4u); // the one asked for and those next in order
}

BOOST_AUTO_TEST_CASE(an_idle_unit_leaves_memory_and_comes_back_with_its_state) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  BOOST_REQUIRE(submit(lease, "ana").value);
  advance(20s);
  BOOST_TEST(status().live_units == 0u);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available); // has judged it
  const auto bob = assigned(step, "bob");
  BOOST_TEST((bob.unit == lease.unit));
  BOOST_TEST(bob.token == lease.token + 1);
  BOOST_TEST(status().live_units == 1u);
}

BOOST_AUTO_TEST_CASE(a_lease_outlives_its_units_time_in_memory_and_expires_in_time) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  advance(40s);
  BOOST_TEST(status().live_units == 0u);
  BOOST_TEST(active_leases() == 1u);
  advance(20s - 1us);
  BOOST_TEST(active_leases() == 1u);
  advance(1us);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(submit(lease, "ana").code() == core::errc::lease_not_held);
}

BOOST_AUTO_TEST_CASE(a_finished_unit_leaves_memory_at_once) {
  feed(step, 1);
  work(step, "ana");
  work(step, "bob");
  BOOST_TEST(results(step).front().state == core::unit_state::finalized);
  BOOST_TEST(status().live_units == 0u);
}

BOOST_AUTO_TEST_CASE(a_canceled_unit_leaves_memory_at_once) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  BOOST_REQUIRE(change(lease, core::unit_verb::cancel).value);
  BOOST_TEST(status().live_units == 0u);
}

BOOST_AUTO_TEST_CASE(a_late_request_for_a_finished_unit_is_answered_and_leaves_nothing_behind) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  const auto request = judgment(lease, "ana");
  BOOST_REQUIRE(call(request).value);
  work(step, "bob");
  const auto repeated = call(request);
  BOOST_REQUIRE(repeated.value);
  BOOST_TEST(repeated.value->repeated);
  BOOST_TEST(submit(lease, "eve").code() == core::errc::lease_not_held);
  advance(20s);
  BOOST_TEST(status().live_units == 0u);
}

// A request that meets a unit on its way out waits until it is loaded again.
BOOST_AUTO_TEST_CASE(a_request_that_arrives_while_a_unit_leaves_is_served) {
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  advance(9s);
  // Its decision waits for the database while the step sends it away.
  database->set_reachable(false);
  const auto submitted = send_to_node(judgment(lease, "ana"));
  settle();
  advance(15s);
  const auto asked = send_to_node(msg::ask_assignment{step, "bob", fresh<core::assignment_id>()});
  advance(1s);
  BOOST_TEST(!submitted->arrived());
  BOOST_TEST(!asked->arrived());
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(submitted->value.has_value());
  BOOST_REQUIRE(asked->value);
  BOOST_TEST((asked->value->unit == lease.unit));
  BOOST_TEST(asked->value->token == lease.token + 1);
  BOOST_TEST(submit(*asked->value, "bob").value.has_value());
  BOOST_TEST(unit(step, lease.unit).state == core::unit_state::finalized);
}

BOOST_AUTO_TEST_CASE(units_come_and_go_under_every_interleaving) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    node_fixture world{seed};
    auto& settings = world.prepare().settings;
    settings.unit_idle_timeout = 1ms; // everything leaves as soon as it may
    settings.unit_prefetch = 2;
    world.start();
    const auto colours = world.create();
    world.feed(colours, 6);
    for (const auto* who : {"ana", "bob"}) {
      for (int i = 0; i < 6; ++i) {
        const auto lease = world.assigned(colours, who);
        world.advance(std::chrono::microseconds{world.random() % 1500});
        BOOST_REQUIRE(world.submit(lease, who).value);
      }
    }
    world.advance(1s);
    BOOST_TEST_CONTEXT("seed " << seed) {
      BOOST_TEST(world.statistics(colours).finalized == 6u);
      BOOST_TEST(world.status().live_units == 0u);
      BOOST_TEST(broken_invariants(*world.database) == "");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
