#include "app/demo/dataset.hpp"
#include "app/demo/scoring.hpp"
#include "app/demo/scratch_directory.hpp"
#include "documents/csv.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using holdfast::test::contains;

namespace demo = holdfast::app::demo;
namespace documents = holdfast::documents;

namespace {

std::vector<std::vector<std::string>> fields_of(const std::string& text) {
  const auto records = documents::parse_csv(text, "x.csv");
  BOOST_REQUIRE(records);
  std::vector<std::vector<std::string>> fields;
  for (const auto& record : *records)
    fields.push_back(record.fields);
  return fields;
}

using table = std::vector<std::vector<std::string>>;

demo::dataset parsed(const std::string& answers, const std::string& truth) {
  auto set = demo::parse_dataset("set", answers, truth);
  BOOST_REQUIRE_MESSAGE(set, "unexpected: " + (set ? std::string{} : set.error().detail));
  return std::move(*set);
}

std::string problem_of(const std::string& answers, const std::string& truth) {
  const auto set = demo::parse_dataset("set", answers, truth);
  BOOST_REQUIRE(!set);
  BOOST_TEST((set.error().code == holdfast::core::errc::invalid_argument));
  return set.error().detail;
}

} // namespace

BOOST_AUTO_TEST_SUITE(csv)

BOOST_AUTO_TEST_CASE(fields_are_separated_by_commas_and_records_by_either_line_end) {
  BOOST_TEST((fields_of("a,b\n1,2\r\n3,\n") == table{{"a", "b"}, {"1", "2"}, {"3", ""}}));
}

BOOST_AUTO_TEST_CASE(last_line_may_lack_its_end) {
  BOOST_TEST((fields_of("a\n1") == table{{"a"}, {"1"}}));
}

BOOST_AUTO_TEST_CASE(byte_order_mark_and_empty_lines_are_skipped) {
  BOOST_TEST((fields_of("\xef\xbb\xbf"
                        "a\r\n\r\n1\r\n\r\n")
              == table{{"a"}, {"1"}}));
}

BOOST_AUTO_TEST_CASE(quoted_fields_keep_commas_line_ends_and_doubled_quotes) {
  BOOST_TEST((fields_of("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\nx,,\n")
              == table{{"a,b", "say \"hi\"", "two\nlines"}, {"x", "", ""}}));
}

BOOST_AUTO_TEST_CASE(quotes_inside_a_plain_field_stand_for_themselves) {
  BOOST_TEST((fields_of("5\" pipe,x\n") == table{{"5\" pipe", "x"}}));
}

BOOST_AUTO_TEST_CASE(unclosed_quote_names_the_line_it_began_on) {
  const auto records = documents::parse_csv("a\nb\n\"c\nd\n", "x.csv");
  BOOST_REQUIRE(!records);
  BOOST_TEST(contains(records.error().detail, "x.csv:3:"));
}

BOOST_AUTO_TEST_CASE(text_after_a_closing_quote_is_refused) {
  const auto records = documents::parse_csv("a,b\n\"1\"x,2\n", "x.csv");
  BOOST_REQUIRE(!records);
  BOOST_TEST(contains(records.error().detail, "x.csv:2:"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(dataset)

BOOST_AUTO_TEST_CASE(units_and_contributors_come_in_order_of_the_file) {
  const auto set = parsed("worker,task,label,seconds\n"
                          "w1,t2,yes,3\n"
                          "w2,t1,no,4.5\n"
                          "w1,t1,yes,1\n",
                          "task,label\nt1,yes\n");
  BOOST_REQUIRE(set.units.size() == 2);
  BOOST_TEST(set.units[0].task == "t2");
  BOOST_TEST(set.units[0].answers == 1);
  BOOST_TEST(!set.units[0].truth);
  BOOST_TEST(set.units[1].answers == 2);
  BOOST_TEST(set.units[1].truth.value_or("") == "yes");
  BOOST_REQUIRE(set.contributors.size() == 2);
  BOOST_TEST(set.contributors[0].name == "w1");
  BOOST_REQUIRE(set.contributors[0].answers.size() == 2);
  BOOST_TEST(set.contributors[0].answers[1].unit == 1);
  BOOST_TEST(set.contributors[1].answers[0].seconds == 4.5);
  BOOST_TEST((set.labels == std::vector<std::string>{"no", "yes"}));
  BOOST_TEST(set.answers() == 3);
}

BOOST_AUTO_TEST_CASE(first_answer_of_a_contributor_counts) {
  const auto set = parsed("worker,task,label\nw1,t1,a\nw1,t1,b\nw1,t1,a\n", "");
  BOOST_TEST(set.units[0].answers == 1);
  BOOST_TEST(set.contributors[0].answers.front().label == "a");
  BOOST_TEST(set.repeated == 2);
  BOOST_TEST((set.labels == std::vector<std::string>{"a"}));
}

BOOST_AUTO_TEST_CASE(columns_may_come_in_any_order_with_others_between_them) {
  const auto set = parsed("label,note,task,worker\nx,?,t1,w1\n", "");
  BOOST_TEST(set.units[0].task == "t1");
  BOOST_TEST(set.contributors[0].name == "w1");
  BOOST_TEST(set.contributors[0].answers[0].label == "x");
}

BOOST_AUTO_TEST_CASE(missing_seconds_are_the_median_of_the_others) {
  const auto set = parsed("worker,task,label,seconds\n"
                          "w1,t1,a,2\nw1,t2,a,\nw1,t3,a,10\nw1,t4,a,4\n",
                          "");
  BOOST_TEST(set.contributors[0].answers[1].seconds == 4);
}

BOOST_AUTO_TEST_CASE(set_without_seconds_gets_some_for_all) {
  const auto set = parsed("worker,task,label\nw1,t1,a\nw2,t1,a\n", "");
  BOOST_TEST(set.contributors[0].answers[0].seconds > 0);
  BOOST_TEST(set.contributors[0].answers[0].seconds == set.contributors[1].answers[0].seconds);
}

BOOST_AUTO_TEST_CASE(truth_of_tasks_that_nobody_answered_is_left_out) {
  const auto set = parsed("worker,task,label\nw1,t1,a\n", "task,label\nt9,a\nt1,b\n");
  BOOST_TEST(set.units.size() == 1U);
  BOOST_TEST(set.units[0].truth.value_or("") == "b");
}

BOOST_AUTO_TEST_CASE(problems_name_file_and_line) {
  const std::string header = "worker,task,label,seconds\n";
  BOOST_TEST(
      contains(problem_of("worker,label\nw,l\n", ""), "answers.csv:1: there is no column `task`"));
  BOOST_TEST(contains(problem_of("", ""), "answers.csv:1:"));
  BOOST_TEST(contains(problem_of(header, ""), "no answer"));
  BOOST_TEST(contains(problem_of(header + "w,t,l,1\nw,t,l\n", ""), "answers.csv:3: the row has 3"));
  BOOST_TEST(contains(problem_of(header + "w,t,l,soon\n", ""), "answers.csv:2: seconds"));
  BOOST_TEST(contains(problem_of(header + "w,t,l,-1\n", ""), "answers.csv:2: seconds"));
  BOOST_TEST(contains(problem_of(header + "w,t,l,nan\n", ""), "answers.csv:2: seconds"));
  BOOST_TEST(contains(problem_of(header + ",t,l,1\n", ""), "answers.csv:2:"));
  BOOST_TEST(contains(problem_of(header + "w,\xff,l,1\n", ""), "answers.csv:2:"));
  BOOST_TEST(
      contains(problem_of(header + "w," + std::string(600, 't') + ",l,1\n", ""), "answers.csv:2:"));
  BOOST_TEST(contains(problem_of(header + "w,t,l,1\n", "task,label\nt,a\nt,b\n"), "truth.csv:3:"));
  BOOST_TEST(contains(problem_of("worker,task,label,task\n", ""), "appears twice"));
}

BOOST_AUTO_TEST_CASE(directory_without_answers_is_explained) {
  const auto set = demo::read_dataset("/nonexistent/set");
  BOOST_REQUIRE(!set);
  BOOST_TEST(contains(set.error().detail, "/nonexistent/set/answers.csv"));
}

BOOST_AUTO_TEST_CASE(form_of_a_set_is_read_and_a_mistake_in_it_named) {
  // given: a set whose form changes
  auto scratch = demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  const auto place = scratch->path() / "small";
  std::filesystem::create_directory(place);
  std::ofstream{place / "answers.csv"} << "worker,task,label\nw,t,l\n";
  const auto with_form = [&](const std::string& form) {
    std::ofstream{place / "form.json"} << form;
    return demo::read_dataset(place);
  };

  // when, then: it says what people see
  const auto whole = with_form(R"({"title": "Is it so?", "ui": {"instructions": "Look."}})");
  BOOST_REQUIRE(whole);
  BOOST_TEST(whole->title == "Is it so?");
  BOOST_TEST(whole->ui == R"({"instructions":"Look."})");
  const auto longest = with_form(R"({"ui": {"instructions": ")" + std::string(1005, 'x') + "\"}}");
  BOOST_REQUIRE(longest);
  BOOST_TEST(longest->ui.size() == 1024U);
  BOOST_TEST(longest->title == "");

  // and: mistakes are told with the file
  const auto mistake = [&](const std::string& form) {
    const auto set = with_form(form);
    BOOST_REQUIRE(!set);
    BOOST_TEST((set.error().code == holdfast::core::errc::invalid_argument));
    return set.error().detail;
  };
  BOOST_TEST(contains(mistake("{"), "small/form.json: "));
  BOOST_TEST(contains(mistake("[]"), "must be a JSON object"));
  BOOST_TEST(contains(mistake(R"({"Title": "x"})"), "found `Title`"));
  BOOST_TEST(contains(mistake(R"({"ui": "{}"})"), "found `ui`"));
  BOOST_TEST(contains(mistake(R"({"ui": {"instructions": ")" + std::string(1006, 'x') + "\"}}"),
                      "ui has 1025 bytes, and may have 1024"));
}

BOOST_AUTO_TEST_CASE(sets_of_the_project_are_read_whole) {
  const auto tweets = demo::read_dataset(holdfast::test::source_dir() + "/data/cf_amt");
  BOOST_REQUIRE(tweets);
  BOOST_TEST(tweets->name == "cf_amt");
  BOOST_TEST(tweets->units.size() == 300U);
  BOOST_TEST(tweets->contributors.size() == 110U);
  BOOST_TEST(tweets->answers() + tweets->repeated == 6030U);
  const auto links = demo::read_dataset(holdfast::test::source_dir() + "/data/zencrowd_us/");
  BOOST_REQUIRE(links);
  BOOST_TEST(links->name == "zencrowd_us");
  BOOST_TEST(links->units.size() == 2040U);
  BOOST_TEST(links->answers() + links->repeated == 12190U);
  BOOST_TEST(links->title == "Is the page about the name?");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(scoring)

BOOST_AUTO_TEST_CASE(majority_that_is_right_gets_full_credit_and_a_tie_its_share) {
  const auto set = parsed("worker,task,label\n"
                          "w1,right,a\nw2,right,a\nw3,right,b\n"
                          "w1,tied,a\nw2,tied,b\n"
                          "w1,wrong,b\n"
                          "w1,unknown,a\n",
                          "task,label\nright,a\ntied,b\nwrong,a\n");
  const auto result = demo::score(set, demo::recorded_votes(set));
  BOOST_TEST(result.known == 3U);
  BOOST_TEST(result.credit == 1.5);
  BOOST_TEST(*result.value() == 0.5);
}

BOOST_AUTO_TEST_CASE(unit_without_votes_is_not_right) {
  const auto set = parsed("worker,task,label\nw1,t,a\n", "task,label\nt,a\n");
  BOOST_TEST(demo::score(set, {demo::votes{}}).credit == 0);
}

BOOST_AUTO_TEST_CASE(accuracy_without_truth_is_unknown) {
  const auto set = parsed("worker,task,label\nw1,t,a\n", "task,label\n");
  BOOST_TEST(!demo::score(set, demo::recorded_votes(set)).value());
}

BOOST_AUTO_TEST_SUITE_END()
