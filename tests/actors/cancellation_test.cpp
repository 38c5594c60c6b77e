// A step that is canceled ends all that is under way in it, as a unit that is canceled does.

#include "messages/workflow_messages.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct canceling_node : node_fixture {
  canceling_node() { start(); }

  /// Units of the step in this state.
  std::size_t units(const core::step_id& step, core::unit_state state) const {
    std::size_t count = 0;
    for (const auto& [id, row] : database->tables().units)
      count += row.made.step == step && row.state == state ? 1 : 0;
    return count;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(cancellation, canceling_node)

// finding C11
BOOST_AUTO_TEST_CASE(a_canceled_step_cancels_its_units_and_ends_their_leases) {
  const auto step = create(one_step);
  for (std::size_t i = 0; i < 700; i += 100) // more than are told at once
    feed(step, 100, i);
  const auto held = assigned(step, "ana");
  const auto half = assigned(step, "bob");
  BOOST_REQUIRE(submit(half, "bob").value);
  BOOST_TEST(change(step, core::unit_verb::cancel).status == core::step_status::canceled);
  advance(5s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(units(step, core::unit_state::canceled) == 700u);
  BOOST_TEST(events(core::event_type::unit_canceled).size() == 700u);
  for (const auto& why : {submit(held, "ana").error, extend(held, "ana").error}) {
    BOOST_REQUIRE(why);
    BOOST_TEST(why->code == core::errc::lease_not_held);
    BOOST_TEST(why->detail == "the unit is canceled");
  }
  BOOST_TEST(assign(step, "ana").code() == core::errc::wrong_state);
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding C11: from the moment on in which the requester hears that it is canceled
BOOST_AUTO_TEST_CASE(nothing_is_taken_in_and_nothing_finished_after_the_cancel) {
  const auto step = create(one_step);
  feed(step, 2);
  const auto first = assigned(step, "ana");
  const auto second = assigned(step, "bob");
  BOOST_REQUIRE((first.unit == second.unit));
  BOOST_REQUIRE(submit(first, "ana").value);
  const auto repeated = judgment(second, "bob");
  // All at once: they find the step canceled, and the unit not yet.
  const auto canceled =
      send_to_node(msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::cancel)});
  const auto late = send_to_node(repeated);
  advance(5s);
  BOOST_REQUIRE(canceled->value);
  BOOST_TEST(late->code() == core::errc::lease_not_held);
  BOOST_TEST(statistics(step).finalized == 0u);
  BOOST_TEST(units(step, core::unit_state::canceled) == 2u);
}

// finding C11: what was taken in before is told so when its answer was lost
BOOST_AUTO_TEST_CASE(a_judgment_from_before_the_cancel_may_be_repeated) {
  const auto step = create(one_step);
  feed(step, 1);
  const auto request = judgment(assigned(step, "ana"), "ana");
  BOOST_REQUIRE(call(request).value);
  change(step, core::unit_verb::cancel);
  advance(5s);
  const auto again = call(request);
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->repeated);
}

// finding C11: all steps of a job
BOOST_AUTO_TEST_CASE(a_canceled_job_cancels_the_units_of_all_its_steps) {
  const auto steps = create_steps(
      workflow_json("two", {step_json("first", 2, {"second"}), step_json("second", 2, {})}));
  feed(steps[0], 3);
  for (const auto* who : {"bob", "cat"})
    for (int i = 0; i < 3; ++i)
      work(steps[0], who);
  advance(5s); // they go on to the second
  feed(steps[0], 3, 10);
  assigned(steps[0], "ana");
  assigned(steps[1], "ana");
  const auto workflow = database->tables().steps.at(steps[0]).row.workflow;
  BOOST_REQUIRE(
      call(msg::job_status_changed{workflow, 1,
                                   static_cast<std::uint8_t>(core::job_status::canceled), steps[0]})
          .value);
  advance(10s);
  BOOST_TEST(active_leases() == 0u);
  for (const auto& step : steps)
    BOOST_TEST(units(step, core::unit_state::canceled) == 3u);
  BOOST_TEST(broken_invariants(*database) == "");
}

// finding C11: the passage goes on where it was broken off, and what earlier versions have left
// open ends as well
BOOST_AUTO_TEST_CASE(units_are_canceled_after_a_restart_as_well) {
  const auto step = create(one_step);
  for (std::size_t i = 0; i < 600; i += 100)
    feed(step, 100, i);
  const auto held = assigned(step, "ana");
  const auto canceled =
      send_to_node(msg::change_step{step, static_cast<std::uint8_t>(core::unit_verb::cancel)});
  settle();
  BOOST_REQUIRE(canceled->value);
  restart();
  advance(120s);
  BOOST_TEST(submit(held, "ana").code() == core::errc::lease_not_held);
  advance(10s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(units(step, core::unit_state::canceled) == 600u);
  BOOST_TEST(events(core::event_type::unit_canceled).size() == 600u);
}

// finding C11: as versions before this one have left it, and no lease tells of it
BOOST_AUTO_TEST_CASE(units_of_a_step_that_an_earlier_version_canceled_are_canceled) {
  const auto step = create(one_step);
  feed(step, 3);
  auto stored = database->tables();
  stored.steps.at(step).row.status = core::step_status::canceled;
  stored.units.begin()->second.state = core::unit_state::paused;
  node->kill();
  database->restore(stored);
  prepare();
  start();
  advance(10s); // and nobody asks about the step
  BOOST_TEST(units(step, core::unit_state::canceled) == 3u);
  BOOST_TEST(events(core::event_type::unit_canceled).size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
