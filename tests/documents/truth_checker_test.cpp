// finding C4: a test question that nobody can answer is refused when it is added.

#include "documents/truth_checker.hpp"

#include "documents/answer_matcher.hpp"
#include "documents/pattern.hpp"
#include "tests/core/random_source.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using documents::truth_checker;
using holdfast::test::contains;

namespace {

core::step_definition labelled(std::vector<std::string> labels) {
  core::step_definition step;
  step.answer_pointer = "/answer";
  step.aggregation.labels = std::move(labels);
  return step;
}

core::step_definition by_schema(std::string schema, std::string pointer = "/answer") {
  core::step_definition step;
  step.answer_pointer = std::move(pointer);
  step.judgment_schema = std::move(schema);
  return step;
}

std::string problem_in(const core::step_definition& step, const std::string& truth) {
  const auto why = truth_checker{step}.problem_with(truth);
  return why.code == core::errc::none ? std::string{} : why.detail;
}

bool accepted(const core::step_definition& step, const std::string& truth) {
  const auto problem = problem_in(step, truth);
  BOOST_TEST_MESSAGE(truth << ": " << problem);
  return problem.empty();
}

} // namespace

BOOST_AUTO_TEST_SUITE(truths_of_test_questions)

BOOST_AUTO_TEST_CASE(a_box_without_area_is_refused) {
  const auto any = labelled({});
  BOOST_TEST(contains(problem_in(any, R"({"match":"box","answer":[5,5,5,5]})"), "/answer"));
  BOOST_TEST(!accepted(any, R"({"match":"box","answer":[5,5,9,5]})"));
  BOOST_TEST(!accepted(any, R"({"match":"box","answer":[5,5,5.0,9]})"));
  BOOST_TEST(!accepted(any, R"({"match":"box","answer":[0,0,1e-300,1e-300]})"));
  BOOST_TEST(!accepted(any, R"({"match":"box","answer":[-1e200,-1e200,1e200,1e200]})"));
  BOOST_TEST(accepted(any, R"({"match":"box","answer":[9,9,5,5],"overlap":1})"));
}

BOOST_AUTO_TEST_CASE(an_answer_that_is_no_label_is_refused) {
  const auto step = labelled({"1", "2"});
  for (const auto* truth : {R"({"answer":1})", R"({"answer":"1"})", R"({"answer":1.0})",
                            R"({"match":"set","answer":[]})"})
    BOOST_TEST(accepted(step, truth) == (std::string{truth}.find("set") == std::string::npos),
               truth);
  BOOST_TEST(contains(problem_in(step, R"({"answer":3})"), "aggregation.labels"));
  BOOST_TEST(!accepted(step, R"({"match":"number","answer":3.5,"within":1})"));
  BOOST_TEST(accepted(step, R"({"match":"number","answer":2.5,"within":0.5})"));
  BOOST_TEST(!accepted(step, R"({"match":"pattern","pattern":"^[a-z]$"})"));
  BOOST_TEST(accepted(step, R"({"match":"pattern","pattern":"^[2-9]$"})"));
  auto review = labelled({});
  review.aggregation.method = core::aggregation_method::review;
  BOOST_TEST(accepted(review, R"({"answer":"approve"})"));
  BOOST_TEST(!accepted(review, R"({"answer":"approved"})"));
}

BOOST_AUTO_TEST_CASE(an_answer_that_the_schema_refuses_is_refused) {
  const auto step = by_schema(R"({"type":"object","required":["answer","note"],
      "properties":{"note":{"type":"string"},
                    "answer":{"type":"integer","minimum":0,"maximum":10}}})");
  BOOST_TEST(accepted(step, R"({"answer":7})")); // that the note is missing says nothing of it
  BOOST_TEST(contains(problem_in(step, R"({"answer":11})"), "must be at most 10"));
  BOOST_TEST(!accepted(step, R"({"answer":"cat"})"));
  BOOST_TEST(!accepted(step, R"({"match":"number","answer":7.5})"));
  BOOST_TEST(accepted(step, R"({"match":"number","answer":7.5,"within":0.5})"));
}

BOOST_AUTO_TEST_CASE(a_truth_that_none_of_the_listed_values_meets_is_refused) {
  const auto step = by_schema(
      R"({"$ref":"#/definitions/form","definitions":{"form":{"allOf":[{"properties":{"parts":
          {"items":{"properties":{"label":{"enum":["cat","dog",3]}}}}}}]}}})",
      "/parts/0/label");
  BOOST_TEST(accepted(step, R"({"answer":"cat"})"));
  BOOST_TEST(accepted(step, R"({"answer":3.0})"));
  BOOST_TEST(contains(problem_in(step, R"({"answer":"Cat"})"), "judgment_schema"));
  BOOST_TEST(accepted(step, R"({"match":"pattern","pattern":"^[cd]"})"));
  BOOST_TEST(!accepted(step, R"({"match":"pattern","pattern":"^x"})"));
  BOOST_TEST(accepted(step, R"({"match":"number","answer":4,"within":1})"));
  BOOST_TEST(!accepted(step, R"({"match":"number","answer":9,"within":1})"));
}

BOOST_AUTO_TEST_CASE(a_tolerance_that_no_answer_of_the_schema_is_within_is_refused) {
  const auto with = [](const std::string& answer) {
    return by_schema(R"({"properties":{"answer":)" + answer + "}}");
  };
  const auto whole = with(R"({"type":"integer"})");
  BOOST_TEST(!accepted(whole, R"({"match":"number","answer":12.5,"within":0.2})"));
  BOOST_TEST(accepted(whole, R"({"match":"number","answer":12.5,"within":0.5})"));
  BOOST_TEST(accepted(whole, R"({"match":"number","answer":1000.4,"within_share":0.001})"));
  const auto small = with(R"({"type":"number","maximum":10})");
  BOOST_TEST(!accepted(small, R"({"match":"number","answer":15,"within":1})"));
  BOOST_TEST(accepted(small, R"({"match":"number","answer":10.5,"within":1})"));
  BOOST_TEST(
      accepted(with(R"({"multipleOf":0.25})"), R"({"match":"number","answer":1.3,"within":0.1})"));
  BOOST_TEST(
      accepted(with(R"({"type":"string"})"), R"({"match":"number","answer":1.3,"within":0.1})"));
  BOOST_TEST(
      !accepted(with(R"({"type":"boolean"})"), R"({"match":"number","answer":1.3,"within":0.1})"));
}

BOOST_AUTO_TEST_CASE(a_set_or_a_box_that_the_schema_refuses_is_refused) {
  const auto animals = by_schema(
      R"({"properties":{"answer":{"type":"array","uniqueItems":true,"maxItems":2,
                                  "items":{"enum":["cat","dog"]}}}})");
  BOOST_TEST(accepted(animals, R"({"match":"set","answer":["dog","cat"]})"));
  BOOST_TEST(accepted(animals, R"({"match":"set","answer":["dog","dog"]})"));
  BOOST_TEST(accepted(animals, R"({"match":"set","answer":[]})"));
  BOOST_TEST(!accepted(animals, R"({"match":"set","answer":["cat","zebra"]})"));
  const auto whole = by_schema(
      R"({"properties":{"answer":{"type":"array","minItems":4,"maxItems":4,
                                  "items":{"type":"integer","minimum":0,"maximum":100}}}})");
  BOOST_TEST(accepted(whole, R"({"match":"box","answer":[1,1,50,50]})"));
  BOOST_TEST(accepted(whole, R"({"match":"box","answer":[1.2,1.2,49.9,50]})"));
  BOOST_TEST(!accepted(whole, R"({"match":"box","answer":[150,150,200,200]})"));
  BOOST_TEST(!accepted(by_schema(R"({"properties":{"answer":{"type":"object"}}})"),
                       R"({"match":"box","answer":[1,1,50,50]})"));
}

BOOST_AUTO_TEST_CASE(a_pattern_that_matches_no_value_of_the_schema_is_refused) {
  const auto with = [](const std::string& type) {
    return by_schema(R"({"properties":{"answer":{"type":)" + type + "}}}");
  };
  const std::string word = R"({"match":"pattern","pattern":"^[a-z]+$"})";
  BOOST_TEST(accepted(with(R"("string")"), word));
  BOOST_TEST(accepted(with(R"(["integer","string"])"), word));
  BOOST_TEST(!accepted(with(R"("integer")"), word));
  BOOST_TEST(accepted(with(R"("integer")"), R"({"match":"pattern","pattern":"^1[0-9]{4}$"})"));
  BOOST_TEST(accepted(with(R"("boolean")"), R"({"match":"pattern","pattern":"^t"})"));
  BOOST_TEST(!accepted(with(R"("boolean")"), R"({"match":"pattern","pattern":"x"})"));
}

// Followed twice at each level it would take longer than anybody waits.
BOOST_AUTO_TEST_CASE(a_pattern_of_nested_repetitions_costs_no_time) {
  std::string nested = "a";
  for (int i = 0; i < 100; ++i)
    nested = '(' + nested + ")+";
  BOOST_TEST(accepted(labelled({}), R"({"match":"pattern","pattern":")" + nested + "\"}"));
}

BOOST_AUTO_TEST_CASE(a_schema_that_names_itself_twice_at_every_level_costs_no_time) {
  std::string definitions;
  for (int i = 0; i < 60; ++i) {
    const auto next = R"({"$ref":"#/definitions/d)" + std::to_string(i + 1) + "\"}";
    definitions += "\"d" + std::to_string(i) + R"(":{"allOf":[)" + next + ',' + next + "]},";
  }
  const auto step = by_schema(R"({"definitions":{)" + definitions
                              + R"("d60":{"properties":{"answer":{"type":"string"}}}},)"
                              + R"("allOf":[{"$ref":"#/definitions/d0"}]})");
  BOOST_TEST(accepted(step, R"({"answer":"x"})"));
  BOOST_TEST(!accepted(step, R"({"answer":1})"));
}

BOOST_AUTO_TEST_CASE(a_pattern_that_nothing_matches_is_refused) {
  const auto any = labelled({});
  const auto with = [](const std::string& pattern) {
    return nlohmann::json{{"match", "pattern"}, {"pattern", pattern}}.dump();
  };
  for (const auto* never :
       {"a^b", "$a", "^a$b", "[^\\s\\S]", "x[]", "\\w\\B\\W", "a\\bb", "(^a){2}", "(?:b|c)^",
        "\\ba\\b\\w", "(a^|$b)+", "a+^", "[^\\u0000-\\uffff\\w\\W]"})
    BOOST_TEST(contains(problem_in(any, with(never)), "/pattern matches no text"), never);
  for (const auto* fine : {"",
                           "^$",
                           "^colou?r$",
                           "a|$b",
                           "(a^)?b",
                           "[^]",
                           "\\bfoo\\b",
                           "(?:^|,)x(?:$|,)",
                           "a{0}^b?",
                           "\\u00e4+",
                           "^[[:digit:]]+\\b$",
                           "\\b[[:alpha:][:digit:]-]+\\b",
                           "[[=a=]]\\b",
                           "[\\u4e00-\\u9fff]{2,}",
                           "\\d{3}-\\d{4}",
                           "(a^)*b",
                           "^(?:(?:a|b)*c){3}$",
                           "\\W\\b\\w",
                           ".\\b.",
                           "[\\]]",
                           "\\cJ",
                           "\\x41\\/",
                           "^\\b\\w",
                           "\\w\\b$",
                           "(x?)+y",
                           "a{2,}?b"})
    BOOST_TEST(accepted(any, with(fine)), fine);
}

// Every truth is taken for right by its own matcher, or is refused.
BOOST_AUTO_TEST_CASE(an_accepted_truth_is_right_by_its_own_matcher) {
  test::random_source random{9};
  const auto coordinate = [&] {
    constexpr const char* some[] = {"0", "1", "5", "5.0", "1e-300", "1e300", "-3", "0.5"};
    return std::string{some[random.below(std::size(some))]};
  };
  const auto any = labelled({});
  std::size_t refused = 0;
  for (int round = 0; round < 2'000; ++round) {
    const auto box =
        '[' + coordinate() + ',' + coordinate() + ',' + coordinate() + ',' + coordinate() + ']';
    const auto answer = random.one_in(2) ? box : coordinate();
    const auto truth = answer == box ? R"({"match":"box","answer":)" + box + "}"
                                     : R"({"match":"number","answer":)" + answer + "}";
    if (!problem_in(any, truth).empty()) {
      ++refused;
      continue;
    }
    const auto matcher = documents::read_answer_matcher(truth);
    BOOST_REQUIRE(matcher);
    BOOST_TEST((*matcher)(answer), truth);
  }
  BOOST_TEST(refused > 100U);
}

BOOST_AUTO_TEST_SUITE_END()
