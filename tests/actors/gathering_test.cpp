// Steps that gather: what finished units of the steps before become one unit.

#include "tests/actors/gathering_node.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <variant>

using namespace holdfast;
using namespace std::chrono_literals;

namespace holdfast::test {

BOOST_FIXTURE_TEST_SUITE(steps_that_gather, gathering_node)

// A88, G-4, I-5
BOOST_AUTO_TEST_CASE(so_many_units_become_one_that_goes_on) {
  const auto steps = create_steps(by_count);
  for (const auto* key : {"a", "b", "c", "d"})
    source(steps[0], key, std::string{R"({"url":")"} + key + "\"}");
  answer(steps[0], "ana", "1");
  answer(steps[0], "ana", "2");
  BOOST_TEST(open_inputs(steps[1]).empty());
  BOOST_TEST(assign(steps[1], "bob").code() == core::errc::no_unit_available);
  BOOST_TEST(gathered(steps[1]).size() == 2U);
  BOOST_TEST(reasons(steps[1], gathered(steps[1])[0].made.id)
                 == std::set<std::string>{"waits_for_batch"},
             boost::test_tools::per_element());
  answer(steps[0], "ana", "3");
  BOOST_REQUIRE(open_inputs(steps[1]).size() == 1U);
  const auto input = open_inputs(steps[1])[0];
  BOOST_TEST(input.find(R"({"data":[{"url":"a"},{"url":"b"},{"url":"c"}],"result":[{)") == 0U,
             input);
  const auto batch = units_of(steps[1], core::unit_state::judgable)[0];
  for (const auto& member : gathered(steps[1])) {
    BOOST_TEST((member.batch == batch.made.id));
    BOOST_TEST(reasons(steps[1], member.made.id) == std::set<std::string>{"in_batch"},
               boost::test_tools::per_element());
    BOOST_TEST(call(msg::change_unit{steps[1], member.made.id,
                                     static_cast<std::uint8_t>(core::unit_verb::cancel)})
                   .code()
               == core::errc::wrong_state);
    BOOST_TEST((call(msg::get_unit{steps[1], member.made.id}).value->batch == batch.made.id));
  }
  BOOST_TEST(row_of(steps[1]).total_units == 4U);
  BOOST_TEST(row_of(steps[1]).completed_units == 3U);
  answer(steps[1], "bob", "all good");
  const auto exported = open_inputs(steps[2]);
  BOOST_REQUIRE(exported.size() == 1U);
  BOOST_TEST(
      exported[0].find(R"({"data":[{"url":"a"},{"url":"b"},{"url":"c"}],"result":{"answer":"all)")
          == 0U,
      exported[0]);
  BOOST_TEST(broken_invariants(*database) == "");
}

// What is left over when nothing more can come is a batch, too: no work waits for ever.
BOOST_AUTO_TEST_CASE(remainder_is_a_batch_when_the_step_is_sealed) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 4);
  for (int i = 0; i < 4; ++i)
    answer(steps[0], "ana", "x");
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  seal(steps[0]);
  BOOST_TEST(open_inputs(steps[1]).size() == 2U);
  BOOST_TEST((row_of(steps[1]).status == core::step_status::open));
  answer(steps[1], "bob", "y");
  answer(steps[1], "bob", "y");
  BOOST_TEST((row_of(steps[1]).status == core::step_status::completed));
  answer(steps[2], "cid", "z");
  answer(steps[2], "cid", "z");
  BOOST_TEST((row_of(steps[2]).status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(sealing_the_step_itself_ends_the_wait) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 2);
  answer(steps[0], "ana", "x");
  BOOST_REQUIRE(
      call(msg::change_step{steps[0], static_cast<std::uint8_t>(core::unit_verb::cancel)}).value);
  advance(1s);
  BOOST_TEST(open_inputs(steps[1]).empty());
  seal(steps[1]);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  answer(steps[1], "bob", "y");
  BOOST_TEST((row_of(steps[1]).status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*database) == "");
}

// G-4: fan-out, and what it became put together again
BOOST_AUTO_TEST_CASE(the_items_of_a_list_come_together_again_in_their_order) {
  const auto steps = create_steps(by_list);
  source(steps[0], "k", R"({"text":"Ana and Bob"})");
  source(steps[0], "l", R"({"text":"Cid"})");
  answer_json(steps[0], "ana", R"(["Ana","Bob"])");
  answer_json(steps[0], "ana", R"(["Cid"])");
  std::vector<msg::assignment> checks;
  for (int i = 0; i < 3; ++i)
    checks.push_back(assigned(steps[1], "bob"));
  // The second item of the first list comes in before the first one.
  BOOST_REQUIRE(submit(checks[1], "bob", "second").value);
  advance(1s);
  BOOST_TEST(open_inputs(steps[2]).empty());
  BOOST_REQUIRE(submit(checks[2], "bob", "only").value);
  advance(1s);
  BOOST_REQUIRE(open_inputs(steps[2]).size() == 1U);
  BOOST_REQUIRE(submit(checks[0], "bob", "first").value);
  advance(1s);
  const auto joined = open_inputs(steps[2]);
  BOOST_REQUIRE(joined.size() == 2U);
  BOOST_TEST(joined[0].find(R"({"data":{"text":"Cid"},"item":["Cid"],"result":[{"answer":"only")")
                 == 0U,
             joined[0]);
  BOOST_TEST(
      joined[1].find(
          R"({"data":{"text":"Ana and Bob"},"item":["Ana","Bob"],"result":[{"answer":"first")")
          == 0U,
      joined[1]);
  BOOST_TEST(joined[1].find(R"({"answer":"second")") != std::string::npos, joined[1]);
  // Nobody who judged a unit that is part of it gets it.
  BOOST_TEST(assign(steps[2], "bob").code() == core::errc::no_unit_available);
  BOOST_TEST(assign(steps[2], "ana").code() == core::errc::no_unit_available);
  answer(steps[2], "cid", "done");
  answer(steps[2], "cid", "done");
  BOOST_TEST(broken_invariants(*database) == "");
}

// G-4: what was mapped item by item is put together item by item.
BOOST_AUTO_TEST_CASE(items_that_are_shown_each_in_its_own_way_come_together_as_a_list) {
  const auto steps = create_steps(R"({"name":"w","steps":[
    {"key":"find","judgments_per_unit":1,
     "routes":[{"to":["check"],"for_each":true,"input":{"who":"/item"}}]},
    {"key":"check","judgments_per_unit":1,"next":["join"]},
    {"key":"join","judgments_per_unit":1,"gather":{"by":"list"}}]})");
  source(steps[0], "k", R"({"text":"Ana and Bob"})");
  answer_json(steps[0], "ana", R"(["Ana","Bob"])");
  answer(steps[1], "bob", "first");
  answer(steps[1], "bob", "second");
  const auto joined = open_inputs(steps[2]);
  BOOST_REQUIRE(joined.size() == 1U);
  BOOST_TEST(joined[0].find(R"({"data":[{"who":"Ana"},{"who":"Bob"}],"result":[{"answer":"first")")
                 == 0U,
             joined[0]);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(a_batch_lists_what_its_route_shows_and_the_results) {
  const auto steps = create_steps(R"({"name":"w","steps":[
    {"key":"label","judgments_per_unit":1,"routes":[{"to":["page"],"input":{"u":"/data/url"}}]},
    {"key":"page","judgments_per_unit":1,"gather":{"by":"count","size":2}}]})");
  for (const auto* key : {"a", "b"})
    source(steps[0], key, std::string{R"({"secret":1,"url":")"} + key + "\"}");
  answer(steps[0], "ana", "1");
  answer(steps[0], "ana", "2");
  const auto pages = open_inputs(steps[1]);
  BOOST_REQUIRE(pages.size() == 1U);
  BOOST_TEST(pages[0].find(R"({"data":[{"u":"a"},{"u":"b"}],"result":[{"answer":"1")") == 0U,
             pages[0]);
  BOOST_TEST(broken_invariants(*database) == "");
}

// An item may end on the way: the others wait until nothing more can come.
BOOST_AUTO_TEST_CASE(a_list_of_which_an_item_is_dropped_comes_together_at_the_end) {
  const auto steps = create_steps(by_list);
  source(steps[0], "k", "{}");
  answer_json(steps[0], "ana", R"(["a","b","c"])");
  answer(steps[1], "bob", "good");
  answer(steps[1], "bob", "drop");
  answer(steps[1], "bob", "good");
  BOOST_TEST(open_inputs(steps[2]).empty());
  seal(steps[0]);
  const auto joined = open_inputs(steps[2]);
  BOOST_REQUIRE(joined.size() == 1U);
  BOOST_TEST(joined[0].find(R"("item":["a","c"])") != std::string::npos, joined[0]);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5: nothing is lost with a node, and nothing becomes part of two batches.
BOOST_AUTO_TEST_CASE(waiting_units_outlive_the_node) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 6);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  restart();
  answer(steps[0], "ana", "x");
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  restart();
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  answer(steps[0], "ana", "x");
  BOOST_TEST(open_inputs(steps[1]).size() == 2U);
  BOOST_TEST(gathered(steps[1]).size() == 6U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// The node dies between what is the last of a batch and the batch: its next life makes it.
BOOST_AUTO_TEST_CASE(a_batch_that_was_due_is_made_by_the_next_life) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 3);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  database->set_commit_faults([](const persistence::write_batch& batch) {
    const auto gathers = [](const core::change& change) {
      return std::any_of(change.writes.begin(), change.writes.end(), [](const auto& write) {
        return std::holds_alternative<core::gather_units>(write);
      });
    };
    for (const auto& part : batch.shards)
      if (std::any_of(part.changes.begin(), part.changes.end(), gathers))
        return persistence::commit_fault::unavailable;
    return persistence::commit_fault::none;
  });
  answer(steps[0], "ana", "x");
  BOOST_TEST(open_inputs(steps[1]).empty());
  BOOST_TEST(gathered(steps[1]).size() == 3U);
  database->set_commit_faults(nullptr);
  restart();
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5: a batch that is due is made although its units cannot be read at once.
BOOST_AUTO_TEST_CASE(a_batch_waits_for_the_database_to_answer_again) {
  start_without_sweeps();
  const auto steps = create_steps(by_count);
  feed(steps[0], 3);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  const auto last = assigned(steps[0], "ana");
  fail_reads_of_members(steps[1], 3, 1);
  BOOST_REQUIRE(submit(last, "ana", "x").value);
  advance(50ms);
  BOOST_TEST(reads_of_members == 1U);
  BOOST_TEST(gathered(steps[1]).size() == 3U);
  BOOST_TEST(open_inputs(steps[1]).empty());
  advance(100ms);
  BOOST_TEST(reads_of_members == 2U);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  database->set_read_faults(nullptr);
  answer(steps[1], "bob", "y");
  BOOST_TEST(open_inputs(steps[2]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// Nor is it given up when the next try fails, too; and what has come in meanwhile is another one.
BOOST_AUTO_TEST_CASE(a_batch_is_tried_until_its_units_can_be_read) {
  start_without_sweeps();
  const auto steps = create_steps(by_count);
  feed(steps[0], 4);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  const auto third = assigned(steps[0], "ana");
  const auto fourth = assigned(steps[0], "bob");
  fail_reads_of_members(steps[1], 3, 4);
  BOOST_REQUIRE(submit(third, "ana", "x").value);
  advance(500ms); // after 100, 200 and 400 ms
  BOOST_TEST(reads_of_members == 3U);
  BOOST_TEST(open_inputs(steps[1]).empty());
  advance(1100ms);
  BOOST_TEST(reads_of_members == 5U);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  database->set_read_faults(nullptr);
  BOOST_REQUIRE(submit(fourth, "bob", "x").value);
  advance(1s);
  BOOST_TEST(gathered(steps[1]).size() == 4U);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  seal(steps[0]);
  BOOST_TEST(open_inputs(steps[1]).size() == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A database that is away for long is not asked again and again by every step that has a batch.
BOOST_AUTO_TEST_CASE(a_batch_that_was_tried_often_is_made_when_the_node_looks_after_it) {
  prepare().settings.sweep_interval = 60s;
  start();
  const auto steps = create_steps(by_count);
  feed(steps[0], 3);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  const auto last = assigned(steps[0], "ana");
  fail_reads_of_members(steps[1], 3, 1000);
  BOOST_REQUIRE(submit(last, "ana", "x").value);
  advance(20s);
  BOOST_TEST(reads_of_members == 11U);
  advance(20s);
  BOOST_TEST(reads_of_members == 11U);
  database->set_read_faults(nullptr);
  advance(5s);
  BOOST_TEST(open_inputs(steps[1]).empty());
  advance(60s);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// Of units that nobody can read any more nothing is made; of those that came after them it is.
BOOST_AUTO_TEST_CASE(a_batch_of_which_a_row_is_damaged_keeps_no_other_one_waiting) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 6);
  answer(steps[0], "ana", "x");
  BOOST_REQUIRE(gathered(steps[1]).size() == 1U);
  const auto lost = gathered(steps[1])[0].made.id;
  database->set_damaged_units([=](const core::unit_id& unit) { return unit == lost; });
  for (int i = 0; i < 5; ++i)
    answer(steps[0], "ana", "x");
  advance(60s);
  const auto open = units_of(steps[1], core::unit_state::judgable);
  BOOST_REQUIRE(open.size() == 1U);
  std::size_t joined = 0;
  for (const auto& member : gathered(steps[1])) {
    BOOST_TEST((member.made.id != lost || !member.batch));
    joined += member.batch ? 1 : 0;
  }
  BOOST_TEST(joined == 3U);
  BOOST_TEST(count_logged("batch_set_aside") == 1U);
  database->set_damaged_units(nullptr);
  restart();
  BOOST_TEST(open_inputs(steps[1]).size() == 2U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A88: a batch is of one version.
BOOST_AUTO_TEST_CASE(units_of_two_versions_do_not_become_one) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 2);
  const auto by_two = R"({"name":"w","steps":[
    {"key":"label","judgments_per_unit":1,"next":["page"]},
    {"key":"page","judgments_per_unit":1,"gather":{"by":"count","size":2},"next":["export"]},
    {"key":"export","judgments_per_unit":1}]})";
  BOOST_REQUIRE(call(msg::update_workflow{steps[0], 1, by_two, false}).value);
  feed(steps[0], 2, 2);
  for (int i = 0; i < 4; ++i)
    answer(steps[0], "ana", "x");
  const auto open = units_of(steps[1], core::unit_state::judgable);
  BOOST_REQUIRE(open.size() == 1U);
  BOOST_TEST(open[0].made.version == 2U);
  seal(steps[0]);
  const auto both = units_of(steps[1], core::unit_state::judgable);
  BOOST_REQUIRE(both.size() == 2U);
  BOOST_TEST(both[1].made.version == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A node that slept while another took the step over, and made the batch: it reads all anew
// (simulator seed 18120).
BOOST_AUTO_TEST_CASE(a_step_whose_batch_was_made_elsewhere_meanwhile_reads_all_anew) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 3);
  for (int i = 0; i < 2; ++i)
    answer(steps[0], "ana", "x");
  const auto last = send_to_node(judgment(assigned(steps[0], "ana"), "ana", "x"));
  while (gathered(steps[1]).size() < 3)
    BOOST_REQUIRE(virtual_world::step());
  held_back = "reader"; // the step is about to read the three
  settle();
  gather_elsewhere(steps[1]);
  held_back.clear();
  advance(5s);
  BOOST_TEST(count_logged("actor_crashed") == 0U);
  BOOST_TEST(count_logged("item_down") == 1U);
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  BOOST_TEST(statistics(steps[1]).judgable == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(nothing_more_is_made_in_a_canceled_step) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 2);
  answer(steps[0], "ana", "x");
  BOOST_REQUIRE(
      call(msg::change_step{steps[1], static_cast<std::uint8_t>(core::unit_verb::cancel)}).value);
  answer(steps[0], "ana", "x");
  seal(steps[0]);
  BOOST_TEST(open_inputs(steps[1]).empty());
  BOOST_TEST(gathered(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
