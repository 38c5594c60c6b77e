// Judgments that come in when their lease has expired, through all actors of one node.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

/// One step whose units have `slots`.
std::string definition(const std::string& late_submit, int slots = 1) {
  return R"({"name":"late","steps":[{"key":"label","judgments_per_unit":)" + std::to_string(slots)
         + R"(,"lease":{"ttl_seconds":60,"total_max_seconds":60,"regrant_after_seconds":30,)"
         + R"("late_submit":")" + late_submit + R"("}}]})";
}

struct late_node : node_fixture {
  explicit late_node(std::uint64_t seed = 1) : node_fixture(seed) { start(); }

  msg::judgment_accepted accepted(const msg::submit_judgment& judgment) {
    const auto done = call(judgment);
    BOOST_REQUIRE_MESSAGE(done.value, judgment.contributor << " was refused: " << done.code());
    return *done.value;
  }
};

} // namespace

BOOST_AUTO_TEST_SUITE(late_judgments)

// I-1, I-4, A109: its slot is taken, and the unit goes on as with any other
BOOST_AUTO_TEST_CASE(a_late_judgment_takes_a_free_slot) {
  late_node world;
  const auto step = world.create(definition("accept_if_free"));
  world.feed(step, 1);
  const auto ana = world.assigned(step, "ana");
  world.advance(61s);
  BOOST_TEST(world.active_leases() == 0u);
  const auto late = world.judgment(ana, "ana");
  const auto first = world.accepted(late);
  BOOST_TEST((!first.surplus && !first.repeated));
  BOOST_TEST(world.assign(step, "bob").code() == core::errc::no_unit_available);
  const auto again = world.accepted(late);
  BOOST_TEST((!again.surplus && again.repeated));
  world.advance(1s);
  BOOST_TEST(world.statistics(step).finalized == 1u);
  BOOST_TEST(world.events(core::event_type::judgment_received).size() == 1u);
  BOOST_TEST(broken_invariants(*world.database) == "");
}

// I-1, I-12, A109: who comes too late is told so, now and after a restart
BOOST_AUTO_TEST_CASE(a_late_judgment_without_a_slot_is_kept_as_surplus) {
  late_node world;
  const auto step = world.create(definition("accept_if_free"));
  world.feed(step, 1);
  const auto ana = world.assigned(step, "ana");
  world.advance(61s);
  const auto bob = world.assigned(step, "bob");
  BOOST_REQUIRE((bob.unit == ana.unit));
  const auto late = world.judgment(ana, "ana");
  const auto first = world.accepted(late);
  BOOST_TEST((first.surplus && !first.repeated && first.judgment == late.judgment));
  const auto again = world.accepted(late);
  BOOST_TEST((again.surplus && again.repeated));
  BOOST_TEST(world.submit(ana, "ana").code() == core::errc::already_judged);
  BOOST_TEST(!world.accepted(world.judgment(bob, "bob", "blue")).surplus);
  world.advance(1s);
  BOOST_TEST(world.statistics(step).finalized == 1u);
  BOOST_TEST(world.events(core::event_type::judgment_received).size() == 1u);

  world.restart();
  const auto after = world.accepted(late);
  BOOST_TEST((after.surplus && after.repeated));
  BOOST_TEST(world.database->tables().surplus_judgments.size() == 1u);
  BOOST_TEST(broken_invariants(*world.database) == "");

  // Its requester sees both.
  const auto told = world.call(msg::get_lineage{ana.unit, {}, 1});
  BOOST_REQUIRE(told.value);
  const auto& judgments = told.value->units.at(0).judgments;
  BOOST_REQUIRE_EQUAL(judgments.size(), 2U);
  BOOST_TEST(judgments[0].contributor == "ana");
  BOOST_TEST(judgments[0].status == "Surplus");
  BOOST_TEST(!judgments[0].counts);
  BOOST_TEST(judgments[1].status == "Counted");
  BOOST_TEST(judgments[1].counts);
}

// I-1, A109
BOOST_AUTO_TEST_CASE(where_late_ones_are_surplus_they_never_count) {
  late_node world;
  const auto step = world.create(definition("surplus", 2));
  world.feed(step, 1);
  const auto ana = world.assigned(step, "ana");
  world.advance(60s);
  BOOST_TEST(world.accepted(world.judgment(ana, "ana")).surplus);
  BOOST_TEST(world.unit(step, ana.unit).judgment_count == 0u);
  // Both slots are still there, and she may have one of them in time.
  world.advance(30s);
  const auto again = world.assigned(step, "ana");
  BOOST_TEST(!world.accepted(world.judgment(again, "ana")).surplus);
  world.work(step, "bob");
  world.advance(1s);
  BOOST_TEST(world.statistics(step).finalized == 1u);
  BOOST_TEST(broken_invariants(*world.database) == "");
}

// G-5, A109: an expired lease is remembered over a restart; who has judged late gets no other slot
BOOST_AUTO_TEST_CASE(an_expired_lease_is_remembered_over_a_restart) {
  late_node world;
  const auto step = world.create(definition("accept_if_free", 2));
  world.feed(step, 1);
  const auto ana = world.assigned(step, "ana");
  world.advance(61s);
  world.restart();
  BOOST_TEST(!world.accepted(world.judgment(ana, "ana")).surplus);
  world.advance(1h);
  BOOST_TEST(world.assign(step, "ana").code() == core::errc::no_unit_available);
  world.work(step, "bob");
  world.advance(1s);
  BOOST_TEST(world.statistics(step).finalized == 1u);
  BOOST_TEST(broken_invariants(*world.database) == "");
}

// A27: removed is removed
BOOST_AUTO_TEST_CASE(nothing_late_comes_from_somebody_who_was_removed) {
  for (const auto* policy : {"accept_if_free", "surplus"}) {
    late_node world;
    const auto step = world.create(definition(policy));
    world.feed(step, 1);
    const auto ana = world.assigned(step, "ana");
    world.advance(61s);
    BOOST_REQUIRE(world.call(msg::remove_contributor{step, "ana"}).value);
    BOOST_TEST(world.submit(ana, "ana").code() == core::errc::lease_not_held);
    world.restart();
    BOOST_TEST(world.submit(ana, "ana").code() == core::errc::lease_not_held);
  }
}

// I-1, I-10, A109: a slot that is offered to somebody is not free, and one that is taken late is
// not offered: whoever comes first has it
BOOST_AUTO_TEST_CASE(a_late_judgment_and_an_offer_never_have_the_same_slot) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      late_node world{seed};
      const auto step = world.create(definition("accept_if_free"));
      world.feed(step, 1);
      const auto ana = world.assigned(step, "ana");
      world.advance(61s);
      if (seed % 4 == 0) // the unit is loaded for whoever comes first
        world.restart();
      const msg::ask_assignment question{step, "bob", world.fresh<core::assignment_id>()};
      const auto late = world.judgment(ana, "ana");
      const bool offered_first = seed % 2 == 0;
      const auto first = offered_first ? world.send_to_node(question) : nullptr;
      const auto given = world.send_to_node(late);
      const auto asked = offered_first ? first : world.send_to_node(question);
      world.settle();
      BOOST_REQUIRE(given->value);
      BOOST_TEST(given->value->surplus == asked->value.has_value());
      if (asked->value)
        BOOST_TEST(!world.accepted(world.judgment(*asked->value, "bob")).surplus);
      else
        BOOST_TEST(asked->code() == core::errc::no_unit_available);
      world.advance(1s);
      BOOST_TEST(world.statistics(step).finalized == 1u);
      BOOST_TEST(broken_invariants(*world.database) == "");
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
