// What comes out of a workflow: one row for each end of the chains of an item.

#include "actors/workflow_results.hpp"

#include "core/item_result.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using core::result_state;
using texts = std::vector<std::string>;

const std::string labeled =
    R"({"name":"labeled","steps":[{"key":"label","judgments_per_unit":2}]})";

/// Rejected labels are made anew once.
const std::string reviewed = R"({"name":"reviewed","steps":[
  {"key":"label","judgments_per_unit":1,"next":["review"]},
  {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},
   "routes":[{"when":{"answer":"reject"},"to":["label"],"loops_max":1}]}]})";

/// A rejected label is the end of its item.
const std::string reviewed_once = R"({"name":"once","steps":[
  {"key":"label","judgments_per_unit":1,"next":["review"]},
  {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"}}]})";

const std::string boxes = R"({"name":"boxes","steps":[
  {"key":"draw","judgments_per_unit":1,"routes":[{"to":["name"],"for_each":true}]},
  {"key":"name","judgments_per_unit":1}]})";

struct node_with_results : node_fixture {
  node_with_results() { start(); }

  void source(const core::step_id& step, const std::string& key) {
    BOOST_REQUIRE(call(msg::add_source_data{step, {{key, R"({"url":"x"})", 0}}}).value);
  }

  /// Judges the next unit of the step that is open to `who`, by this payload.
  void judge(const core::step_id& step, const std::string& who, const std::string& payload) {
    const auto lease = assigned(step, who);
    const auto accepted = call(msg::submit_judgment{step, lease.unit, who, lease.token,
                                                    fresh<core::judgment_id>(), payload});
    BOOST_REQUIRE_MESSAGE(accepted.value, (accepted.error ? accepted.error->detail : "no answer"));
    advance(1s);
  }
  void answer(const core::step_id& step, const std::string& who, const std::string& text) {
    judge(step, who, R"({"answer":")" + text + "\"}");
  }
  void review(const core::step_id& step, const std::string& who, const std::string& verdict) {
    judge(step, who, R"({"verdict":")" + verdict + "\"}");
  }

  msg::list_workflow_results request_for(const core::step_id& step, std::uint8_t states = 0) {
    msg::list_workflow_results asked;
    asked.workflow = statistics(step).step.workflow;
    asked.limit = 100;
    asked.states = states;
    return asked;
  }
  msg::workflow_result_page page(const msg::list_workflow_results& asked) {
    auto answered = call(asked);
    BOOST_REQUIRE_MESSAGE(answered.value, (answered.error ? answered.error->detail : "no answer"));
    return *answered.value;
  }
  std::vector<msg::workflow_result> rows(const core::step_id& step, std::uint8_t states = 0) {
    const auto found = page(request_for(step, states));
    BOOST_TEST(!found.more);
    return found.results;
  }
  /// All, a page of `limit` after the other.
  std::vector<msg::workflow_result> rows_by(const core::step_id& step, std::uint32_t limit) {
    auto asked = request_for(step, core::all_result_states);
    asked.limit = limit;
    std::vector<msg::workflow_result> all;
    for (int pages = 0;; ++pages) {
      BOOST_REQUIRE(pages < 100);
      const auto found = page(asked);
      BOOST_TEST(found.results.size() <= limit);
      all.insert(all.end(), found.results.begin(), found.results.end());
      if (!found.more)
        return all;
      BOOST_REQUIRE(found.last != asked.after);
      asked.after = found.last;
    }
  }
};

std::vector<core::unit_id> units_of(const std::vector<msg::workflow_result>& rows) {
  std::vector<core::unit_id> units;
  for (const auto& row : rows)
    units.push_back(row.unit);
  return units;
}

texts keys_of(const std::vector<msg::workflow_result>& rows) {
  texts keys;
  for (const auto& row : rows)
    keys.push_back(row.source_key);
  return keys;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(workflow_results, node_with_results)

BOOST_AUTO_TEST_CASE(finished_item_of_one_step_is_one_result) {
  const auto step = create(labeled);
  source(step, "a");
  source(step, "b");
  answer(step, "bob", "cat");
  answer(step, "ana", "cat");
  answer(step, "ana", "dog"); // of b, which wants another
  const auto found = rows(step, core::all_result_states);
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  const auto& row = found.front();
  BOOST_TEST(row.source_key == "a");
  BOOST_TEST((row.state == result_state::final));
  BOOST_TEST(row.answer == R"("cat")");
  BOOST_TEST(row.confidence == 1.0);
  BOOST_TEST(row.step == "label");
  BOOST_TEST(row.answered_in == "label");
  BOOST_TEST(row.path == texts{"label"}, boost::test_tools::per_element());
  BOOST_TEST(row.contributors == (texts{"ana", "bob"}), boost::test_tools::per_element());
  BOOST_TEST(row.judgments == 2U);
  BOOST_TEST(row.input == R"({"url":"x"})");
  BOOST_TEST(row.ordinal == 1U);
  BOOST_TEST(row.version == 1U);
  BOOST_TEST((row.unit == row.root));
  BOOST_TEST((row.created_at < row.ended_at));
  BOOST_TEST(row.verdict == "");
  BOOST_TEST(row.problem == "");
}

BOOST_AUTO_TEST_CASE(workflow_without_items_has_an_empty_page) {
  const auto found = page(request_for(create(labeled)));
  BOOST_TEST(found.results.empty());
  BOOST_TEST(!found.more);
}

BOOST_AUTO_TEST_CASE(inputs_are_left_out_on_request) {
  const auto step = create(labeled);
  source(step, "a");
  answer(step, "ana", "cat");
  answer(step, "bob", "cat");
  auto asked = request_for(step);
  asked.leave_inputs = true;
  const auto found = page(asked).results;
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  BOOST_TEST(found[0].input == "");
  BOOST_TEST(found[0].source_key == "a");
  BOOST_TEST(found[0].answer == R"("cat")");
}

BOOST_AUTO_TEST_CASE(review_tells_what_becomes_of_the_answer_before_it) {
  const auto steps = create_steps(reviewed_once);
  for (const auto* key : {"approved", "corrected", "rejected"}) {
    source(steps[0], key);
    answer(steps[0], "ana", "cat");
  }
  review(steps[1], "rex", "approve");
  judge(steps[1], "rex", R"({"verdict":"correct","answer":"dog"})");
  review(steps[1], "rex", "reject");

  const auto accepted = rows(steps[0]);
  BOOST_TEST(keys_of(accepted) == (texts{"approved", "corrected"}),
             boost::test_tools::per_element());
  const auto all = rows(steps[0], core::all_result_states);
  BOOST_REQUIRE_EQUAL(all.size(), 3U);
  for (const auto& row : all) {
    BOOST_TEST(row.path == (texts{"label", "review"}), boost::test_tools::per_element());
    BOOST_TEST(row.contributors == (texts{"ana", "rex"}), boost::test_tools::per_element());
    BOOST_TEST((row.unit != row.root));
  }
  BOOST_TEST((all[0].state == result_state::final));
  BOOST_TEST(all[0].verdict == "approve");
  BOOST_TEST(all[0].answer == R"("cat")");
  BOOST_TEST(all[0].answered_in == "label");
  BOOST_TEST((all[1].state == result_state::final));
  BOOST_TEST(all[1].verdict == "correct");
  BOOST_TEST(all[1].answer == R"("dog")");
  BOOST_TEST(all[1].answered_in == "review");
  BOOST_TEST((all[2].state == result_state::rejected));
  BOOST_TEST(all[2].verdict == "reject");
  BOOST_TEST(all[2].answer == "");
  BOOST_TEST(all[2].answered_in == "");
}

BOOST_AUTO_TEST_CASE(item_that_was_sent_back_is_one_result) {
  const auto steps = create_steps(reviewed);
  source(steps[0], "a");
  answer(steps[0], "ana", "cat");
  review(steps[1], "rex", "reject");
  answer(steps[0], "bob", "dog");
  BOOST_TEST(rows(steps[0], core::all_result_states).empty());
  review(steps[1], "sue", "approve");
  const auto found = rows(steps[0], core::all_result_states);
  BOOST_REQUIRE_EQUAL(found.size(), 1U);
  const auto& row = found.front();
  BOOST_TEST((row.state == result_state::final));
  BOOST_TEST(row.answer == R"("dog")");
  BOOST_TEST(row.loops == 1U);
  BOOST_TEST(row.path == (texts{"label", "review", "label", "review"}),
             boost::test_tools::per_element());
  BOOST_TEST(row.contributors == (texts{"ana", "bob", "rex", "sue"}),
             boost::test_tools::per_element());
  BOOST_TEST(row.judgments == 4U);
}

BOOST_AUTO_TEST_CASE(each_item_of_a_list_is_a_result_and_an_empty_list_is_one) {
  const auto steps = create_steps(boxes);
  source(steps[0], "two");
  source(steps[0], "none");
  judge(steps[0], "ana", R"({"answer":[{"x":1},{"x":2}]})");
  judge(steps[0], "ana", R"({"answer":[]})");
  answer(steps[1], "bob", "cat");
  BOOST_TEST(rows(steps[0]).size() == 2U); // the other box has no name yet
  answer(steps[1], "bob", "dog");
  const auto found = rows(steps[0], core::all_result_states);
  BOOST_REQUIRE_EQUAL(found.size(), 3U);
  std::set<std::string> leaves;
  for (const auto& row : found) {
    BOOST_TEST((row.state == result_state::final));
    if (row.source_key != "two")
      continue;
    BOOST_TEST(row.path == (texts{"draw", "name"}), boost::test_tools::per_element());
    BOOST_REQUIRE_EQUAL(row.parts.size(), 1U);
    leaves.insert(std::to_string(row.parts[0]) + ' ' + row.item + ' ' + row.answer);
  }
  BOOST_TEST(leaves == (std::set<std::string>{R"(0 {"x":1} "cat")", R"(1 {"x":2} "dog")"}),
             boost::test_tools::per_element());
  const auto& empty = found.back();
  BOOST_TEST(empty.source_key == "none");
  BOOST_TEST(empty.answer == "[]");
  BOOST_TEST(empty.path == texts{"draw"}, boost::test_tools::per_element());
  BOOST_TEST(empty.parts.empty());
}

BOOST_AUTO_TEST_CASE(pages_of_one_have_each_result_once) {
  const auto steps = create_steps(boxes);
  for (const auto* key : {"a", "open", "b", "c"})
    source(steps[0], key);
  judge(steps[0], "ana", R"({"answer":[1,2,3]})");
  judge(steps[0], "ana", R"({"answer":[4]})");
  judge(steps[0], "ana", R"({"answer":[]})");
  judge(steps[0], "ana", R"({"answer":[5,6]})");
  for (int i = 0; i < 3; ++i)
    answer(steps[1], "bob", "cat");
  const auto held = assigned(steps[1], "bob"); // of "open"
  for (int i = 0; i < 2; ++i)
    answer(steps[1], "eve", "cat");
  const auto all = rows(steps[0], core::all_result_states);
  BOOST_REQUIRE_EQUAL(all.size(), 6U);
  BOOST_TEST(keys_of(all) == (texts{"a", "a", "a", "b", "c", "c"}),
             boost::test_tools::per_element());
  for (const std::uint32_t limit : {1U, 2U, 5U})
    BOOST_TEST((units_of(rows_by(steps[0], limit)) == units_of(all)), "limit " << limit);
  // From the position of any result, as a file that was cut goes on.
  auto asked = request_for(steps[0]);
  asked.after = core::to_string(core::result_place{all[1].ordinal, all[1].unit});
  const auto rest = units_of(page(asked).results);
  const auto whole = units_of(all);
  BOOST_TEST((rest == std::vector<core::unit_id>{whole.begin() + 2, whole.end()}));
  BOOST_TEST(change(held, core::unit_verb::cancel).value.has_value());
  BOOST_TEST(rows_by(steps[0], 1).size() == 7U);
}

BOOST_AUTO_TEST_CASE(last_of_a_list_that_is_at_its_end_finds_what_comes_later) {
  const auto step = create(labeled);
  const auto finish = [&](const std::string& key) {
    source(step, key);
    answer(step, "ana", "cat");
    answer(step, "bob", "cat");
  };
  finish("a");
  auto asked = request_for(step);
  const auto first = page(asked);
  BOOST_TEST(keys_of(first.results) == texts{"a"}, boost::test_tools::per_element());
  BOOST_TEST(!first.more);
  finish("b");
  asked.after = first.last;
  BOOST_TEST(keys_of(page(asked).results) == texts{"b"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(only_results_in_the_wanted_states_are_listed) {
  const auto steps = create_steps(reviewed_once);
  for (const auto* key : {"final", "rejected", "canceled"}) {
    source(steps[0], key);
    answer(steps[0], "ana", "cat");
  }
  review(steps[1], "rex", "approve");
  review(steps[1], "rex", "reject");
  const auto last = assigned(steps[1], "rex");
  BOOST_REQUIRE(change(last, core::unit_verb::cancel).value);
  const auto keys_in = [&](std::uint8_t states) { return keys_of(rows(steps[0], states)); };
  const auto bits = [](result_state one, result_state other) {
    return static_cast<std::uint8_t>(core::bit_of(one) | core::bit_of(other));
  };
  BOOST_TEST(keys_in(0) == texts{"final"}, boost::test_tools::per_element());
  BOOST_TEST(keys_in(core::bit_of(result_state::rejected)) == texts{"rejected"},
             boost::test_tools::per_element());
  BOOST_TEST(keys_in(core::bit_of(result_state::canceled)) == texts{"canceled"},
             boost::test_tools::per_element());
  BOOST_TEST(keys_in(bits(result_state::final, result_state::canceled))
                 == (texts{"final", "canceled"}),
             boost::test_tools::per_element());
  BOOST_TEST(keys_in(bits(result_state::superseded, result_state::gathered)).empty());
}

BOOST_AUTO_TEST_CASE(request_that_cannot_be_answered_says_why) {
  const auto step = create(labeled);
  const auto refused = [&](auto change) {
    auto asked = request_for(step);
    change(asked);
    return call(asked).code();
  };
  using asked = msg::list_workflow_results;
  BOOST_TEST((refused([&](asked& m) { m.workflow = fresh<core::workflow_id>(); })
              == core::errc::not_found));
  BOOST_TEST((refused([](asked& m) { m.workflow = {}; }) == core::errc::invalid_argument));
  BOOST_TEST((refused([](asked& m) { m.limit = 0; }) == core::errc::invalid_argument));
  BOOST_TEST((refused([](asked& m) { m.limit = actors::workflow_results_page_max + 1; })
              == core::errc::invalid_argument));
  BOOST_TEST((refused([](asked& m) { m.after = "5-x"; }) == core::errc::invalid_argument));
  BOOST_TEST((refused([](asked& m) { m.states = core::all_result_states + 1; })
              == core::errc::invalid_argument));
  // The node of the tests has no digest.
  BOOST_TEST((refused([](asked& m) { m.pseudonyms = true; }) == core::errc::wrong_state));
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
