// Units live in memory only while somebody needs them.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

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

// --- overload ---

namespace {

struct small_queue : node_fixture {
  small_queue() {
    prepare().settings.batching.high_water = 4;
    start();
    step = create();
    feed(step, 3);
  }
  core::step_id step;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(overload, small_queue)

BOOST_AUTO_TEST_CASE(above_the_high_water_mark_requests_are_refused_and_taken_again_below_it) {
  std::vector<msg::assignment> leases;
  for (const auto* who : {"a", "b", "c", "d", "e", "f"})
    leases.push_back(assigned(step, who));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  for (std::size_t i = 0; i < leases.size(); ++i) {
    answers.push_back(
        send_to_node(judgment(leases[i], std::string(1, static_cast<char>('a' + i)))));
    settle();
  }
  // A judgment weighs two: itself and its event.
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST(answers[i]->arrived() == (i >= 2));
  BOOST_TEST(answers.back()->code() == core::errc::overloaded);
  BOOST_TEST(answers.back()->error->detail == "4 writes are waiting already");
  BOOST_TEST(assign(step, "g").code() == core::errc::overloaded);
  // Reading goes on, and the status says what is the matter.
  const auto full = status();
  BOOST_TEST(full.queued == 4u);
  BOOST_TEST(full.overloaded == 5u);
  database->set_reachable(true);
  advance(5s);
  BOOST_TEST(status().queued == 0u);
  BOOST_TEST(answers[0]->value.has_value());
  BOOST_TEST(answers[1]->value.has_value());
  BOOST_TEST(submit(leases[2], "c").value.has_value());
}

BOOST_AUTO_TEST_CASE(a_request_larger_than_the_mark_is_taken_when_nothing_waits) {
  feed(step, 50, 100);
  BOOST_TEST(statistics(step).judgable == 53u);
}

// I-12: a model that has learned from a judgment that the writer had no room for says of its unit
// that more have judged it than have; the unit would wait for them for ever.
BOOST_AUTO_TEST_CASE(what_the_writer_has_no_room_for_is_forgotten_by_the_model) {
  prepare().settings.batching.high_water = 1;
  start();
  const auto learned = create(R"({"name":"learned","steps":[{"key":"a","judgments_per_unit":1,
    "aggregation":{"method":"incremental","answer":"/answer","labels":["blue","red"]}}]})");
  constexpr std::size_t units = 6;
  feed(learned, units);
  const auto name_of = [](std::size_t i) { return std::string(1, static_cast<char>('a' + i)); };
  std::vector<msg::assignment> leases;
  for (std::size_t i = 0; i < units; ++i)
    leases.push_back(assigned(learned, name_of(i)));
  // Before any of them is counted as waiting, all have come in.
  held_back = "writer";
  std::vector<awaited_answer<msg::submit_judgment>> answers;
  for (std::size_t i = 0; i < units; ++i)
    answers.push_back(send_to_node(judgment(leases[i], name_of(i))));
  settle();
  held_back.clear();
  settle();
  const auto lost = std::count_if(answers.begin(), answers.end(), [](const auto& one) {
    return one->arrived() && one->error && one->error->detail == "the writer's queue is full";
  });
  BOOST_REQUIRE(lost > 0);
  advance(5s);
  for (std::size_t i = 0; i < units; ++i)
    if (database->tables().judgments.count({leases[i].unit, name_of(i)}) == 0) {
      BOOST_REQUIRE(release(leases[i], name_of(i)).value);
      advance(1s);
      BOOST_REQUIRE(submit(assigned(learned, "z"), "z").value);
      advance(1s);
    }
  for (const auto& result : results(learned))
    BOOST_TEST((result.state == core::unit_state::finalized));
}

// Requests wait for a step that loads, but not without a bound.
BOOST_AUTO_TEST_CASE(a_step_that_cannot_load_lets_a_bounded_number_of_requests_wait) {
  crash(the_actor("step"));
  database->set_reachable(false);
  std::vector<awaited_answer<msg::ask_assignment>> answers;
  for (int i = 0; i < 8; ++i)
    answers.push_back(send_to_node(
        msg::ask_assignment{step, "w" + std::to_string(i), fresh<core::assignment_id>()}));
  advance(1s);
  for (std::size_t i = 0; i < answers.size(); ++i)
    BOOST_TEST((answers[i]->code() == core::errc::overloaded) == (i >= 4));
  database->set_reachable(true);
  advance(10s);
  for (std::size_t i = 0; i < 4; ++i)
    BOOST_TEST(answers[i]->value.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
