// Source data that is loaded again: rows that are the same, rows that have changed, and dry runs.

#include "tests/support/large_documents.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

struct loading_node : node_fixture {
  loading_node() { start(); }

  msg::source_data_loaded load(const core::step_id& step, std::vector<msg::source_row> rows,
                               bool replace = false, bool dry_run = false) {
    const auto told = call(msg::load_source_data{step, std::move(rows), replace, dry_run});
    BOOST_REQUIRE(told.value);
    return *told.value;
  }
  /// The stored input of the unit under a key.
  std::string input_of(const core::step_id& step, const std::string& key) const {
    const auto& tables = database->tables();
    return tables.units.at(tables.units_by_source_key.at({step, key})).made.input;
  }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(source_loads, loading_node)

// A3
BOOST_AUTO_TEST_CASE(rows_that_have_changed_are_told_and_left_as_they_are) {
  const auto step = create();
  const auto first = load(step, {{"a", R"({"n": 1})", 0}, {"b", R"({"n":2})", 0}});
  BOOST_TEST(first.added == 2U);
  BOOST_TEST((first.changed.empty() && first.problems.empty()));
  const auto again = load(
      step, {{"c", "{}", 0}, {"b", R"({"n":3})", 0}, {"a", R"({ "n": 1.0 })", 0}, {"d", "{", 0}});
  BOOST_TEST(again.added == 1U);
  BOOST_TEST(again.already_there == 1U); // the same value in another spelling
  BOOST_REQUIRE(again.changed.size() == 1U);
  BOOST_TEST(again.changed[0].row == 1U);
  BOOST_TEST(!again.changed[0].replaced);
  BOOST_REQUIRE(again.problems.size() == 1U);
  BOOST_TEST(again.problems[0].row == 3U);
  BOOST_TEST(input_of(step, "b") == R"({"n":2})");
  BOOST_TEST(statistics(step).step.total_units == 3U);
}

// A3
BOOST_AUTO_TEST_CASE(a_changed_row_replaces_a_unit_that_nobody_has_had) {
  const auto step = create();
  load(step, {{"a", R"({"n":1})", 0}, {"b", R"({"n":2})", 0}});
  const auto done = load(step, {{"a", R"({"n":3})", 0}, {"b", R"({"n":4})", 0}}, true);
  BOOST_TEST(done.added == 0U);
  BOOST_REQUIRE(done.changed.size() == 2U);
  BOOST_TEST((done.changed[0].replaced && done.changed[1].replaced));
  BOOST_TEST(done.problems.empty());
  BOOST_TEST(input_of(step, "a") == R"({"n":3})");
  // It is offered with what it has now, also after a restart.
  BOOST_TEST(assigned(step, "ana").input == R"({"n":3})");
  restart();
  BOOST_TEST(input_of(step, "b") == R"({"n":4})");
  const auto again = load(step, {{"b", R"({"n":4})", 0}}, true);
  BOOST_TEST(again.already_there == 1U);
}

// A3
BOOST_AUTO_TEST_CASE(a_unit_that_somebody_has_had_keeps_its_input) {
  const auto step = create();
  load(step, {{"a", R"({"n":1})", 0}, {"b", R"({"n":2})", 0}});
  const auto lease = assigned(step, "ana");
  BOOST_TEST(lease.input == R"({"n":1})");
  BOOST_REQUIRE(call(msg::release_assignment{step, lease.unit, "ana", lease.token, false}).value);
  restart(); // it knows so from the database
  const auto done = load(step, {{"a", R"({"n":3})", 0}, {"b", R"({"n":4})", 0}}, true);
  BOOST_REQUIRE(done.changed.size() == 2U);
  BOOST_TEST(!done.changed[0].replaced);
  BOOST_TEST(done.changed[1].replaced);
  BOOST_REQUIRE(done.problems.size() == 1U);
  BOOST_TEST(done.problems[0].row == 0U);
  BOOST_TEST(done.problems[0].code == static_cast<std::uint8_t>(core::errc::wrong_state));
  BOOST_TEST(done.problems[0].detail == core::unit_is_touched);
  BOOST_TEST(input_of(step, "a") == R"({"n":1})");
}

BOOST_AUTO_TEST_CASE(a_dry_run_says_what_would_happen_and_changes_nothing) {
  const auto step = create();
  load(step, {{"a", R"({"n":1})", 0}});
  const std::vector<msg::source_row> rows{
      {"a", R"({"n":2})", 0}, {"b", "{}", 0}, {"c", "nothing", 0}};
  const auto told = load(step, rows, true, true);
  BOOST_TEST(told.added == 1U);
  BOOST_REQUIRE(told.changed.size() == 1U);
  BOOST_TEST(!told.changed[0].replaced);
  BOOST_TEST(told.problems.size() == 1U);
  BOOST_TEST(statistics(step).step.total_units == 1U);
  BOOST_TEST(input_of(step, "a") == R"({"n":1})");
  change(step, core::unit_verb::cancel);
  BOOST_TEST(call(msg::load_source_data{step, rows, false, true}).code()
             == core::errc::wrong_state);
}

// A3, I-12
BOOST_AUTO_TEST_CASE(rows_that_are_on_their_way_are_compared_once_they_are_there) {
  const auto step = create();
  const auto first = send_to_node(msg::load_source_data{step, {{"a", R"({"n":1})", 0}}});
  const auto same = send_to_node(msg::load_source_data{step, {{"a", R"({"n":1})", 0}}});
  const auto other = send_to_node(msg::load_source_data{step, {{"a", R"({"n":2})", 0}}, true});
  settle();
  BOOST_REQUIRE((first->value && same->value && other->value));
  BOOST_TEST(first->value->added == 1U);
  BOOST_TEST(same->value->already_there == 1U);
  BOOST_REQUIRE(other->value->changed.size() == 1U);
  BOOST_TEST(other->value->changed[0].replaced);
  BOOST_TEST(input_of(step, "a") == R"({"n":2})");
}

// A80
BOOST_AUTO_TEST_CASE(large_inputs_are_compared_without_being_read) {
  const auto step = create();
  load(step, {{"a", large('a'), 0}, {"b", large('b'), 0}});
  const auto told = load(step, {{"a", large('a'), 0}, {"b", "{}", 0}}, false, true);
  BOOST_TEST(told.already_there == 1U);
  BOOST_TEST(told.changed.size() == 1U);
  const auto done = load(step, {{"a", large('c'), 0}, {"b", "{}", 0}}, true);
  BOOST_REQUIRE(done.changed.size() == 2U);
  BOOST_TEST((done.changed[0].replaced && done.changed[1].replaced));
  BOOST_TEST(assigned(step, "ana").input == large('c'));
  BOOST_TEST(input_of(step, "b") == "{}");
}

BOOST_AUTO_TEST_CASE(rows_enter_at_the_first_step_only) {
  const auto steps = create_steps(
      workflow_json("chain", {step_json("first", 1, {"second"}), step_json("second", 1, {})}));
  BOOST_TEST(call(msg::load_source_data{steps[1], {{"a", "{}", 0}}}).code()
             == core::errc::wrong_state);
  BOOST_TEST(call(msg::load_source_data{{}, {}}).code() == core::errc::invalid_argument);
  BOOST_TEST(call(msg::load_source_data{fresh<core::step_id>(), {{"a", "{}", 0}}}).code()
             == core::errc::not_found);
  const auto nothing = load(steps[0], {});
  BOOST_TEST(nothing.added == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
