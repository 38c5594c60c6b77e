// Repairs that go through batches: what loses one of its units is withdrawn, the others wait again.

#include "tests/actors/gathering_node.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace holdfast;

namespace holdfast::test {

namespace {

/// Pages of two.
const std::string by_twos = R"({"name":"w","steps":[
  {"key":"label","judgments_per_unit":1,"next":["page"]},
  {"key":"page","judgments_per_unit":1,"gather":{"by":"count","size":2},"next":["export"]},
  {"key":"export","judgments_per_unit":1}]})";

using core::unit_state;

struct regrouping_node : gathering_node {
  void begin_repair(const core::step_id& step, const std::string& who) {
    BOOST_REQUIRE(call(msg::remove_contributor{step, who}).value);
    BOOST_REQUIRE(call(msg::repair_contributor{step, fresh<core::repair_id>(), who, false}).value);
  }
  /// Takes back what `who` alone said, and gives time for all that follows from it.
  void repair(const core::step_id& step, const std::string& who) {
    begin_repair(step, who);
    advance(5s);
  }

  std::size_t count_of(const core::step_id& step, unit_state state) {
    return units_of(step, state).size();
  }
  rows waiting(const core::step_id& step) {
    auto units = gathered(step);
    units.erase(std::remove_if(units.begin(), units.end(),
                               [](const auto& unit) { return static_cast<bool>(unit.batch); }),
                units.end());
    return units;
  }
  /// As "completed of total".
  std::string counts(const core::step_id& step) {
    const auto row = row_of(step);
    return std::to_string(row.completed_units) + " of " + std::to_string(row.total_units);
  }
  void all_completed(const std::vector<core::step_id>& steps) {
    for (const auto& step : steps)
      BOOST_TEST((row_of(step).status == core::step_status::completed));
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(batches_taken_apart, regrouping_node)

// A27, A88, A126, I-5, I-6
BOOST_AUTO_TEST_CASE(a_batch_that_is_worked_on_goes_with_the_result_of_one_of_its_units) {
  const auto steps = create_steps(by_twos);
  feed(steps[0], 3);
  answer(steps[0], "eve", "red");
  answer(steps[0], "ana", "blue");
  const auto held = assigned(steps[1], "dan");
  repair(steps[0], "eve");
  BOOST_TEST((unit(steps[1], held.unit).state == unit_state::canceled));
  BOOST_TEST(active_leases() == 0U);
  BOOST_TEST(submit(held, "dan").error.has_value());
  BOOST_TEST(count_of(steps[1], unit_state::canceled) == 2U);
  const auto left = waiting(steps[1]);
  BOOST_REQUIRE(left.size() == 1U);
  BOOST_TEST(left[0].ungathered == 1U);
  BOOST_TEST(reasons(steps[1], left[0].made.id) == std::set<std::string>{"waits_for_batch"},
             boost::test_tools::per_element());
  BOOST_TEST(counts(steps[1]) == "2 of 3");

  answer(steps[0], "ana", "green"); // the third, before the first is judged anew
  const auto next = units_of(steps[1], unit_state::judgable);
  BOOST_REQUIRE(next.size() == 1U);
  BOOST_TEST(next[0].made.source_key == "batch:" + to_string(left[0].made.id) + "/2");
  BOOST_TEST(next[0].made.input.find(R"({"answer":"blue")") != std::string::npos);
  BOOST_TEST(next[0].made.input.find(R"({"answer":"green")") != std::string::npos);
  BOOST_TEST(next[0].made.input.find("red") == std::string::npos);
  answer(steps[0], "cid", "white");
  seal(steps[0]);
  answer(steps[1], "dan", "x");
  answer(steps[1], "dan", "x");
  answer(steps[2], "dan", "y");
  answer(steps[2], "dan", "y");
  all_completed(steps);
  BOOST_TEST(broken_invariants(*database) == "");
}

// A27, A126, I-5, I-6: also when all was done, and the others do not go on without the one that is
// to come again.
BOOST_AUTO_TEST_CASE(a_finished_batch_is_withdrawn_with_all_that_was_made_from_it) {
  const auto steps = create_steps(by_twos);
  feed(steps[0], 2);
  answer(steps[0], "eve", "red");
  answer(steps[0], "ana", "blue");
  seal(steps[0]);
  answer(steps[1], "bob", "page");
  answer(steps[2], "bob", "done");
  all_completed(steps);

  repair(steps[0], "eve");
  BOOST_TEST(events(core::event_type::unit_withdrawn).size() == 2U);
  BOOST_TEST(count_of(steps[2], unit_state::canceled) == 1U);
  BOOST_TEST(waiting(steps[1]).size() == 1U);
  BOOST_TEST(open_inputs(steps[1]).empty());
  BOOST_TEST(!row_of(steps[1]).sealed);
  const auto withdrawn = units_of(steps[1], unit_state::canceled);
  BOOST_REQUIRE(withdrawn.size() == 2U);
  BOOST_TEST(withdrawn[1].result.has_value()); // stays to be seen
  // It goes back to waiting for good.
  restart();
  BOOST_TEST(open_inputs(steps[1]).empty());

  answer(steps[0], "cid", "green");
  const auto pages = open_inputs(steps[1]);
  BOOST_REQUIRE(pages.size() == 1U);
  BOOST_TEST(pages[0].find(R"({"answer":"blue")") < pages[0].find(R"({"answer":"green")"));
  answer(steps[1], "bob", "page");
  answer(steps[2], "bob", "done");
  all_completed(steps);
  BOOST_TEST(counts(steps[1]) == "5 of 5");
  BOOST_TEST(counts(steps[2]) == "2 of 2");
  BOOST_TEST(broken_invariants(*database) == "");
}

// A88: the place of the item that was lost stays open.
BOOST_AUTO_TEST_CASE(a_list_comes_together_again_with_what_was_said_anew) {
  const auto steps = create_steps(by_list);
  source(steps[0], "k", "{}");
  answer_json(steps[0], "ana", R"(["a","b","c"])");
  answer(steps[1], "bob", "one");
  answer(steps[1], "eve", "two");
  answer(steps[1], "bob", "three");
  seal(steps[0]);
  answer(steps[2], "cid", "joined");
  all_completed(steps);

  repair(steps[1], "eve");
  BOOST_TEST(waiting(steps[2]).size() == 2U);
  BOOST_TEST(open_inputs(steps[2]).empty());
  answer(steps[1], "dan", "new");
  const auto joined = open_inputs(steps[2]);
  BOOST_REQUIRE(joined.size() == 1U);
  BOOST_TEST(joined[0].find(R"("item":["a","b","c"])") != std::string::npos, joined[0]);
  BOOST_TEST(joined[0].find(R"({"answer":"one")") < joined[0].find(R"({"answer":"new")"));
  BOOST_TEST(joined[0].find(R"({"answer":"new")") < joined[0].find(R"({"answer":"three")"));
  // Nobody gets it who judged what it is made of now.
  BOOST_TEST(assign(steps[2], "dan").code() == core::errc::no_unit_available);
  answer(steps[2], "cid", "joined");
  all_completed(steps);
  BOOST_TEST(broken_invariants(*database) == "");
}

// The list itself is another one then.
BOOST_AUTO_TEST_CASE(a_list_that_is_taken_back_is_withdrawn_with_all_its_items) {
  const auto steps = create_steps(by_list);
  source(steps[0], "k", "{}");
  answer_json(steps[0], "eve", R"(["a","b","c"])");
  for (const auto* text : {"one", "two", "three"})
    answer(steps[1], "bob", text);
  BOOST_TEST(open_inputs(steps[2]).size() == 1U);
  repair(steps[0], "eve");
  BOOST_TEST(gathered(steps[2]).empty());
  BOOST_TEST(open_inputs(steps[2]).empty());
  BOOST_TEST(counts(steps[2]) == "4 of 4");
  answer_json(steps[0], "ana", R"(["d","e"])");
  answer(steps[1], "bob", "four");
  BOOST_TEST(open_inputs(steps[2]).empty());
  answer(steps[1], "bob", "five");
  const auto joined = open_inputs(steps[2]);
  BOOST_REQUIRE(joined.size() == 1U);
  BOOST_TEST(joined[0].find(R"("item":["d","e"])") != std::string::npos, joined[0]);
  seal(steps[0]);
  answer(steps[2], "cid", "joined");
  all_completed(steps);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_CASE(unit_that_waits_for_a_batch_waits_no_longer) {
  const auto steps = create_steps(by_count);
  feed(steps[0], 4);
  answer(steps[0], "eve", "red");
  answer(steps[0], "ana", "blue");
  repair(steps[0], "eve");
  BOOST_TEST(waiting(steps[1]).size() == 1U);
  BOOST_TEST(counts(steps[1]) == "1 of 2");
  for (int i = 0; i < 2; ++i) {
    BOOST_TEST(open_inputs(steps[1]).empty());
    answer(steps[0], "ana", "green");
  }
  const auto pages = open_inputs(steps[1]);
  BOOST_REQUIRE(pages.size() == 1U);
  BOOST_TEST(pages[0].find("red") == std::string::npos);
  BOOST_TEST(broken_invariants(*database) == "");
}

// Whatever somebody did to the batch: what the others said goes on in another one.
BOOST_AUTO_TEST_CASE(a_batch_that_was_canceled_is_taken_apart_like_any) {
  const auto steps = create_steps(by_twos);
  feed(steps[0], 2);
  answer(steps[0], "eve", "red");
  answer(steps[0], "ana", "blue");
  const auto batch = units_of(steps[1], unit_state::judgable).at(0).made.id;
  BOOST_REQUIRE(
      call(msg::change_unit{steps[1], batch, static_cast<std::uint8_t>(core::unit_verb::cancel)})
          .value);
  repair(steps[0], "eve");
  BOOST_TEST(waiting(steps[1]).size() == 1U);
  answer(steps[0], "cid", "green");
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

// Several units of one batch at once, and several batches.
BOOST_AUTO_TEST_CASE(batches_lose_as_many_units_as_there_are) {
  const auto steps = create_steps(by_count);
  const std::size_t batches = 15; // more units than are taken out at a time
  feed(steps[0], 3 * batches);
  for (std::size_t i = 0; i < batches; ++i)
    for (const auto* who : {"eve", "ana", "eve"})
      answer(steps[0], who, who);
  BOOST_TEST(open_inputs(steps[1]).size() == batches);
  repair(steps[0], "eve");
  BOOST_TEST(count_of(steps[1], unit_state::judgable) == batches / 3);
  BOOST_TEST(count_of(steps[1], unit_state::canceled) == 3 * batches);
  for (std::size_t i = 0; i < 2 * batches; ++i)
    answer(steps[0], "cid", "cid");
  seal(steps[0]);
  const auto pages = open_inputs(steps[1]);
  BOOST_TEST(pages.size() == batches);
  for (const auto& page : pages)
    BOOST_TEST(page.find("eve") == std::string::npos);
  BOOST_TEST(broken_invariants(*database) == "");
}

// I-5, I-12: whatever dies when
BOOST_AUTO_TEST_CASE(a_batch_is_taken_apart_after_any_crash) {
  for (int last = 0; last < 6; ++last)
    BOOST_TEST_CONTEXT("after " << last << " commits") {
      const auto steps = create_steps(by_twos);
      feed(steps[0], 2);
      answer(steps[0], "eve", "red");
      answer(steps[0], "ana", "blue");
      seal(steps[0]);
      answer(steps[1], "bob", "page");
      answer(steps[2], "bob", "done");
      int left = last;
      database->set_refusals([&](const core::change& c) {
        const bool takes_back =
            std::any_of(c.writes.begin(), c.writes.end(), [](const auto& write) {
              return std::holds_alternative<core::withdraw_unit>(write)
                     || std::holds_alternative<core::ungather_units>(write)
                     || std::holds_alternative<core::reopen_unit>(write);
            });
        return takes_back && left-- == 0;
      });
      begin_repair(steps[0], "eve");
      restart();
      advance(20s);
      BOOST_TEST(waiting(steps[1]).size() == 1U);
      BOOST_TEST(open_inputs(steps[1]).empty());
      BOOST_TEST(count_of(steps[1], unit_state::canceled) == 2U);
      BOOST_TEST(count_of(steps[2], unit_state::canceled) == 1U);
      database->set_refusals({});
      answer(steps[0], "cid", "green");
      answer(steps[1], "bob", "page");
      answer(steps[2], "bob", "done");
      all_completed(steps);
      BOOST_TEST(broken_invariants(*database) == "");
    }
}

// Nobody waits for ever because one read fails.
BOOST_AUTO_TEST_CASE(batches_are_made_and_taken_apart_although_reads_fail) {
  const auto steps = create_steps(by_twos);
  feed(steps[0], 3);
  answer(steps[0], "eve", "red");
  answer(steps[0], "ana", "blue");
  int failing = 3;
  database->set_read_faults(
      [&](std::string_view read) { return read == "gathered_with" && failing-- > 0; });
  begin_repair(steps[0], "eve");
  advance(60s);
  database->set_read_faults(nullptr);
  BOOST_TEST(failing < 0);
  BOOST_TEST(waiting(steps[1]).size() == 1U);
  answer(steps[0], "ana", "green");
  BOOST_TEST(open_inputs(steps[1]).size() == 1U);
  BOOST_TEST(broken_invariants(*database) == "");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
