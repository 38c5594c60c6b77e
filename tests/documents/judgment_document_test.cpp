// The hot path of submission: is the payload valid, and what does it answer?

#include "documents/judgment_document.hpp"

#include "core/invariant.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace holdfast;
using documents::json_limits;
using documents::judgment_checker;

namespace {

core::step_definition step_with(std::string schema, std::string answer) {
  core::step_definition step;
  step.key = "label";
  step.judgment_schema = std::move(schema);
  step.answer_pointer = std::move(answer);
  return step;
}

const std::string label_schema = R"({"type":"object","required":["answer"],
  "additionalProperties":false,"properties":{"answer":{"enum":["cat","dog"]},
  "sure":{"type":"number","minimum":0,"maximum":1},"note":{"type":"string","maxLength":10}}})";

/// The answer, or code and detail of the refusal.
std::string outcome_of(const judgment_checker& checker, std::string_view payload) {
  const auto answer = checker.answer_of(payload);
  return answer ? *answer
                : std::string{core::to_string(answer.error().code)} + " " + answer.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(judgments)

// A8, A56, A85
BOOST_AUTO_TEST_CASE(a_judgment_by_the_schema_yields_the_answer) {
  const judgment_checker checker{step_with(label_schema, "/answer"), json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","sure":0.75,"note":"blurred"})") == "cat");
  BOOST_TEST(outcome_of(checker, R"({"answer":"dog"})") == "dog");
}

BOOST_AUTO_TEST_CASE(a_judgment_against_the_schema_is_refused_with_the_place) {
  const judgment_checker checker{step_with(label_schema, "/answer"), json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":"bird"})")
             == R"(payload_invalid /answer: must be one of "cat", "dog", not "bird")");
  BOOST_TEST(outcome_of(checker, "{}") == "payload_invalid needs the member 'answer'");
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","sure":1.1})")
             == "payload_invalid /sure: must be at most 1, not 1.1");
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","note":"more than ten"})")
             == "payload_invalid /note: must have at most 10 characters, not 13");
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","nite":"x"})")
             == "payload_invalid /nite: is not a member that the schema knows; did you mean "
                "'note'?");
  BOOST_TEST(outcome_of(checker, R"("cat")") == "payload_invalid must be an object, not a string");
}

BOOST_AUTO_TEST_CASE(a_judgment_that_is_no_json_is_refused) {
  const judgment_checker checker{step_with(label_schema, "/answer"), json_limits{40, 4}};
  BOOST_TEST(outcome_of(checker, "").rfind("payload_invalid", 0) == 0U);
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat")").rfind("payload_invalid", 0) == 0U);
  BOOST_TEST(outcome_of(checker, R"({"answer":"c\u0000t"})").rfind("payload_invalid", 0) == 0U);
  BOOST_TEST(outcome_of(checker, "[[[[[]]]]]").rfind("payload_invalid", 0) == 0U);
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","note":")" + std::string(99, 'x') + "\"}")
                 .rfind("too_large", 0)
             == 0U);
}

BOOST_AUTO_TEST_CASE(without_a_schema_any_object_with_an_answer_will_do) {
  const judgment_checker checker{step_with("", "/answer"), json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat","more":[1,2]})") == "cat");
  BOOST_TEST(outcome_of(checker, "[]") == "payload_invalid the judgment must be an object");
  BOOST_TEST(outcome_of(checker, "null") == "payload_invalid the judgment must be an object");
  BOOST_TEST(outcome_of(checker, R"({"anwser":"cat"})")
             == "payload_invalid /answer: is missing; the step counts the value at this place as "
                "the answer");
}

BOOST_AUTO_TEST_CASE(strings_count_as_they_are_and_all_else_as_canonical_json) {
  const judgment_checker checker{step_with("", "/answer"), json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":"a \"b\" \n"})") == "a \"b\" \n");
  BOOST_TEST(outcome_of(checker, R"({"answer":""})") == "");
  BOOST_TEST(outcome_of(checker, R"({"answer":2})") == "2");
  BOOST_TEST(outcome_of(checker, R"({"answer":2.0})") == "2");
  BOOST_TEST(outcome_of(checker, R"({"answer":0.25})") == "0.25");
  BOOST_TEST(outcome_of(checker, R"({"answer":true})") == "true");
  BOOST_TEST(outcome_of(checker, R"({"answer":null})") == "null");
  BOOST_TEST(outcome_of(checker, R"({"answer":{"b":[1, 2.0],"a":"x"}})")
             == R"({"a":"x","b":[1,2]})");
  // Equal answers stay equal however they are written.
  BOOST_TEST(outcome_of(checker, R"({ "answer" : { "y" : 1e0 , "x" : "\u0061" } })")
             == outcome_of(checker, R"({"answer":{"x":"a","y":1}})"));
}

BOOST_AUTO_TEST_CASE(the_answer_may_be_anywhere) {
  const auto at = [](const char* pointer, const char* payload) {
    return outcome_of(judgment_checker{step_with("true", pointer), json_limits{}}, payload);
  };
  BOOST_TEST(at("", R"("whole")") == "whole");
  BOOST_TEST(at("", "[1,2]") == "[1,2]");
  BOOST_TEST(at("/boxes/1/label", R"({"boxes":[{"label":"a"},{"label":"b"}]})") == "b");
  BOOST_TEST(at("/a~1b/c~0d", R"({"a/b":{"c~d":"x"}})") == "x");
  BOOST_TEST(at("/", R"({"":"empty name"})") == "empty name");
  BOOST_TEST(at("/0", R"({"0":"a member, not an element"})") == "a member, not an element");
  for (const auto* nowhere :
       {"/boxes/2", "/boxes/-", "/boxes/01", "/boxes/+1", "/boxes/1x", "/boxes/",
        "/boxes/1/label/x", "/boxes/99999999999999999999999", "/box"})
    BOOST_TEST(at(nowhere, R"({"boxes":[0,{"label":"b"}]})").rfind("payload_invalid /box", 0) == 0U,
               nowhere);
}

BOOST_AUTO_TEST_CASE(a_step_that_was_never_validated_is_a_bug_of_ours) {
  const json_limits limits;
  BOOST_CHECK_THROW(judgment_checker(step_with("{", "/a"), limits), core::broken_invariant);
  BOOST_CHECK_THROW(judgment_checker(step_with(R"({"type":"x"})", "/a"), limits),
                    core::broken_invariant);
  BOOST_CHECK_THROW(judgment_checker(step_with("", "a"), limits), core::broken_invariant);
  BOOST_CHECK_THROW(judgment_checker(step_with("", "/a~2"), limits), core::broken_invariant);
}

BOOST_AUTO_TEST_CASE(one_checker_serves_several_threads_at_once) {
  const judgment_checker checker{step_with(label_schema, "/answer"), json_limits{}};
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (auto& mistakes : wrong)
    threads.emplace_back([&checker, &mistakes] {
      for (int i = 0; i < 500; ++i) {
        mistakes += outcome_of(checker, R"({"answer":"cat","sure":0.5})") == "cat" ? 0 : 1;
        mistakes += checker.answer_of(R"({"answer":"bird"})") ? 1 : 0;
      }
    });
  for (auto& thread : threads)
    thread.join();
  for (const auto mistakes : wrong)
    BOOST_TEST(mistakes == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_must_be_one_of_the_labels_if_there_are_any) {
  auto step = step_with("", "/answer");
  step.aggregation.labels = {"1", "cat"};
  const judgment_checker checker{step, json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":"cat"})") == "cat");
  BOOST_TEST(outcome_of(checker, R"({"answer":1.0})") == "1");
  const auto refused = checker.answer_of(R"({"answer":"dog"})");
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == core::errc::payload_invalid));
  BOOST_TEST(refused.error().detail.find("none of the answers that the step knows: 1, cat")
             != std::string::npos);
}

// finding Q1
BOOST_AUTO_TEST_CASE(answers_keep_all_digits_of_their_numbers) {
  const judgment_checker checker{step_with("", "/answer"), json_limits{}};
  for (const auto* number :
       {"9400110200881234567890", "9400110200881234567891", "9400110200881234567899",
        "18446744073709551617", "-9223372036854775809", "0.12345678901234567890123",
        "123456789012345678.5", "0.1000000000000000055511151231257827"})
    BOOST_TEST(outcome_of(checker, R"({"answer":)" + std::string{number} + '}') == number);
  BOOST_TEST(outcome_of(checker, R"({"answer":[9400110200881234567890, 1.10]})")
             == "[9400110200881234567890,1.1]");
  BOOST_TEST(outcome_of(checker, R"({"answer":18446744073709551617.0})") == "18446744073709551617");
  BOOST_TEST(outcome_of(checker, R"({"answer":1.10})") == "1.1"); // equal numbers are one answer
}

// finding Q1
BOOST_AUTO_TEST_CASE(schemas_compare_all_digits_of_numbers) {
  const judgment_checker checker{
      step_with(R"({"type":"object","properties":{"answer":{"type":"integer",
                    "minimum":9400110200881234567890,"maximum":9400110200881234567899},
                    "code":{"enum":[18446744073709551617]},
                    "list":{"uniqueItems":true},"even":{"multipleOf":2}}})",
                "/answer"),
      json_limits{}};
  const auto with = [&](const std::string& more) {
    return outcome_of(checker, R"({"answer":9400110200881234567891)" + more + '}');
  };
  BOOST_TEST(with("") == "9400110200881234567891");
  BOOST_TEST(outcome_of(checker, R"({"answer":9400110200881234567889})")
             == "payload_invalid /answer: must be at least 9400110200881234567890, not "
                "9400110200881234567889");
  BOOST_TEST(outcome_of(checker, R"({"answer":9400110200881234567899.5})").find("integer")
             != std::string::npos);
  BOOST_TEST(with(R"(,"code":18446744073709551617)") == "9400110200881234567891");
  BOOST_TEST(with(R"(,"code":18446744073709551618)").find("/code") != std::string::npos);
  BOOST_TEST(with(R"(,"list":[18446744073709551617,18446744073709551618])")
             == "9400110200881234567891");
  BOOST_TEST(with(R"(,"list":[18446744073709551617,18446744073709551617.0])").find("/list")
             != std::string::npos);
  BOOST_TEST(with(R"(,"even":18446744073709551618)") == "9400110200881234567891");
  BOOST_TEST(with(R"(,"even":18446744073709551617)").find("/even") != std::string::npos);
}

// finding C3
BOOST_AUTO_TEST_CASE(a_number_is_the_label_that_spells_it) {
  auto step = step_with("", "/answer");
  step.aggregation.labels = {"1.0", "2", "3"};
  const judgment_checker checker{step, json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"answer":1})") == "1.0");
  BOOST_TEST(outcome_of(checker, R"({"answer":"1.0"})") == "1.0");
  BOOST_TEST(outcome_of(checker, R"({"answer":2.0})") == "2");
  BOOST_TEST(checker.answer_value_of(R"({"answer":1})") == R"("1.0")");
  BOOST_TEST(outcome_of(checker, R"({"answer":"1"})").rfind("payload_invalid", 0) == 0U);
}

BOOST_AUTO_TEST_CASE(the_value_of_an_answer_is_json) {
  const judgment_checker checker{step_with("", "/answer"), json_limits{}};
  BOOST_TEST(checker.answer_value_of(R"({"answer":"cat"})") == R"("cat")");
  BOOST_TEST(checker.answer_value_of(R"({"answer":[1, 2]})") == "[1,2]");
}

// A17, A19
BOOST_AUTO_TEST_CASE(a_review_says_approve_correct_or_reject) {
  auto step = step_with("", "/verdict");
  step.aggregation.method = core::aggregation_method::review;
  step.correction_pointer = "/better/label";
  const judgment_checker checker{step, json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"verdict":"approve"})") == "approve");
  BOOST_TEST(outcome_of(checker, R"({"verdict":"reject","better":{"label":1}})") == "reject");
  BOOST_TEST(outcome_of(checker, R"({"verdict":"correct","better":{"label":{"b":2.0,"a":1}}})")
             == R"(correct:{"a":1,"b":2})");
  BOOST_TEST(outcome_of(checker, R"({"verdict":"correct"})")
             == "payload_invalid /better/label: is missing; who corrects says here what the "
                "answer should be");
  BOOST_TEST(outcome_of(checker, R"({"verdict":"yes"})")
             == "payload_invalid /verdict: must be approve, correct or reject");
  BOOST_TEST(outcome_of(checker, "{}")
             == "payload_invalid /verdict: is missing; the step counts the value at this place "
                "as the answer");
}

// G-4: every fan-out is bounded
BOOST_AUTO_TEST_CASE(a_list_that_goes_on_item_by_item_has_a_thousand_at_most) {
  const auto list = [](std::size_t items) {
    std::string text = "[";
    for (std::size_t i = 0; i < items; ++i)
      text += i > 0 ? ",1" : "1";
    return text + "]";
  };
  auto step = step_with("", "/boxes");
  step.routes.emplace_back();
  step.routes[0].for_each = true;
  const judgment_checker checker{step, json_limits{}};
  BOOST_TEST(outcome_of(checker, R"({"boxes":)" + list(1000) + "}") == list(1000));
  const std::string refused = "has 1001 items; at most 1000 can go on one by one";
  BOOST_TEST(outcome_of(checker, R"({"boxes":)" + list(1001) + "}")
             == "payload_invalid /boxes: " + refused);
  step.aggregation.method = core::aggregation_method::review;
  step.answer_pointer = "/verdict";
  step.correction_pointer = "/boxes";
  const judgment_checker reviews{step, json_limits{}};
  BOOST_TEST(outcome_of(reviews, R"({"verdict":"correct","boxes":)" + list(1001) + "}")
             == "payload_invalid /boxes: " + refused);
  step.routes[0].for_each = false;
  const judgment_checker whole{step_with("", "/boxes"), json_limits{}};
  BOOST_TEST(outcome_of(whole, R"({"boxes":)" + list(1001) + "}") == list(1001));
}

BOOST_AUTO_TEST_SUITE_END()
