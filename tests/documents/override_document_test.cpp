// The answer that overrides a result is one that a judgment of the step could give.

#include "documents/override_document.hpp"

#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using holdfast::test::contains;

namespace {

core::step_definition overridden_step(std::vector<std::string> labels, std::string schema = {}) {
  core::step_definition step;
  step.answer_pointer = "/answer";
  step.aggregation.labels = std::move(labels);
  step.judgment_schema = std::move(schema);
  return step;
}

core::step_definition overridden_review() {
  auto step = overridden_step({});
  step.aggregation.method = core::aggregation_method::review;
  return step;
}

/// The answer, with the correction behind a blank; or why it is refused.
std::string given(const core::step_definition& step, const std::string& answer,
                  const std::string& corrected_to = {}) {
  const auto read = documents::read_given_answer(step, answer, corrected_to, {});
  if (!read)
    return "refused " + std::string{to_string(read.error().code)} + ": " + read.error().detail;
  return read->answer + (read->correction.empty() ? "" : " " + read->correction);
}

} // namespace

BOOST_AUTO_TEST_SUITE(override_document)

BOOST_AUTO_TEST_CASE(an_answer_is_one_of_the_labels_as_votes_compare_them) {
  const auto step = overridden_step({"1.0", "cat"});
  BOOST_TEST(given(step, R"("cat")") == "cat");
  BOOST_TEST(given(step, "1") == "1.0");
  BOOST_TEST(contains(given(step, R"("owl")"), "refused payload_invalid: in answer: is none of"));
  BOOST_TEST(contains(given(step, R"("owl")"), "1.0, cat"));
}

BOOST_AUTO_TEST_CASE(an_answer_keeps_to_the_schema_at_its_place) {
  const auto step = overridden_step({}, R"({"type":"object","properties":
      {"answer":{"type":"integer","minimum":1}},"required":["answer"]})");
  BOOST_TEST(given(step, "3") == "3");
  BOOST_TEST(contains(given(step, "0"), "refused payload_invalid: in answer: "));
  BOOST_TEST(contains(given(step, R"("cat")"), "judgment_schema"));
}

BOOST_AUTO_TEST_CASE(any_json_is_an_answer_where_nothing_says_otherwise) {
  BOOST_TEST(given(overridden_step({}), R"({"b": 1, "a": [2.0]})") == R"({"a":[2],"b":1})");
  BOOST_TEST(contains(given(overridden_step({}), "{"), "in answer: "));
  BOOST_TEST(
      contains(given(overridden_step({}), "1", "2"), "corrected_to is for steps that review"));
}

BOOST_AUTO_TEST_CASE(a_review_gives_a_verdict_and_its_correction) {
  const auto step = overridden_review();
  BOOST_TEST(given(step, R"("approve")") == "approve");
  BOOST_TEST(given(step, R"("correct")", R"({"x": 1.0})") == R"(correct {"x":1})");
  BOOST_TEST(contains(given(step, R"("correct")"), "corrected_to is missing"));
  BOOST_TEST(contains(given(step, R"("maybe")"), "approve, correct or reject"));
}

BOOST_AUTO_TEST_CASE(a_result_is_no_longer_list_than_can_go_on_one_by_one) {
  auto step = overridden_step({});
  core::route each;
  each.for_each = true;
  step.routes = {each};
  std::string list = "[0";
  for (std::size_t i = 0; i < core::fan_out_max; ++i)
    list += ",0";
  BOOST_TEST(contains(given(step, list + "]"), "1001 items"));
}

BOOST_AUTO_TEST_SUITE_END()
