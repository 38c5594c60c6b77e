// finding C10: what may surprise the author of a workflow that is allowed.

#include "core/workflow_warnings.hpp"

#include "documents/workflow_document.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace holdfast;

namespace {

/// The places, one by one, of the warnings of a workflow of these steps.
std::string warned_at(const std::string& steps) {
  const auto text = R"({"name":"w","steps":[)" + steps + "]}";
  const auto definition = documents::parse_workflow(text, documents::json_limits{});
  if (!definition)
    BOOST_FAIL(definition.error().detail);
  std::string places;
  for (const auto& warning : core::warnings_of(*definition))
    places += (places.empty() ? "" : " ") + warning.place;
  return places;
}

/// A label that is reviewed as `review` goes on to say.
std::string reviewed(const std::string& review) {
  return R"({"key":"label","next":["review"]},
            {"key":"review","aggregation":{"method":"review"},)"
         + review + R"(},{"key":"publish"})";
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_warnings)

BOOST_AUTO_TEST_CASE(a_workflow_whose_rejected_items_have_a_place_is_nothing_to_warn_of) {
  BOOST_TEST(warned_at(R"({"key":"label"})") == "");
  BOOST_TEST(warned_at(reviewed(R"("routes":[
      {"when":{"answer":"reject"},"to":["label"]},
      {"when":{"answer":"reject"},"to":[]},
      {"to":["publish"]}])"))
             == "");
  BOOST_TEST(warned_at(reviewed(R"("routes":[
      {"when":{"answer_not":["approve","correct"]},"to":[]},
      {"when":{"answer_not":"reject"},"to":["publish"]}])"))
             == "");
}

BOOST_AUTO_TEST_CASE(items_that_end_without_a_result_are_foreseen) {
  // Sent back too often.
  BOOST_TEST(warned_at(reviewed(R"("routes":[
      {"when":{"answer":"reject"},"to":["label"]},
      {"when":{"answer":["approve","correct"]},"to":["publish"]}])"))
             == "/steps/1");
  // Sent back only where many reject.
  BOOST_TEST(warned_at(reviewed(R"("routes":[
      {"when":{"answer":"reject","agreement_below":1},"to":[]},
      {"when":{"answer":["approve","correct"]},"to":["publish"]}])"))
             == "/steps/1");
  BOOST_TEST(warned_at(R"({"key":"label","next":["review"]},
                          {"key":"review","aggregation":{"method":"review"}})")
             == "/steps/1");
}

BOOST_AUTO_TEST_CASE(rejected_results_that_go_on_as_they_were_are_told_of) {
  BOOST_TEST(warned_at(reviewed(R"("next":["publish"])")) == "/steps/1/next");
  BOOST_TEST(warned_at(reviewed(R"("routes":[
      {"when":{"answer":"reject"},"to":["label"]},{"to":["publish"]}])"))
             == "/steps/1/routes/1");
}

BOOST_AUTO_TEST_CASE(reviewers_that_may_tie_or_know_the_work_are_told_of) {
  BOOST_TEST(warned_at(reviewed(R"("judgments_per_unit":2,"routes":[
      {"when":{"answer":"reject"},"to":[]},
      {"to":["publish"]}])"))
             == "/steps/1/judgments_per_unit");
  BOOST_TEST(warned_at(R"({"key":"label","routes":[{"to":["review"],"exclude_judges":false}]},
                          {"key":"review","aggregation":{"method":"review"},
                           "routes":[{"when":{"answer":"reject"},"to":[]},{"to":[]}]})")
             == "/steps/0/routes/0/exclude_judges");
}

BOOST_AUTO_TEST_CASE(bounds_on_contributors_that_ask_for_a_crowd_or_end_in_the_quiz_are_warned_of) {
  const auto capped = [](const std::string& cap, const std::string& more = {}) {
    return R"({"key":"a","judgments_per_unit":4,"units_per_contributor":)" + cap + more + "}";
  };
  BOOST_TEST(warned_at(capped(R"({"count":5,"share":0.25})")) == "");
  BOOST_TEST(warned_at(capped(R"({"share":0.24})")) == "/steps/0/units_per_contributor/share");
  const std::string quiz = R"(,"test_questions":{"quiz":3})";
  BOOST_TEST(warned_at(capped(R"({"count":4})", quiz)) == "");
  BOOST_TEST(warned_at(capped(R"({"count":3})", quiz)) == "/steps/0/units_per_contributor/count");
}

BOOST_AUTO_TEST_SUITE_END()
