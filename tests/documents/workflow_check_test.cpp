// What a node says of a definition: problems with their places, and warnings with their codes.

#include "documents/workflow_check.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

namespace holdfast::documents {

namespace {

workflow_check checked(const std::string& text) {
  const auto found = check_workflow(text, json_limits{});
  if (!found)
    BOOST_FAIL(found.error().detail);
  return *found;
}

/// The codes and places, one by one, of the warnings of a workflow of one step with `members`.
std::string warned_of_step(const std::string& members) {
  const auto found = checked(R"({"name":"w","steps":[{"key":"label",)" + members + "}]}");
  std::string all;
  for (const auto& one : found.problems)
    BOOST_FAIL(one.place + ' ' + one.what);
  for (const auto& one : found.warnings)
    all += (all.empty() ? "" : " ") + std::string{core::code_of(one.about)} + one.place;
  return all;
}

std::string labels_and_schema(const std::string& labels, const std::string& schema) {
  return R"("aggregation":{"labels":)" + labels + R"(},"judgment_schema":)" + schema;
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_checks)

BOOST_AUTO_TEST_CASE(problems_are_told_with_their_places_and_without_warnings) {
  const auto broken = checked(
      R"({"name":"w","steps":[{"key":"A B","nxt":["b"]},{"key":"b","judgments_per_unit":"x"}]})");
  BOOST_REQUIRE_EQUAL(broken.problems.size(), 2U);
  BOOST_TEST(broken.problems[0].place == "/steps/0/nxt");
  BOOST_TEST(broken.problems[1].place == "/steps/1/judgments_per_unit");
  BOOST_TEST(broken.warnings.empty());
  BOOST_TEST(checked("{").problems.at(0).place == "");
  BOOST_TEST(!checked("{").problems.at(0).what.empty());
  const auto one_number =
      checked(R"({"name":"w","steps":[{"key":"a","aggregation":{"labels":["1.0","1.00"]}}]})");
  BOOST_REQUIRE_EQUAL(one_number.problems.size(), 1U);
  BOOST_TEST(one_number.problems[0].place == "/steps/0/aggregation/labels");
}

BOOST_AUTO_TEST_CASE(what_is_told_has_a_bound) {
  std::string steps;
  for (int i = 0; i < 64; ++i)
    steps += (i == 0 ? "" : ",") + std::string{R"({"key":"K","a":1,"b":2})"};
  BOOST_TEST(checked(R"({"name":"w","steps":[)" + steps + "]}").problems.size()
             == definition_findings_max);
}

BOOST_AUTO_TEST_CASE(a_definition_beyond_the_bounds_is_refused_as_too_large) {
  json_limits small;
  small.bytes_max = 10;
  const auto refused = check_workflow(R"({"name":"w","steps":[{"key":"a"}]})", small);
  BOOST_REQUIRE(!refused);
  BOOST_TEST((refused.error().code == core::errc::too_large));
}

BOOST_AUTO_TEST_CASE(a_schema_without_the_answer_is_told_of) {
  const auto none =
      R"("judgment_schema":{"type":"object","properties":{"label":{"type":"string"}}})";
  BOOST_TEST(warned_of_step(none) == "answer_not_in_schema/steps/0/judgment_schema");
  const auto closed =
      R"("judgment_schema":{"properties":{"label":{}},"additionalProperties":false})";
  BOOST_TEST(warned_of_step(closed) == "answer_not_in_schema/steps/0/judgment_schema");
  BOOST_TEST(warned_of_step(std::string{R"("aggregation":{"answer":"/label"},)"} + none) == "");
  // One of the alternatives has it.
  BOOST_TEST(warned_of_step(R"("judgment_schema":{"anyOf":[
      {"properties":{"answer":{"type":"string"}}},{"required":["skip"]}]})")
             == "");
  BOOST_TEST(warned_of_step(R"("judgment_schema":{"additionalProperties":{"type":"string"}})")
             == "");
  BOOST_TEST(warned_of_step(R"("judgment_schema":{"$ref":"#/definitions/a","definitions":{
      "a":{"properties":{"answer":{"type":"string"}}}}})")
             == "");
}

BOOST_AUTO_TEST_CASE(labels_and_the_values_of_the_schema_are_compared_both_ways) {
  const auto schema = [](const std::string& values) {
    return R"({"properties":{"answer":{"enum":)" + values + "}}}";
  };
  BOOST_TEST(warned_of_step(labels_and_schema(R"(["cat","dog"])", schema(R"(["cat","dog"])")))
             == "");
  BOOST_TEST(warned_of_step(labels_and_schema(R"(["cat","dog"])", schema(R"(["cat"])")))
             == "label_not_in_schema/steps/0/judgment_schema");
  BOOST_TEST(
      warned_of_step(labels_and_schema(R"(["cat","dog"])", schema(R"(["cat","dog","bird"])")))
      == "value_not_a_label/steps/0/judgment_schema");
  // The label of a number is given as a number.
  BOOST_TEST(warned_of_step(labels_and_schema("[1,2]", schema("[1,2]"))) == "");
  BOOST_TEST(
      warned_of_step(labels_and_schema("[1,2]", R"({"properties":{"answer":{"type":"integer"}}})"))
      == "");
  BOOST_TEST(warned_of_step(labels_and_schema(R"(["cat","dog"])",
                                              R"({"properties":{"answer":{"type":"integer"}}})"))
             == "label_not_in_schema/steps/0/judgment_schema "
                "label_not_in_schema/steps/0/judgment_schema");
}

BOOST_AUTO_TEST_CASE(look_alike_labels_are_told_of) {
  BOOST_TEST(warned_of_step(R"("aggregation":{"labels":["Cat","cat","dog"]})")
             == "labels_alike/steps/0/aggregation/labels");
  BOOST_TEST(warned_of_step(R"("aggregation":{"labels":["cat","dog"]})") == "");
}

BOOST_AUTO_TEST_CASE(trust_without_test_questions_is_told_of) {
  BOOST_TEST(warned_of_step(R"("aggregation":{"method":"weighted"})")
             == "trust_unknown/steps/0/aggregation/method");
  BOOST_TEST(warned_of_step(R"("routes":[{"when":{"trust_below":0.5},"to":[]},{"to":[]}])")
             == "trust_unknown/steps/0/routes/0/when/trust_below");
  BOOST_TEST(warned_of_step(R"("aggregation":{"method":"weighted"},"test_questions":{"every":10})")
             == "");
}

BOOST_AUTO_TEST_CASE(stopping_rules_that_never_stop_or_stop_at_once_are_told_of) {
  const auto warned = [](const std::string& stopping, const std::string& more = "") {
    return warned_of_step(R"("stopping":)" + stopping + more);
  };
  const std::string never = "stops_never/steps/0/stopping/stop_at";
  BOOST_TEST(warned(R"({"min":2,"max":5,"stop_at":0.9})") == "");
  BOOST_TEST(warned(R"({"min":3,"max":3,"stop_at":0.9})") == never);
  BOOST_TEST(warned(R"({"min":1,"max":5,"stop_at":0.9})") == "stops_at_first/steps/0/stopping/min");
  const auto model = R"(,"aggregation":{"method":"incremental","labels":["a","b"]})";
  BOOST_TEST(warned(R"({"min":1,"max":5,"stop_at":1})", model) == never);
  BOOST_TEST(warned(R"({"min":1,"max":5,"stop_at":0.99})", model) == "");
  // Two votes of people who are right two times of three come to 0.8.
  const auto weighed = R"(,"aggregation":{"method":"weighted_log_odds","labels":["a","b"]})";
  const auto trust = " trust_unknown/steps/0/aggregation/method";
  BOOST_TEST(warned(R"({"min":1,"max":3,"stop_at":0.81})", weighed)
             == "trust_unknown/steps/0/aggregation/method " + never);
  BOOST_TEST(warned(R"({"min":1,"max":3,"stop_at":0.79})", weighed)
             == std::string{trust}.substr(1));
}

BOOST_AUTO_TEST_CASE(a_program_that_reviews_itself_is_told_of) {
  const auto text = [](const std::string& type) {
    return R"({"name":"w","steps":[
      {"key":"label","tasks":{"queue":"q","type":"model","judgments":1},"next":["review"]},
      {"key":"review","judgments_per_unit":1,"aggregation":{"method":"review"},
       "tasks":{"queue":"q","type":")"
           + type + R"(","judgments":1},
       "routes":[{"when":{"answer":"reject"},"to":[]},{"to":[]}]}]})";
  };
  const auto same = checked(text("model"));
  BOOST_REQUIRE_EQUAL(same.warnings.size(), 1U);
  BOOST_TEST(core::code_of(same.warnings[0].about) == "program_reviews_itself");
  BOOST_TEST(same.warnings[0].place == "/steps/1/tasks");
  BOOST_TEST(checked(text("other")).warnings.empty());
}

BOOST_AUTO_TEST_CASE(a_lease_that_is_shorter_than_half_of_the_work_takes_is_told_of) {
  core::step_definition step;
  step.lease.ttl = std::chrono::seconds{60};
  step.lease.total_max = std::chrono::seconds{60};
  BOOST_TEST(core::warnings_of_lease(step, 2, std::nullopt).empty());
  BOOST_TEST(core::warnings_of_lease(step, 2, std::chrono::seconds{59}).empty());
  const auto warned = core::warnings_of_lease(step, 2, std::chrono::seconds{60});
  BOOST_REQUIRE_EQUAL(warned.size(), 1U);
  BOOST_TEST(warned[0].place == "/steps/2/lease/ttl_seconds");
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::documents
