#include "documents/workflow_difference.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using holdfast::documents::definition_differences_max;
using holdfast::documents::differences_between;

namespace {

const std::string two_steps = R"({"name": "w", "steps": [
  {"key": "label", "judgments_per_unit": 3, "next": ["check"], "lease": {"ttl_seconds": 60}},
  {"key": "check"}]})";

/// `two_steps` after a merge patch for its first step (RFC 7396).
std::string with_label(const std::string& patch) {
  auto definition = nlohmann::json::parse(two_steps);
  definition["steps"][0].merge_patch(nlohmann::json::parse(patch));
  return definition.dump();
}

/// A line for each difference.
std::string told(const std::string& before, const std::string& after) {
  std::string lines;
  for (const auto& one : differences_between(before, after))
    lines += one.place + ": " + one.before + " -> " + one.after + '\n';
  return lines;
}

} // namespace

BOOST_AUTO_TEST_SUITE(workflow_differences)

BOOST_AUTO_TEST_CASE(nothing_differs_from_itself_however_it_is_written) {
  BOOST_TEST(told(two_steps, two_steps).empty());
  BOOST_TEST(told(two_steps, nlohmann::json::parse(two_steps).dump(4)).empty());
  BOOST_TEST(told(two_steps, with_label(R"({"judgments_per_unit": 3.0})")).empty());
}

BOOST_AUTO_TEST_CASE(changed_value_has_the_key_of_its_step_in_its_place) {
  BOOST_TEST(told(two_steps, with_label(R"({"judgments_per_unit": 5})"))
             == "/steps/label/judgments_per_unit: 3 -> 5\n");
  BOOST_TEST(told(two_steps, with_label(R"({"lease": {"ttl_seconds": 90}})"))
             == "/steps/label/lease/ttl_seconds: 60 -> 90\n");
}

BOOST_AUTO_TEST_CASE(member_that_came_or_went_is_one_difference) {
  const auto with_more = with_label(R"({"stopping": {"min": 2, "max": 5}, "lease": null})");
  BOOST_TEST(told(two_steps, with_more)
             == "/steps/label/lease: {\"ttl_seconds\":60} -> \n"
                "/steps/label/stopping:  -> {\"max\":5,\"min\":2}\n");
}

BOOST_AUTO_TEST_CASE(null_is_something_and_not_nothing) {
  const std::string without = R"({"name": "w", "steps": [{"key": "a"}]})";
  const std::string with_null = R"({"name": "w", "steps": [{"key": "a", "tasks": null}]})";
  BOOST_TEST(told(without, with_null) == "/steps/a/tasks:  -> null\n");
  BOOST_TEST(told(with_null, without) == "/steps/a/tasks: null -> \n");
}

BOOST_AUTO_TEST_CASE(list_is_compared_as_a_whole) {
  BOOST_TEST(told(two_steps, with_label(R"({"next": ["check", "publish"]})"))
             == "/steps/label/next: [\"check\"] -> [\"check\",\"publish\"]\n");
}

BOOST_AUTO_TEST_CASE(value_of_another_kind_is_one_difference) {
  BOOST_TEST(told(two_steps, with_label(R"({"lease": 7})"))
             == "/steps/label/lease: {\"ttl_seconds\":60} -> 7\n");
}

BOOST_AUTO_TEST_CASE(step_that_came_or_went_is_one_difference_and_no_other_order) {
  const std::string label_first = R"({"name": "w", "steps": [{"key": "label"}, {"key": "check"}]})";
  const std::string between =
      R"({"name": "w", "steps": [{"key": "label"}, {"key": "review"}, {"key": "check"}]})";
  BOOST_TEST(told(label_first, between) == "/steps/review:  -> {\"key\":\"review\"}\n");
  BOOST_TEST(told(between, label_first) == "/steps/review: {\"key\":\"review\"} -> \n");
}

BOOST_AUTO_TEST_CASE(other_order_of_steps_that_stayed_is_one_difference) {
  const std::string one = R"({"name": "w", "steps": [{"key": "a"}, {"key": "b"}, {"key": "c"}]})";
  const std::string other = R"({"name": "w", "steps": [{"key": "a"}, {"key": "c"}, {"key": "b"}]})";
  BOOST_TEST(told(one, other) == "/steps: [\"a\",\"b\",\"c\"] -> [\"a\",\"c\",\"b\"]\n");
}

BOOST_AUTO_TEST_CASE(differences_are_in_order_of_place) {
  const std::string before =
      R"({"name": "w", "steps": [{"key": "b", "next": ["a"]}, {"key": "a"}]})";
  const std::string after = R"({"name": "v", "steps": [{"key": "c"}, {"key": "b"}], "extra": 1})";
  const auto found = differences_between(before, after);
  BOOST_TEST(std::is_sorted(found.begin(), found.end(), [](const auto& one, const auto& other) {
    return one.place < other.place;
  }));
  std::vector<std::string> places;
  for (const auto& one : found)
    places.push_back(one.place);
  const std::vector<std::string> expected{"/extra", "/name", "/steps/a", "/steps/b/next",
                                          "/steps/c"};
  BOOST_TEST(places == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(names_are_escaped_as_in_json_pointers) {
  BOOST_TEST(told(two_steps, with_label(R"({"judgment_schema": {"a/b~c": 1}})"))
             == "/steps/label/judgment_schema:  -> {\"a/b~c\":1}\n");
  BOOST_TEST(told(with_label(R"({"judgment_schema": {"a/b~c": 1}})"),
                  with_label(R"({"judgment_schema": {"a/b~c": 2}})"))
             == "/steps/label/judgment_schema/a~1b~0c: 1 -> 2\n");
}

BOOST_AUTO_TEST_CASE(differences_are_bounded_and_those_told_are_the_first) {
  const auto definition_with = [](std::size_t members) {
    auto definition = nlohmann::json::parse(two_steps);
    auto& schema = definition["steps"][0]["judgment_schema"] = nlohmann::json::object();
    for (std::size_t i = 0; i < members; ++i)
      schema["m" + std::to_string(10'000 + i)] = i;
    return definition.dump();
  };
  const auto most = definition_differences_max;
  const auto none = definition_with(0);
  BOOST_TEST(differences_between(none, definition_with(most)).size() == most);
  const auto found = differences_between(none, definition_with(most + 1));
  BOOST_TEST(found.size() == most);
  BOOST_TEST(found.front().place == "/steps/label/judgment_schema/m10000");
  BOOST_TEST(found.back().place == "/steps/label/judgment_schema/m10999");
}

BOOST_AUTO_TEST_SUITE_END()
