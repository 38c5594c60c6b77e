#include "app/demo/workload.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace demo = holdfast::app::demo;
using nlohmann::json;
using namespace std::chrono_literals;

namespace {

demo::dataset small_set_with(const std::string& task) {
  demo::dataset set;
  set.name = "small";
  set.units.push_back({task, 2, std::nullopt});
  set.contributors.push_back({"ana", {{0, "cat", 1}}});
  set.contributors.push_back({"ben", {{0, "dog", 1}}});
  set.labels = {"cat", "dog"};
  return set;
}

json input_shown_for(const std::string& task) {
  const auto requests = demo::source_data_of(small_set_with(task));
  return json::parse(requests.at(0).at(0).input);
}

json labelling_step_of(const demo::dataset& set) {
  return json::parse(demo::workflow_of(set, demo::lease_for_people())).at("steps").at(0);
}

} // namespace

BOOST_AUTO_TEST_SUITE(workload)

BOOST_AUTO_TEST_CASE(name_and_page_of_a_task_are_shown_apart) {
  BOOST_TEST(input_shown_for("Sony-http://example.org/a-b")
             == json({{"task", "Sony-http://example.org/a-b"},
                      {"name", "Sony"},
                      {"page", "http://example.org/a-b"}}));
  BOOST_TEST(input_shown_for("Skype-style-https://example.org").at("name") == "Skype-style");
  BOOST_TEST(input_shown_for("AOL-AOL_undisclosedLink0").at("page") == "AOL_undisclosedLink0");
  // Neither a page nor the name again.
  for (const std::string task : {"81991168", "half-done", "AOL-AOLundisclosed", "-http:", "-", ""})
    BOOST_TEST(input_shown_for(task) == json({{"task", task}}));
  BOOST_TEST(demo::task_of_input(input_shown_for("a-http://b").dump()) == "a-http://b");
}

BOOST_AUTO_TEST_CASE(form_is_that_of_the_set_or_its_labels) {
  // given: a set without a form
  auto set = small_set_with("t");
  auto step = labelling_step_of(set);
  BOOST_TEST(step.at("title") == "Label each item");
  const auto plain = json::parse(step.at("ui").get<std::string>());
  BOOST_TEST(plain.at("schema").at("properties").at("answer").at("enum") == json({"cat", "dog"}));

  // when: its labels are too many for a form
  set.labels.assign(200, "a label");
  // then: the answer is typed
  const auto typed = json::parse(labelling_step_of(set).at("ui").get<std::string>());
  BOOST_TEST(typed.at("schema").at("properties").at("answer") == json({{"type", "string"}}));

  // when: it brings a form
  set.title = "Cat or dog?";
  set.ui = R"({"instructions":"Look."})";
  // then: that is taken
  step = labelling_step_of(set);
  BOOST_TEST(step.at("title") == "Cat or dog?");
  BOOST_TEST(step.at("ui") == R"({"instructions":"Look."})");
}

BOOST_AUTO_TEST_CASE(people_who_remember_all_forget_nothing_and_keep_their_other_habits) {
  using demo::habit;
  std::vector<std::unordered_map<std::string, demo::planned_answer>> plans{
      {{"a", {"cat", 1s, habit::lets_expire}}, {"b", {"cat", 1s, habit::submits_late}}},
      {{"c", {"dog", 1s, habit::submits_twice}}, {"d", {"dog", 1s, habit::sends_nonsense}}}};
  demo::remember_all(plans);
  BOOST_TEST((plans[0].at("a").how == habit::plain));
  BOOST_TEST((plans[0].at("b").how == habit::plain));
  BOOST_TEST((plans[1].at("c").how == habit::submits_twice));
  BOOST_TEST((plans[1].at("d").how == habit::sends_nonsense));
}

BOOST_AUTO_TEST_SUITE_END()
