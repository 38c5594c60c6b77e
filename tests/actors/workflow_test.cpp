// Workflows of one and more steps: creation, source data, chains, steering.

#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <set>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct workflow_node : node_fixture {
  workflow_node() { start(); }

  core::step_status status_of(const core::step_id& step) { return statistics(step).step.status; }
  /// Judges every unit of the step that is open, by one contributor.
  void judge_all(const core::step_id& step, const std::string& who,
                 const std::string& text = "red") {
    for (;;) {
      const auto lease = assign(step, who);
      if (!lease.value)
        break;
      BOOST_REQUIRE(submit(*lease.value, who, text).value);
    }
    advance(1s);
  }
};

const auto chain_of_three =
    workflow_json("chain", {step_json("find", 1, {"fix"}), step_json("fix", 2, {"verify"}),
                            step_json("verify", 1, {})});

} // namespace

BOOST_FIXTURE_TEST_SUITE(workflows, workflow_node)

// --- creation (A69, A71) ---

BOOST_AUTO_TEST_CASE(creating_the_same_workflow_again_gives_the_same_steps) {
  const msg::create_workflow request{fresh<core::workflow_id>(), chain_of_three};
  const auto first = call(request);
  const auto second = call(request);
  restart();
  const auto third = call(request);
  BOOST_REQUIRE(first.value);
  BOOST_REQUIRE(first.value->steps.size() == 3);
  for (const auto& again : {second, third}) {
    BOOST_REQUIRE(again.value);
    for (std::size_t i = 0; i < 3; ++i) {
      BOOST_TEST((again.value->steps[i].step == first.value->steps[i].step));
      BOOST_TEST(again.value->steps[i].key == first.value->steps[i].key);
      BOOST_TEST(again.value->steps[i].position == i);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_workflow_id_belongs_to_one_definition) {
  const auto id = fresh<core::workflow_id>();
  BOOST_REQUIRE(call(msg::create_workflow{id, one_step}).value);
  const auto other = call(msg::create_workflow{id, chain_of_three});
  BOOST_TEST(other.code() == core::errc::already_exists);
  BOOST_TEST(database->tables().steps.size() == 1u);
}

// The default at the time is part of what is stored, and no repetition is taken for another one.
BOOST_AUTO_TEST_CASE(a_workflow_is_stored_with_the_method_that_it_left_out) {
  const msg::create_workflow request{fresh<core::workflow_id>(), R"({"name":"w","steps":[
    {"key":"a","test_questions":{},"aggregation":{"labels":["x","y"]}}]})"};
  const auto first = call(request);
  BOOST_REQUIRE(first.value);
  const auto view = call(msg::get_workflow{request.workflow, 0});
  BOOST_REQUIRE(view.value);
  const std::string named = R"({"method":"gold_selected","labels":["x","y"]})";
  BOOST_TEST(view.value->definition.find(named) != std::string::npos, view.value->definition);
  const auto again = call(request);
  BOOST_REQUIRE(again.value);
  BOOST_TEST((again.value->steps[0].step == first.value->steps[0].step));
  BOOST_TEST(
      call(msg::create_workflow{request.workflow, view.value->definition}).value.has_value());
  // The same as an update changes nothing either.
  for (const auto& text : {request.definition, view.value->definition}) {
    const auto updated = call(msg::update_workflow{first.value->steps[0].step, 1, text, false});
    BOOST_REQUIRE(updated.value);
    BOOST_TEST(updated.value->version == 1U);
    BOOST_TEST(updated.value->differences.empty());
  }
}

BOOST_AUTO_TEST_CASE(two_creations_at_once_make_one_workflow) {
  const msg::create_workflow request{fresh<core::workflow_id>(), chain_of_three};
  database->set_reachable(true);
  const auto first = send_to_node(request);
  const auto second = send_to_node(request);
  settle();
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE(second->value);
  for (std::size_t i = 0; i < 3; ++i)
    BOOST_TEST((first->value->steps[i].step == second->value->steps[i].step));
  BOOST_TEST(database->tables().steps.size() == 3u);
}

BOOST_AUTO_TEST_CASE(two_different_creations_of_one_id_at_once_leave_one_of_them) {
  const auto id = fresh<core::workflow_id>();
  const auto first = send_to_node(msg::create_workflow{id, one_step});
  const auto second = send_to_node(msg::create_workflow{id, chain_of_three});
  settle();
  BOOST_REQUIRE(first->arrived());
  BOOST_REQUIRE(second->arrived());
  BOOST_TEST(first->value.has_value() != second->value.has_value());
  BOOST_TEST((first->value ? second : first)->error.has_value());
  BOOST_TEST((first->value ? second->code() : first->code()) == core::errc::already_exists);
}

BOOST_AUTO_TEST_CASE(every_problem_of_a_definition_is_named_with_its_place) {
  const auto refused =
      call(msg::create_workflow{fresh<core::workflow_id>(),
                                R"({"name": "", "steps": [{"key": "a b", "judgments_per_unit": 0},
                                {"key": "ok", "next": ["nowhere"]}]})"});
  BOOST_REQUIRE(refused.error);
  BOOST_TEST(refused.code() == core::errc::payload_invalid);
  for (const auto* place :
       {"/name", "/steps/0/key", "/steps/0/judgments_per_unit", "/steps/1/next/0"})
    BOOST_TEST(refused.error->detail.find(place) != std::string::npos, "names " << place);
  BOOST_TEST(database->tables().workflows.empty());
}

// --- source data (A3, A136) ---

BOOST_AUTO_TEST_CASE(source_data_is_idempotent_by_key_and_bad_rows_harm_no_other) {
  const auto step = create();
  msg::add_source_data data{step,
                            {{"a", R"({"n":1})", 0},
                             {"b", "{not json", 0},
                             {"", R"({"n":2})", 0},
                             {"c", R"({"n":3})", 3},
                             {"a", R"({"n":4})", 0},
                             {"d", R"({"n":5})", 1001}}};
  const auto added = call(data);
  BOOST_REQUIRE(added.value);
  BOOST_TEST(added.value->added == 2u);
  BOOST_TEST(added.value->already_there == 0u);
  BOOST_REQUIRE(added.value->problems.size() == 4u);
  BOOST_TEST(added.value->problems[0].row == 1u);
  BOOST_TEST(added.value->problems[1].row == 2u);
  BOOST_TEST(added.value->problems[2].row == 4u);
  BOOST_TEST(added.value->problems[2].detail == "the key appears twice in this request");
  BOOST_TEST(added.value->problems[3].row == 5u);
  const auto again = call(data);
  BOOST_REQUIRE(again.value);
  BOOST_TEST(again.value->added == 0u);
  BOOST_TEST(again.value->already_there == 2u);
  BOOST_TEST(statistics(step).step.total_units == 2u);
  BOOST_TEST(events(core::event_type::unit_ready_for_assignment).size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_same_rows_sent_twice_at_once_are_added_once) {
  const auto step = create();
  msg::add_source_data data{step, {{"a", "{}", 0}, {"b", "{}", 0}}};
  const auto first = send_to_node(data);
  const auto second = send_to_node(data);
  settle();
  BOOST_REQUIRE(first->value);
  BOOST_REQUIRE(second->value);
  BOOST_TEST(first->value->added + second->value->added == 2u);
  BOOST_TEST(first->value->already_there + second->value->already_there == 2u);
}

BOOST_AUTO_TEST_CASE(source_data_comes_while_the_step_runs_and_is_offered_at_once) {
  const auto step = create();
  feed(step, 1);
  work(step, "ana");
  BOOST_TEST(assign(step, "ana").code() == core::errc::no_unit_available);
  feed(step, 1, 1);
  work(step, "ana");
}

BOOST_AUTO_TEST_CASE(a_row_may_ask_for_its_own_number_of_judgments) {
  const auto step = create();
  BOOST_REQUIRE(call(msg::add_source_data{step, {{"a", "{}", 3}}}).value);
  for (const auto* who : {"a", "b", "c"})
    work(step, who);
  BOOST_TEST(assign(step, "d").code() == core::errc::no_unit_available);
  BOOST_TEST(results(step).front().judgments == 3u);
}

BOOST_AUTO_TEST_CASE(source_data_enters_at_the_first_step_only) {
  const auto steps = create_steps(chain_of_three);
  const auto refused = call(msg::add_source_data{steps[1], {{"a", "{}", 0}}});
  BOOST_TEST(refused.code() == core::errc::wrong_state);
}

// --- chains (A42, A43, A45, A74, A77, I-5) ---

BOOST_AUTO_TEST_CASE(finished_units_go_on_once_with_their_lineage_and_the_chained_input) {
  const auto steps = create_steps(chain_of_three);
  feed(steps[0], 2);
  judge_all(steps[0], "ana");
  BOOST_TEST(statistics(steps[1]).judgable == 2u);
  judge_all(steps[1], "ana", "blue");
  judge_all(steps[1], "bob", "blue");
  BOOST_TEST(statistics(steps[2]).judgable == 2u);
  judge_all(steps[2], "ana");
  const auto& units = database->tables().units;
  std::set<std::string> last_inputs;
  for (const auto& [id, row] : units) {
    if (!(row.made.step == steps[2]))
      continue;
    const auto& parent = units.at(row.made.parent);
    const auto& root = units.at(row.made.root);
    BOOST_TEST((parent.made.step == steps[1]));
    BOOST_TEST((root.made.step == steps[0]));
    BOOST_TEST((parent.made.parent == row.made.root));
    BOOST_TEST(row.made.source_key == root.made.source_key);
    last_inputs.insert(row.made.input);
  }
  BOOST_TEST(last_inputs.size() == 2u);
  for (const auto& input : last_inputs) {
    BOOST_TEST(input.find(R"("n":)") != std::string::npos, input);
    BOOST_TEST(input.find(R"("answer":"blue")") != std::string::npos, input);
  }
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(steps_complete_one_after_the_other_and_only_when_sealed) {
  const auto steps = create_steps(chain_of_three);
  feed(steps[0], 2);
  judge_all(steps[0], "ana");
  BOOST_TEST(status_of(steps[0]) == core::step_status::open);
  seal(steps[0]);
  advance(1s);
  BOOST_TEST(status_of(steps[0]) == core::step_status::completed);
  BOOST_TEST(statistics(steps[1]).step.sealed);
  BOOST_TEST(status_of(steps[1]) == core::step_status::open);
  BOOST_TEST(!statistics(steps[2]).step.sealed);
  judge_all(steps[1], "ana");
  judge_all(steps[1], "bob");
  BOOST_TEST(status_of(steps[1]) == core::step_status::completed);
  judge_all(steps[2], "ana");
  BOOST_TEST(status_of(steps[2]) == core::step_status::completed);
}

BOOST_AUTO_TEST_CASE(an_empty_sealed_workflow_completes_through_all_its_steps) {
  const auto steps = create_steps(chain_of_three);
  seal(steps[0]);
  advance(1s);
  for (const auto& step : steps)
    BOOST_TEST(status_of(step) == core::step_status::completed);
}

// G-8
BOOST_AUTO_TEST_CASE(new_data_reopens_a_completed_workflow_all_the_way_down) {
  const auto steps = create_steps(chain_of_three);
  feed(steps[0], 1);
  seal(steps[0]);
  judge_all(steps[0], "ana");
  judge_all(steps[1], "ana");
  judge_all(steps[1], "bob");
  judge_all(steps[2], "ana");
  BOOST_REQUIRE(status_of(steps[2]) == core::step_status::completed);
  feed(steps[0], 1, 1);
  advance(1s);
  for (const auto& step : steps) {
    BOOST_TEST(status_of(step) == core::step_status::open);
    BOOST_TEST(!statistics(step).step.sealed);
  }
  judge_all(steps[0], "ana");
  seal(steps[0]);
  advance(1s);
  BOOST_TEST(status_of(steps[0]) == core::step_status::completed);
  judge_all(steps[1], "ana");
  judge_all(steps[1], "bob");
  judge_all(steps[2], "ana");
  for (const auto& step : steps) {
    BOOST_TEST(status_of(step) == core::step_status::completed);
    BOOST_TEST(statistics(step).step.completed_units == 2u);
  }
}

// A unit may go on to several steps: each of them gets it once.
BOOST_AUTO_TEST_CASE(a_step_may_lead_to_several_steps) {
  const auto steps =
      create_steps(workflow_json("fork", {step_json("find", 1, {"left", "right"}),
                                          step_json("left", 1, {}), step_json("right", 1, {})}));
  feed(steps[0], 3);
  seal(steps[0]);
  judge_all(steps[0], "ana");
  advance(60s);
  for (const auto& step : {steps[1], steps[2]}) {
    BOOST_TEST(statistics(step).judgable == 3u);
    BOOST_TEST(statistics(step).step.sealed);
    judge_all(step, "ana");
    BOOST_TEST(status_of(step) == core::step_status::completed);
  }
  BOOST_TEST(status().refused == 0u);
  BOOST_TEST(node->log.empty());
}

// --- steering (A6) ---

BOOST_AUTO_TEST_CASE(a_paused_step_offers_nothing_and_its_leases_may_be_handed_in) {
  const auto step = create();
  feed(step, 2);
  const msg::ask_assignment request{step, "ana", fresh<core::assignment_id>()};
  const auto lease = call(request);
  BOOST_REQUIRE(lease.value);
  BOOST_TEST(change(step, core::unit_verb::pause).status == core::step_status::paused);
  BOOST_TEST(change(step, core::unit_verb::pause).status == core::step_status::paused);
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  BOOST_TEST(call(request).value.has_value()); // asking again for what one has is no new offer
  advance(1s);
  BOOST_TEST(extend(*lease.value, "ana").value.has_value());
  BOOST_TEST(submit(*lease.value, "ana").value.has_value());
  feed(step, 1, 2);
  BOOST_TEST(change(step, core::unit_verb::resume).status == core::step_status::open);
  BOOST_TEST(assign(step, "bob").value.has_value());
}

BOOST_AUTO_TEST_CASE(a_canceled_step_takes_nothing_in_and_offers_nothing_for_ever) {
  const auto step = create();
  feed(step, 2);
  assigned(step, "ana");
  BOOST_TEST(change(step, core::unit_verb::cancel).status == core::step_status::canceled);
  BOOST_TEST(assign(step, "bob").code() == core::errc::wrong_state);
  BOOST_TEST(call(msg::add_source_data{step, {{"x", "{}", 0}}}).code() == core::errc::wrong_state);
  BOOST_TEST(call(msg::seal_step{step}).code() == core::errc::wrong_state);
  BOOST_TEST(call(msg::change_step{step, 2}).code() == core::errc::wrong_state);
  advance(60s); // its leases run out as ever
  BOOST_TEST(active_leases() == 0u);
}

BOOST_AUTO_TEST_CASE(a_step_paused_while_its_last_unit_finishes_completes_when_resumed) {
  const auto step = create();
  feed(step, 1);
  seal(step);
  const auto ana = assigned(step, "ana");
  const auto bob = assigned(step, "bob");
  change(step, core::unit_verb::pause);
  BOOST_REQUIRE(submit(ana, "ana").value);
  BOOST_REQUIRE(submit(bob, "bob").value);
  advance(1s);
  BOOST_TEST(statistics(step).finalized == 1u);
  BOOST_TEST(status_of(step) == core::step_status::paused);
  BOOST_TEST(change(step, core::unit_verb::resume).status == core::step_status::completed);
}

BOOST_AUTO_TEST_CASE(a_paused_unit_is_passed_over_and_its_lease_may_be_handed_in) {
  const auto step = create();
  feed(step, 1);
  const auto ana = assigned(step, "ana");
  BOOST_REQUIRE(change(ana, core::unit_verb::pause).value);
  BOOST_TEST(assign(step, "bob").code() == core::errc::no_unit_available);
  BOOST_REQUIRE(submit(ana, "ana").value);
  const auto resumed = change(ana, core::unit_verb::resume);
  BOOST_REQUIRE(resumed.value);
  BOOST_TEST(resumed.value->state == core::unit_state::judgable);
  work(step, "bob");
  BOOST_TEST(unit(step, ana.unit).state == core::unit_state::finalized);
  BOOST_TEST(change(ana, core::unit_verb::pause).code() == core::errc::wrong_state);
}

// I-10: whoever was about to be offered the unit when it was paused gets it afterwards.
BOOST_AUTO_TEST_CASE(an_offer_that_meets_a_pause_does_not_bar_the_contributor) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    node_fixture world{seed};
    world.start();
    const auto step = world.create();
    world.feed(step, 1);
    const auto other = world.assigned(step, "ana");
    const auto paused = world.send_to_node(msg::change_unit{step, other.unit, 1});
    const auto asked =
        world.send_to_node(msg::ask_assignment{step, "bob", world.fresh<core::assignment_id>()});
    world.settle();
    BOOST_REQUIRE(paused->value);
    BOOST_REQUIRE(world.change(other, core::unit_verb::resume).value);
    if (!asked->value)
      BOOST_TEST(world.assign(step, "bob").value.has_value(), "seed " << seed);
  }
}

BOOST_AUTO_TEST_CASE(canceling_a_unit_ends_its_leases_and_counts_it) {
  const auto step = create();
  feed(step, 2);
  const auto ana = assigned(step, "ana");
  seal(step);
  BOOST_REQUIRE(change(ana, core::unit_verb::cancel).value);
  BOOST_TEST(change(ana, core::unit_verb::cancel).value.has_value());
  advance(1s);
  BOOST_TEST(active_leases() == 0u);
  BOOST_TEST(submit(ana, "ana").code() == core::errc::lease_not_held);
  BOOST_TEST(events(core::event_type::unit_canceled).size() == 1u);
  BOOST_TEST(statistics(step).step.completed_units == 1u);
  work(step, "ana");
  work(step, "bob");
  BOOST_TEST(status_of(step) == core::step_status::completed); // I-6
  BOOST_TEST(results(step).size() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
