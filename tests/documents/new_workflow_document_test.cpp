// A stored definition names the method that holds, also where the requester leaves it to us. A30

#include "documents/new_workflow_document.hpp"

#include "documents/workflow_document.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using core::aggregation_method;

namespace {

documents::new_workflow_document read(const std::string& text,
                                      const core::versioned_workflow& earlier = {}) {
  auto document = documents::parse_new_workflow(text, documents::json_limits{}, earlier);
  if (!document)
    BOOST_FAIL(document.error().detail);
  return std::move(*document);
}

std::string one_step(const std::string& members) {
  return R"({"name":"w","steps":[{"key":"a",)" + members + "}]}";
}

core::versioned_workflow stored(const std::string& text) {
  core::versioned_workflow workflow;
  workflow.add(std::move(*documents::parse_workflow(text, documents::json_limits{})));
  return workflow;
}

const std::string tested = R"("test_questions":{},"aggregation":{"labels":["x","y"]})";

} // namespace

BOOST_AUTO_TEST_SUITE(new_workflow_documents)

BOOST_AUTO_TEST_CASE(a_step_with_test_questions_and_labels_goes_by_gold_selected) {
  const auto document = read(one_step(tested));
  BOOST_TEST(
      (document.definition.steps[0].aggregation.method == aggregation_method::gold_selected));
  BOOST_TEST(document.text
             == one_step(R"("test_questions":{},)"
                         R"("aggregation":{"method":"gold_selected","labels":["x","y"]})"));
  // What is stored means the same when it is read again, and sent again.
  BOOST_TEST(
      (stored(document.text).step(0).aggregation.method == aggregation_method::gold_selected));
  BOOST_TEST(read(document.text).text == document.text);
}

BOOST_AUTO_TEST_CASE(every_other_step_goes_by_what_it_names_or_by_the_majority) {
  for (const auto* members : {
           R"("title":"x")",
           R"("test_questions":{})",
           R"("test_questions":{},"aggregation":{"answer":"/label"})",
           R"("aggregation":{"labels":["x","y"]})",
           R"("test_questions":{},"aggregation":{"labels":["x","y"],"method":"majority"})",
           R"("test_questions":{},"aggregation":{"labels":["x","y"]},)"
           R"("stopping":{"judgments_per_unit":5,"curtail":true})",
       }) {
    const auto text = one_step(members);
    const auto document = read(text);
    BOOST_TEST(document.text == text);
    BOOST_TEST((document.definition.steps[0].aggregation.method == aggregation_method::majority),
               text);
  }
  BOOST_TEST((read(one_step(R"("test_questions":{},)"
                            R"("aggregation":{"labels":["x","y"],"method":"weighted"})"))
                  .definition.steps[0]
                  .aggregation.method
              == aggregation_method::weighted));
}

// A rule that goes by how likely an answer is has no vote that it leaves out.
BOOST_AUTO_TEST_CASE(a_flexible_stopping_rule_leaves_the_default_as_it_is) {
  const auto flexible = one_step(tested + R"(,"stopping":{"min":2,"max":5,"stop_at":0.9})");
  BOOST_TEST(
      (read(flexible).definition.steps[0].aggregation.method == aggregation_method::gold_selected));
}

BOOST_AUTO_TEST_CASE(each_step_has_its_own_default_and_the_text_stays_as_it_was_sent) {
  const std::string before = R"({ "steps": [ {"title":"{[\"steps\"]}", "key":"a",
    "aggregation" : )";
  const std::string between = R"( "answer":"/a", "labels":["x","y"]}, "test_questions":{},
    "judgment_schema": {"maximum": 1.50, "title": "\u00e9", "type": "object"}, "next":["b","c"]},
    {"key":"b"},  {"test_questions":{}, "aggregation":)";
  const std::string after = R"("labels":[1,2]}, "key":"c"}], "name":"w"})";
  const auto document = read(before + '{' + between + '{' + after);
  const std::string named = R"({"method":"gold_selected",)";
  BOOST_TEST(document.text == before + named + between + named + after);
}

BOOST_AUTO_TEST_CASE(mistakes_are_refused_as_ever) {
  const auto refused = documents::parse_new_workflow(
      one_step(R"("test_questions":{},"aggregation":{"labels":["x"]})"), documents::json_limits{});
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().detail
             == "/steps/0/aggregation/labels: must list from 2 to 256 answers, or be left out");
}

// A88: a workflow that was stored before, or that chose the majority, goes on with it; its new
// steps are as in any other definition.
BOOST_AUTO_TEST_CASE(a_step_that_is_there_keeps_the_majority) {
  const auto earlier = stored(one_step(tested));
  BOOST_TEST((earlier.step(0).aggregation.method == aggregation_method::majority));
  BOOST_TEST(read(one_step(tested), earlier).text == one_step(tested));
  const auto two = R"({"name":"w","steps":[{"key":"a","next":["b"],)" + tested + R"(},{"key":"b",)"
                   + tested + "}]}";
  const auto next = read(two, earlier);
  BOOST_TEST((next.definition.steps[0].aggregation.method == aggregation_method::majority));
  BOOST_TEST((next.definition.steps[1].aggregation.method == aggregation_method::gold_selected));
  BOOST_TEST(core::problems_of_change(earlier, next.definition).empty());
  // As often as it is sent.
  auto later = earlier;
  later.add(next.definition);
  BOOST_TEST(read(two, later).text == next.text);
}

// finding C2: a judgment with the number 1 would be either.
BOOST_AUTO_TEST_CASE(labels_that_spell_one_number_are_refused) {
  const auto with_labels = [](const std::string& labels) {
    return one_step(R"("aggregation":{"labels":)" + labels + '}');
  };
  const auto refusal = [&](const std::string& labels) {
    const auto refused =
        documents::parse_new_workflow(with_labels(labels), documents::json_limits{});
    BOOST_REQUIRE_MESSAGE(!refused, labels);
    BOOST_TEST((refused.error().code == core::errc::payload_invalid));
    return refused.error().detail;
  };
  const auto of_one_number = [](const std::string& one, const std::string& other) {
    return "/steps/0/aggregation/labels: must not list '" + one + "' and '" + other
           + "', which are one number: nobody could say which of them a judgment with that number "
             "means";
  };
  BOOST_TEST(refusal(R"(["1.0","2","1.00"])") == of_one_number("1.0", "1.00"));
  BOOST_TEST(refusal(R"(["1.0",1])") == of_one_number("1", "1.0"));
  BOOST_TEST(refusal(R"(["1e2","many",100])") == of_one_number("100", "1e2"));
  BOOST_TEST(refusal(R"(["-0","0","x"])") == of_one_number("-0", "0"));
  BOOST_TEST(refusal(R"(["9400110200881234567890","9400110200881234567890.0"])")
             == of_one_number("9400110200881234567890", "9400110200881234567890.0"));
  for (const auto* labels : {R"([1,"1"])", R"([1,1.0,2])", R"(["1","1"])"})
    BOOST_TEST(refusal(labels)
               == "/steps/0/aggregation/labels: must not list the answer '1' twice");
  // A text that JSON has no number for, and numbers that are apart by their last digit.
  for (const auto* labels : {R"(["01","1"])", R"(["1.","1"])", R"(["v1.0","v1.00"])",
                             R"(["1 ","1"])", R"([9400110200881234567890,9400110200881234567891])"})
    BOOST_TEST(read(with_labels(labels)).text == with_labels(labels));
}

// finding C2: a definition that an earlier version has taken is read, and its workflow can change.
BOOST_AUTO_TEST_CASE(a_step_that_is_there_keeps_labels_that_spell_one_number) {
  const std::string alike = R"("aggregation":{"labels":["1.0","1.00"]})";
  const auto earlier = stored(one_step(alike));
  const auto changed = one_step(R"("title":"x",)" + alike);
  BOOST_TEST(read(changed, earlier).text == changed);
  const auto another =
      documents::parse_new_workflow(R"({"name":"w","steps":[{"key":"a","next":["b"],)" + alike
                                        + R"(},{"key":"b",)" + alike + "}]}",
                                    documents::json_limits{}, earlier);
  BOOST_REQUIRE(!another);
  BOOST_TEST(another.error().detail.rfind("/steps/1/aggregation/labels: must not list '1.0' and", 0)
             == 0U);
}

// finding C2: 1.0 is the answer `1.0` in a judgment, so it is in a route.
BOOST_AUTO_TEST_CASE(a_number_in_a_route_is_the_label_that_spells_it) {
  const auto document =
      read(R"({"name":"w","steps":[{"key":"a","aggregation":{"labels":["1.0","2"]},"routes":[)"
           R"({"when":{"answer":1},"to":["b"]},{"when":{"answer_not":[1.0,2]},"to":["b"]}]},)"
           R"({"key":"b"}]})");
  const auto& routes = document.definition.steps[0].routes;
  BOOST_TEST((routes.at(0).when.answers == std::vector<std::string>{"1.0"}));
  BOOST_TEST((routes.at(1).when.other_answers == std::vector<std::string>{"1.0", "2"}));
}

BOOST_AUTO_TEST_SUITE_END()
