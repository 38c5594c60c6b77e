#include "documents/labelled_set.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace holdfast;
using core::quality::repeats;
using core::quality::unknown_label;

namespace {

core::outcome<documents::labelled_set> read(const std::string& answers, const std::string& truth) {
  return documents::parse_labelled_set("set", answers, truth, repeats::first_counts);
}

std::string problem_of(const std::string& answers, const std::string& truth) {
  const auto set = read(answers, truth);
  BOOST_REQUIRE(!set);
  BOOST_TEST((set.error().code == core::errc::invalid_argument));
  return set.error().detail;
}

const std::string header = "worker,task,label\n";

} // namespace

BOOST_AUTO_TEST_SUITE(labelled_sets)

BOOST_AUTO_TEST_CASE(answers_and_truth_are_numbered_alike) {
  const auto set = read("seconds,label,task,worker\n3,yes,t2,w1\n4,no,t1,w1\n5,no,t2,w2\n",
                        "task,label\nt9,yes\nt2,no\nt1,perhaps\n");
  BOOST_REQUIRE(set);
  BOOST_TEST((set->named.units == std::vector<std::string>{"t1", "t2"}));
  BOOST_TEST((set->named.contributors == std::vector<std::string>{"w1", "w2"}));
  BOOST_TEST((set->named.labels == std::vector<std::string>{"no", "yes"}));
  BOOST_TEST(set->named.given.of(1).size() == 2U);
  // t9 has no answers, and nobody ever said `perhaps`.
  BOOST_TEST((set->truth == core::quality::known_labels{unknown_label, 0}));
}

// finding C5
BOOST_AUTO_TEST_CASE(truths_that_nobody_gave_are_counted_and_left_out) {
  const auto set = read(header + "w,t0,YES\nw,t1,NO\nw,t2,NO\n",
                        "task,label\nt0,Yes\nt1,NO\nt2,No\nelsewhere,No\n");
  BOOST_REQUIRE(set);
  BOOST_TEST(set->truths_nobody_gave == 2U);
  BOOST_TEST(set->first_nobody_gave.task == "t0");
  BOOST_TEST(set->first_nobody_gave.label == "Yes");
  const core::quality::known_labels known{unknown_label, 0, unknown_label};
  BOOST_TEST((set->truth == known));
  BOOST_TEST((set->held_back == known));
  BOOST_TEST((set->test_questions == core::quality::known_labels(3, unknown_label)));
}

BOOST_AUTO_TEST_CASE(every_tenth_row_of_the_truth_may_be_a_test_question) {
  auto answers = header;
  std::string truth = "task,label\nnobody,a\n"; // row 0: taken, but without answers
  for (int i = 10; i < 32; ++i) {
    answers += "w,t" + std::to_string(i) + ",a\n";
    truth += "t" + std::to_string(i) + ",a\n";
  }
  const auto set = read(answers, truth);
  BOOST_REQUIRE(set);
  for (std::size_t unit = 0; unit < 22; ++unit) {
    const auto is_test = unit == 9 || unit == 19; // rows 10 and 20
    BOOST_TEST((set->test_questions[unit] != unknown_label) == is_test);
    BOOST_TEST((set->held_back[unit] != unknown_label) == !is_test);
    BOOST_TEST((set->truth[unit] != unknown_label));
  }
}

BOOST_AUTO_TEST_CASE(truth_may_be_missing) {
  const auto set = read(header + "w,t,a\n", "");
  BOOST_REQUIRE(set);
  BOOST_TEST((set->truth == core::quality::known_labels{unknown_label}));
}

BOOST_AUTO_TEST_CASE(trust_is_read_for_everybody_who_has_answers) {
  const auto read_for = [](const std::string& csv) {
    return documents::parse_trust("trust.csv", csv, {"v", "w"});
  };
  const auto trust = read_for("trust,worker\n1,w\n0.25,v\n0,nobody\n");
  BOOST_REQUIRE(trust);
  BOOST_TEST((*trust == std::vector<double>{0.25, 1}));
  const auto refused = [&](const std::string& rows) {
    const auto result = read_for("worker,trust\n" + rows);
    return result ? std::string{} : result.error().detail;
  };
  for (const auto* bad : {"1.01", "-0.1", "nan", "0.5x", "high"})
    BOOST_TEST(refused("v,1\nw," + std::string{bad} + '\n')
               == "trust.csv:3: `" + std::string{bad} + "` is no trust from 0 to 1");
  BOOST_TEST(refused("v,1\nv,1\n") == "trust.csv:3: worker `v` has trust above already");
  BOOST_TEST(refused("v,1\n")
             == "trust.csv: add a row for worker `w`, who has answers and no trust");
}

BOOST_AUTO_TEST_CASE(problems_name_file_and_line) {
  const auto row = header + "w,t,a\n";
  BOOST_TEST(problem_of("", "").find("set/answers.csv:1: the file is empty") == 0U);
  BOOST_TEST(problem_of(header, "") == "set/answers.csv:1: there is no answer in the file");
  BOOST_TEST(problem_of("worker,task\nw,t\n", "")
             == "set/answers.csv:1: there is no column `label`");
  BOOST_TEST(problem_of(row + "w,u\n", "")
             == "set/answers.csv:3: the row has 2 fields, the header 3");
  BOOST_TEST(problem_of(row + ",u,a\n", "").find("set/answers.csv:3: worker") == 0U);
  BOOST_TEST(problem_of(row + "w,\xff,a\n", "").find("set/answers.csv:3: task") == 0U);
  BOOST_TEST(problem_of(row + "w,u,\"a\n", "").find("set/answers.csv:3:") == 0U);
  BOOST_TEST(problem_of(row, "task,label\nt,a\nt,b\n")
             == "set/truth.csv:3: task `t` was `a` above and is `b` here");
  BOOST_TEST(problem_of(row, "task\nt\n") == "set/truth.csv:1: there is no column `label`");
}

// finding C6
BOOST_AUTO_TEST_CASE(the_empty_answer_is_an_answer_where_it_is_written) {
  const auto set = read(header + "w1,t1,\"\"\nw2,t1,a\n", "task,label\nt1,\"\"\n");
  BOOST_REQUIRE(set);
  BOOST_TEST((set->named.labels == std::vector<std::string>{"", "a"}));
  BOOST_TEST((set->truth == core::quality::known_labels{0}));
  BOOST_TEST(problem_of(header + "w1,t1,\n", "")
             == "set/answers.csv:2: label must not be empty; write \"\" where the answer is the "
                "empty text");
  BOOST_TEST(problem_of(header + "w1,\"\",a\n", "") == "set/answers.csv:2: task must not be empty");
}

// finding C7
BOOST_AUTO_TEST_CASE(additions_of_systems_to_a_file_are_no_part_of_its_answers) {
  const auto set = read("\xef\xbb\xbfworker,task,label \r\nw1,t1,cat \t\r\nw2,t1,\"cat\" \r\n \r\n",
                        "task,label\rt1,cat\r");
  BOOST_REQUIRE(set);
  BOOST_TEST((set->named.labels == std::vector<std::string>{"cat"}));
  BOOST_TEST((set->truth == core::quality::known_labels{0}));
}

// finding C8
BOOST_AUTO_TEST_CASE(a_file_in_another_encoding_is_told_as_such) {
  const std::string wide{"\xff\xfew\0o\0", 6};
  BOOST_TEST(problem_of(wide, "")
             == "set/answers.csv:1: the text is encoded as UTF-16; save it as UTF-8");
}

BOOST_AUTO_TEST_SUITE_END()
