// The rules of a workflow definition: bounds from both sides, and the shape of the tree.

#include "core/workflow.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast::core;
using namespace std::chrono_literals;

namespace {

step_definition step(std::string key, std::vector<std::string> next = {}) {
  step_definition s;
  s.key = std::move(key);
  s.next = std::move(next);
  return s;
}

workflow_definition workflow(std::vector<step_definition> steps) { return {"w", std::move(steps)}; }

/// All problems, one per line; empty when there are none.
std::string problems(const workflow_definition& definition) {
  std::string text;
  for (const auto& p : problems_of(definition))
    text += (text.empty() ? "" : "\n") + p.place + ": " + p.what;
  return text;
}

template <class Change>
std::string problems_after(Change&& change) {
  auto definition = workflow({step("a")});
  change(definition.steps[0]);
  return problems(definition);
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_rules)

BOOST_AUTO_TEST_CASE(a_name_has_one_to_two_hundred_bytes) {
  const auto named = [](std::size_t length) {
    auto definition = workflow({step("a")});
    definition.name = std::string(length, 'n');
    return problems(definition);
  };
  BOOST_TEST(named(1) == "");
  BOOST_TEST(named(200) == "");
  BOOST_TEST(named(0) == "/name: must be 1 to 200 bytes");
  BOOST_TEST(named(201) == "/name: must be 1 to 200 bytes");
}

BOOST_AUTO_TEST_CASE(a_workflow_has_one_to_sixty_four_steps) {
  const auto chain = [](std::size_t length) {
    workflow_definition definition{"w", {}};
    for (std::size_t i = 0; i < length; ++i)
      definition.steps.push_back(
          step("s" + std::to_string(i), i + 1 < length ? std::vector{"s" + std::to_string(i + 1)}
                                                       : std::vector<std::string>{}));
    return problems(definition);
  };
  BOOST_TEST(chain(1) == "");
  BOOST_TEST(chain(64) == "");
  BOOST_TEST(chain(0) == "/steps: must have between 1 and 64 steps");
  BOOST_TEST(chain(65) == "/steps: must have between 1 and 64 steps");
}

BOOST_AUTO_TEST_CASE(a_key_is_short_plain_and_unique) {
  const auto keyed = [](const std::string& key) { return problems(workflow({step(key)})); };
  const std::string refused = "/steps/0/key: must be 1 to 64 characters of a-z, 0-9, _ and -";
  BOOST_TEST(keyed("a") == "");
  BOOST_TEST(keyed("label_2-final") == "");
  BOOST_TEST(keyed(std::string(64, 'k')) == "");
  BOOST_TEST(keyed("") == refused);
  BOOST_TEST(keyed(std::string(65, 'k')) == refused);
  for (const auto* key : {"A", "a b", "a/b", "ä", "a.b", "a{", "a`", "a@", "a:"})
    BOOST_TEST(keyed(key) == refused, key);
  BOOST_TEST(problems(workflow({step("a", {"b"}), step("b"), step("b")}))
             == "/steps/2/key: 'b' is the key of an earlier step");
}

BOOST_AUTO_TEST_CASE(judgments_per_unit_is_bounded) {
  const auto wanted = [](std::uint32_t n) {
    return problems_after([n](step_definition& s) { s.judgments_per_unit = n; });
  };
  const std::string refused = "/steps/0/judgments_per_unit: must be between 1 and 1000";
  BOOST_TEST(wanted(1) == "");
  BOOST_TEST(wanted(1000) == "");
  BOOST_TEST(wanted(0) == refused);
  BOOST_TEST(wanted(1001) == refused);
}

BOOST_AUTO_TEST_CASE(lease_times_are_bounded_to_the_microsecond) {
  const auto leased = [](duration ttl, duration total, duration regrant) {
    return problems_after([&](step_definition& s) { s.lease = {ttl, total, regrant}; });
  };
  const auto month = std::chrono::hours{24 * 30};
  const std::string ttl = "/steps/0/lease/ttl_seconds: must be between 0.01 and 2592000 (30 days)";
  BOOST_TEST(leased(10ms, 10ms, 0s) == "");
  BOOST_TEST(leased(month, month, month) == "");
  BOOST_TEST(leased(10ms - 1us, 1s, 0s) == ttl);
  BOOST_TEST(leased(month + 1us, month * 2, 0s) == ttl);
  BOOST_TEST(leased(1s, 1s - 1us, 0s)
             == "/steps/0/lease/total_max_seconds: must not be less than ttl_seconds");
  BOOST_TEST(leased(1s, 1s, -1us) == "/steps/0/lease/regrant_after_seconds: must not be negative");
}

BOOST_AUTO_TEST_CASE(an_answer_pointer_is_empty_or_begins_with_a_slash) {
  const auto answered = [](std::string pointer) {
    return problems_after([&](step_definition& s) { s.answer_pointer = pointer; });
  };
  BOOST_TEST(answered("") == "");
  BOOST_TEST(answered("/") == "");
  BOOST_TEST(answered("/a/b") == "");
  BOOST_TEST(answered("a")
             == "/steps/0/aggregation/answer: must be a JSON pointer such as /answer");
}

// A13, A69, A74
BOOST_AUTO_TEST_CASE(steps_form_a_tree_that_begins_with_the_first) {
  BOOST_TEST(problems(workflow({step("a", {"b", "c"}), step("b", {"d"}), step("c"), step("d")}))
             == "");
  // The order of the steps is free but for the first.
  BOOST_TEST(problems(workflow({step("a", {"d"}), step("b"), step("c", {"b"}), step("d", {"c"})}))
             == "");
}

BOOST_AUTO_TEST_CASE(a_step_nobody_leads_to_or_two_lead_to_is_refused) {
  BOOST_TEST(problems(workflow({step("a"), step("b")}))
             == "/steps/1: must be the next of exactly one step, not of 0");
  BOOST_TEST(problems(workflow({step("a", {"b", "c"}), step("b", {"c"}), step("c")}))
             == "/steps/2: must be the next of exactly one step, not of 2");
  BOOST_TEST(problems(workflow({step("a", {"b", "b"}), step("b")}))
             == "/steps/1: must be the next of exactly one step, not of 2");
  BOOST_TEST(problems(workflow({step("a", {"x"})})) == "/steps/0/next/0: no step has the key 'x'");
}

BOOST_AUTO_TEST_CASE(cycles_are_refused_wherever_they_are) {
  BOOST_TEST(problems(workflow({step("a", {"a"})}))
             == "/steps/0: is where source data enters; no step may lead to it");
  BOOST_TEST(problems(workflow({step("a", {"b"}), step("b", {"a"})}))
             == "/steps/0: is where source data enters; no step may lead to it");
  BOOST_TEST(problems(workflow({step("a"), step("b", {"b"})}))
             == "/steps: some steps form a cycle that the first step never reaches");
  BOOST_TEST(problems(workflow({step("a", {"d"}), step("b", {"c"}), step("c", {"b"}), step("d")}))
             == "/steps: some steps form a cycle that the first step never reaches");
}

BOOST_AUTO_TEST_CASE(all_problems_are_told_at_once) {
  auto definition = workflow({step(""), step("b", {"x"})});
  definition.name.clear();
  definition.steps[1].judgments_per_unit = 0;
  BOOST_TEST(problems(definition)
             == "/name: must be 1 to 200 bytes\n"
                "/steps/0/key: must be 1 to 64 characters of a-z, 0-9, _ and -\n"
                "/steps/1/judgments_per_unit: must be between 1 and 1000\n"
                "/steps/1/next/0: no step has the key 'x'");
}

BOOST_AUTO_TEST_CASE(the_way_up_and_the_place_of_a_key_are_found) {
  const auto definition = workflow({step("a", {"b", "c"}), step("b", {"d"}), step("c"), step("d")});
  BOOST_TEST(!upstream_of(definition, 0));
  BOOST_TEST(*upstream_of(definition, 1) == 0U);
  BOOST_TEST(*upstream_of(definition, 2) == 0U);
  BOOST_TEST(*upstream_of(definition, 3) == 1U);
  BOOST_TEST(*position_of(definition, "a") == 0U);
  BOOST_TEST(*position_of(definition, "d") == 3U);
  BOOST_TEST(!position_of(definition, "x"));
}

BOOST_AUTO_TEST_SUITE_END()
