// A node that starts again continues from the database alone.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

BOOST_FIXTURE_TEST_SUITE(restarts, node_fixture)

// I-9: nobody asks for the step after the start; its leases end in time all the same.
BOOST_AUTO_TEST_CASE(leases_keep_token_and_end_over_a_restart_even_when_nobody_asks) {
  start();
  const auto step = create();
  feed(step, 2);
  const auto one = assigned(step, "ana");
  const auto two = assigned(step, "bob");
  restart();
  BOOST_REQUIRE(now() < one.expires_at);
  BOOST_TEST(submit(two, "bob").value.has_value());
  restart();
  advance(one.expires_at - now() - 1us);
  BOOST_TEST(active_leases() == 1u);
  advance(1us);
  BOOST_TEST(active_leases() == 0u);
}

BOOST_AUTO_TEST_CASE(a_lease_that_ran_out_while_no_node_ran_ends_at_the_next_start) {
  start();
  const auto step = create();
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  node.reset();
  advance(1h);
  BOOST_TEST(active_leases() == 1u);
  restart();
  advance(1us); // its timer was due long ago
  BOOST_TEST(active_leases() == 0u);
  advance(30s); // the wait after an expiry begins when it was seen
  const auto again = assigned(step, "ana");
  BOOST_TEST(again.token == lease.token + 1);
}

BOOST_AUTO_TEST_CASE(a_contributor_who_waits_after_an_expiry_waits_over_a_restart_too) {
  start();
  const auto step = create();
  feed(step, 1);
  const auto lease = assigned(step, "ana");
  advance(61s);
  restart();
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(lease.expires_at + 30s - now() - 1us);
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  advance(1us);
  BOOST_TEST(assign(step, "ana").value.has_value());
}

// I-9 holds for a step that was paused or canceled with leases out, too.
BOOST_AUTO_TEST_CASE(leases_of_a_paused_step_end_in_time_after_a_restart) {
  start();
  const auto step = create();
  feed(step, 1);
  assigned(step, "ana");
  change(step, core::unit_verb::pause);
  restart();
  advance(60s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(statistics(step).step.status == core::step_status::paused);
}

BOOST_AUTO_TEST_CASE(a_node_that_finds_the_database_away_waits_for_it) {
  database->set_reachable(false);
  prepare().start();
  advance(60s);
  BOOST_TEST(!node->gateway);
  BOOST_TEST(!node->ended());
  database->set_reachable(true);
  advance(5s);
  BOOST_REQUIRE(node->gateway);
  const auto step = create();
  feed(step, 1);
  work(step, "ana");
}

BOOST_AUTO_TEST_CASE(a_node_with_another_number_of_shards_ends_with_the_reason) {
  start();
  prepare().settings.shards = 3;
  node->start();
  settle();
  BOOST_REQUIRE(node->ended());
  const auto why = msg::failure_of(node->end_reason());
  BOOST_TEST(why.code == core::errc::invalid_argument);
  BOOST_TEST(why.detail.find("2 shards, not 3") != std::string::npos, why.detail);
}

BOOST_AUTO_TEST_CASE(every_start_raises_the_epoch_of_every_shard) {
  start();
  const auto before = database->tables().shards;
  restart();
  for (std::size_t i = 0; i < before.size(); ++i)
    BOOST_TEST(database->tables().shards[i].epoch == before[i].epoch + 1);
}

// I-1 to I-6, I-8, I-12: killed at any moment, under any interleaving, nothing acknowledged is lost
// and nothing counts twice.
BOOST_AUTO_TEST_CASE(killed_at_random_moments_nothing_is_lost_or_doubled) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      node_fixture world{seed};
      world.start();
      const auto steps = world.create_steps(
          workflow_json("two", {step_json("find", 2, {"check"}), step_json("check", 1, {})}));
      world.feed(steps[0], 4);
      world.seal(steps[0]);
      std::set<core::judgment_id> acknowledged;
      for (int round = 0; round < 200; ++round) {
        // A request of somebody, and perhaps a kill somewhere on its way.
        const auto& step = steps[world.random() % 2];
        const auto who = "w" + std::to_string(world.random() % 3);
        const bool kill = world.random() % 8 == 0;
        const auto run = [&] {
          if (kill)
            for (auto left = world.random() % 60; left > 0 && world.virtual_world::step(); --left) {
            }
          else
            world.settle();
        };
        const auto asked =
            world.send_to_node(msg::ask_assignment{step, who, world.fresh<core::assignment_id>()});
        run();
        if (asked->value) {
          const auto request = world.judgment(*asked->value, who);
          const auto submitted = world.send_to_node(request);
          run();
          if (submitted->value)
            acknowledged.insert(request.judgment);
        }
        if (kill)
          world.restart();
        BOOST_REQUIRE(!world.node->ended());
      }
      world.advance(61s);
      for (const auto& step : steps)
        for (const auto* who : {"w0", "w1", "w2"})
          for (;;) {
            world.advance(31s);
            const auto lease = world.assign(step, who);
            if (!lease.value)
              break;
            const auto request = world.judgment(*lease.value, who);
            BOOST_REQUIRE(world.call(request).value);
            acknowledged.insert(request.judgment);
          }
      world.advance(10s);
      for (const auto& id : acknowledged) // I-12
        BOOST_TEST(world.database->tables().judgment_ids.count(id) == 1u);
      for (const auto& step : steps) {
        const auto counts = world.statistics(step);
        BOOST_TEST(counts.finalized == 4u);
        BOOST_TEST(counts.step.completed_units == 4u);
        BOOST_TEST(counts.step.status == core::step_status::completed);
      }
      BOOST_TEST(broken_invariants(*world.database) == "");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
