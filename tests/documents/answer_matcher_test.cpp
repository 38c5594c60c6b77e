// Test questions are judged by the kind of their answer. A15

#include "documents/answer_matcher.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using holdfast::documents::read_answer_matcher;

namespace {

bool right(const std::string& question, const std::string& answer) {
  const auto matcher = read_answer_matcher(question);
  BOOST_REQUIRE_MESSAGE(matcher, (matcher ? std::string{} : matcher.error().detail));
  return (*matcher)(answer);
}

bool refused(const std::string& question, const std::string& word) {
  const auto matcher = read_answer_matcher(question);
  BOOST_REQUIRE_MESSAGE(!matcher, question);
  return matcher.error().detail.find(word) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(answer_matchers)

BOOST_AUTO_TEST_CASE(exact_answers_are_equal_as_json) {
  const std::string question = R"({"match": "exact", "answer": {"a": [1, "x"]}})";
  BOOST_TEST(right(question, R"({ "a" : [1.0, "\u0078"] })"));
  BOOST_TEST(!right(question, R"({"a": ["x", 1]})"));
  BOOST_TEST(!right(question, "not json"));
  BOOST_TEST(right(R"({"answer": "cat"})", R"("cat")")); // exact is the default
}

BOOST_AUTO_TEST_CASE(sets_are_equal_in_any_order) {
  const std::string question = R"({"match": "set", "answer": ["cat", "dog"]})";
  BOOST_TEST(right(question, R"(["dog", "cat"])"));
  BOOST_TEST(right(question, R"(["dog", "cat", "dog"])"));
  BOOST_TEST(!right(question, R"(["dog"])"));
  BOOST_TEST(!right(question, R"(["dog", "cat", "cow"])"));
  BOOST_TEST(!right(question, R"("dog")"));
  BOOST_TEST(right(R"({"match": "set", "answer": []})", "[]"));
}

BOOST_AUTO_TEST_CASE(numbers_may_be_off_by_the_greater_tolerance) {
  const std::string question =
      R"({"match": "number", "answer": 200, "within": 1, "within_share": 0.01})";
  BOOST_TEST(right(question, "198"));
  BOOST_TEST(right(question, "202.0"));
  BOOST_TEST(!right(question, "202.001"));
  BOOST_TEST(!right(question, R"("two hundred")"));
  // finding Q1: all digits count
  BOOST_TEST(
      !right(R"({"match": "number", "answer": 9400110200881234567890})", "9400110200881234567891"));
  BOOST_TEST(right(R"({"match": "number", "answer": 9400110200881234567890, "within": 1})",
                   "9400110200881234567891"));
  BOOST_TEST(!right(R"({"match": "number", "answer": 9400110200881234567890, "within": 1})",
                    "9400110200881234567892"));
  BOOST_TEST(right(R"({"match": "number", "answer": 1.0, "within": 0.1})", "1.1"));
  BOOST_TEST(right(R"({"match": "number", "answer": -5, "within": 0.5})", "-5.5"));
  BOOST_TEST(!right(R"({"match": "number", "answer": 5})", "5.000001"));
}

BOOST_AUTO_TEST_CASE(patterns_are_found_in_strings) {
  const std::string question = R"({"match": "pattern", "pattern": "^colou?r$"})";
  BOOST_TEST(right(question, R"("color")"));
  BOOST_TEST(right(question, R"("colour")"));
  BOOST_TEST(!right(question, R"("colouur")"));
  BOOST_TEST(!right(question, "7"));
}

// A backtracking matcher would need longer than the universe is old.
BOOST_AUTO_TEST_CASE(patterns_do_bounded_work) {
  const std::string question = R"({"match": "pattern", "pattern": "^(a+)+$"})";
  BOOST_TEST(!right(question, '"' + std::string(2000, 'a') + "!\""));
  BOOST_TEST(!right(question, '"' + std::string(100000, 'a') + '"')); // longer than is looked at
}

BOOST_AUTO_TEST_CASE(boxes_overlap_enough) {
  const std::string question = R"({"match": "box", "answer": [0, 0, 10, 10], "overlap": 0.5})";
  BOOST_TEST(right(question, "[0, 0, 10, 10]"));
  BOOST_TEST(right(question, "[10, 10, 0, 0]")); // drawn from the other corner
  BOOST_TEST(right(question, "[0, 0, 10, 5]"));  // exactly half
  BOOST_TEST(!right(question, "[0, 0, 10, 4.9]"));
  BOOST_TEST(!right(question, "[20, 20, 30, 30]"));
  BOOST_TEST(!right(question, "[0, 0, 0, 10]"));
  BOOST_TEST(!right(question, "[0, 0, 10]"));
  BOOST_TEST(!right(question, R"([0, 0, "10", 10])"));
}

BOOST_AUTO_TEST_CASE(problems_name_the_member) {
  BOOST_TEST(refused("{}", "answer"));
  BOOST_TEST(refused(R"({"match": "near", "answer": 1})", "match"));
  BOOST_TEST(refused(R"({"match": "set", "answer": 1})", "answer"));
  BOOST_TEST(refused(R"({"match": "number", "answer": "1"})", "answer"));
  BOOST_TEST(refused(R"({"match": "number", "answer": 1, "within": -1})", "within"));
  BOOST_TEST(refused(R"({"match": "pattern"})", "pattern"));
  BOOST_TEST(refused(R"({"match": "pattern", "pattern": "("})", "pattern"));
  BOOST_TEST(refused(R"({"match": "box", "answer": [1, 2, 3]})", "answer"));
  BOOST_TEST(refused(R"({"match": "box", "answer": [1, 2, 3, 4], "overlap": 2})", "overlap"));
  BOOST_TEST(refused(R"({"match": "exact", "answer": 1, "within": 1})", "within"));
}

// finding C3: the number and the string count as one answer, so they are judged alike.
BOOST_AUTO_TEST_CASE(spellings_that_count_as_one_answer_are_judged_alike) {
  const std::vector<std::pair<std::string, std::string>> one_answer{
      {"1", R"("1")"},
      {"1.0", "1"},
      {"true", R"("true")"},
      {"null", R"("null")"},
      {"[1, 2.0]", R"("[1,2]")"},
      {R"("cat")", R"("c\u0061t")"},
      {"[5,5,9,9]", R"("[5,5,9,9]")"}};
  const std::vector<std::string> questions{R"({"answer": 1})",
                                           R"({"answer": "1"})",
                                           R"({"answer": true})",
                                           R"({"answer": "true"})",
                                           R"({"answer": null})",
                                           R"({"match": "number", "answer": 1})",
                                           R"({"answer": [1, 2]})",
                                           R"({"match": "set", "answer": [2, 1]})",
                                           R"({"match": "pattern", "pattern": "^[1c]"})",
                                           R"({"match": "box", "answer": [5, 5, 9, 9]})"};
  std::size_t right_ones = 0;
  for (const auto& question : questions)
    for (const auto& [first, second] : one_answer) {
      BOOST_TEST(right(question, first) == right(question, second),
                 question << " " << first << " " << second);
      right_ones += right(question, first) ? 1 : 0;
    }
  BOOST_TEST(right_ones > questions.size());
}

// finding C3
BOOST_AUTO_TEST_CASE(labels_name_the_truth) {
  const auto matcher = read_answer_matcher(R"({"answer": 1.0})", {"1.0", "2.0"});
  BOOST_REQUIRE(matcher);
  BOOST_TEST((*matcher)(R"("1.0")"));
  BOOST_TEST(!(*matcher)(R"("1")"));
}

// What a model may be told to be true of a test question.
BOOST_AUTO_TEST_CASE(only_an_exact_answer_is_the_single_right_one) {
  using holdfast::documents::single_right_answer;
  BOOST_TEST(single_right_answer(R"({"answer":"cat"})").value_or("") == "cat");
  BOOST_TEST(single_right_answer(R"({"match":"exact","answer":2.0})").value_or("") == "2");
  BOOST_TEST(!single_right_answer(R"({"match":"set","answer":["cat"]})"));
  BOOST_TEST(!single_right_answer(R"({"match":"pattern","pattern":"c"})"));
  BOOST_TEST(!single_right_answer("{"));
}

BOOST_AUTO_TEST_SUITE_END()
