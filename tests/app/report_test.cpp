#include "app/demo/progress.hpp"
#include "app/demo/quality_plot.hpp"
#include "app/demo/report.hpp"
#include "app/logging.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>

namespace demo = holdfast::app::demo;
using namespace std::chrono_literals;

namespace {

demo::demo_report good_report() {
  demo::set_report set;
  set.name = "set";
  set.units = set.finished = 10;
  set.recorded = set.judgments = set.acknowledged = 30;
  set.of_system = set.of_file = {9, 10};
  demo::demo_report report;
  report.sets = {set};
  report.kills = report.kills_wanted = 1;
  report.recoveries = {1500ms};
  report.checks = {{"I-1", 0, ""}};
  return report;
}

demo::quality_report good_quality() {
  demo::quality_report quality;
  quality.set = "set";
  quality.recorded = 25;
  quality.spammers = 6;
  quality.fixed = {270, 270, 0, 216, 1350, 0, {}};
  quality.adaptive = {270, 270, 0, 243, 800, 150, {}};
  quality.removed = {{"spammer-1", true, "QuizFailed", 3, 0},
                     {"recorded-7", false, "TestQuestions", 9, 4}};
  quality.calibration = {{0.55, 20, 12}, {0.97, 250, 231}};
  quality.trust = {{true, {2.0 / 3, 4.0 / 7}}, {false, {2.0 / 3, 5.0 / 7, 6.0 / 8}}};
  return quality;
}

} // namespace

BOOST_AUTO_TEST_SUITE(demo_report)

BOOST_AUTO_TEST_CASE(good_run_has_no_problems) {
  const auto report = good_report();
  BOOST_TEST(demo::problems_of(report).empty());
  const auto json = nlohmann::json::parse(demo::to_json(report));
  BOOST_TEST(json["ok"] == true);
  BOOST_TEST(json["units"] == 10);
  BOOST_TEST(json["judgments"] == 30);
  BOOST_TEST(json["accuracy"] == 0.9);
  BOOST_TEST(json["accuracy_direct"] == 0.9);
  BOOST_TEST(json["acknowledged"] == 30);
  BOOST_TEST(json["lost"] == 0);
  BOOST_TEST(json["doubled"] == 0);
  BOOST_TEST(json["recovery_ms"] == 1500.0);
  BOOST_TEST(json["violations"] == 0);
  BOOST_TEST(json["sets"]["set"]["units"] == 10);
}

BOOST_AUTO_TEST_CASE(each_thing_that_is_off_is_a_problem) {
  const auto problems_when = [](auto change) {
    auto report = good_report();
    change(report);
    return demo::problems_of(report).size();
  };
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].lost = 1; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].doubled = 1; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].unacknowledged = 1; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].altered = 1; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].different_units = 1; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].finished = 9; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].acknowledged = 29; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets[0].of_system.credit = 8.5; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) {
               r.kills = 0;
               r.recoveries.clear();
             })
             == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.recoveries.clear(); }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.checks[0].violations = 2; }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.checks.clear(); }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.sets.clear(); }) == 1U);
  BOOST_TEST(problems_when([](auto& r) { r.problems = {"x"}; }) == 1U);
}

BOOST_AUTO_TEST_CASE(the_second_act_compares_both_programmes_and_names_who_was_removed) {
  auto report = good_report();
  report.quality = good_quality();
  BOOST_TEST(demo::problems_of(report).empty());
  const auto json = nlohmann::json::parse(demo::to_json(report));
  const auto& quality = json["quality"];
  BOOST_TEST(quality["fixed"]["accuracy"] == 0.8);
  BOOST_TEST(quality["adaptive"]["accuracy"] == 0.9);
  BOOST_TEST(quality["adaptive"]["test_answers"] == 150);
  BOOST_TEST(quality["spammers_removed"] == 1);
  BOOST_TEST(quality["removed"].size() == 2U);
  const auto text = demo::to_text(report);
  BOOST_TEST(text.find("80.0 % right of 270 units, 1350 judgments\n") != std::string::npos);
  BOOST_TEST(text.find("800 judgments, 150 answers to test questions") != std::string::npos);
  BOOST_TEST(text.find("1 of 6 spammers, 1 of 25 others") != std::string::npos);
  BOOST_TEST(text.find("QuizFailed, 0 of 3 test questions right") != std::string::npos);

  report.quality->adaptive.finished = 269;
  BOOST_TEST(demo::problems_of(report).size() == 1U);
  report.quality->adaptive.out_of_people = 1;
  BOOST_TEST(demo::problems_of(report).empty());
  BOOST_TEST(demo::to_text(report).find("1 more want a judgment that nobody left can give\n")
             != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_charts_show_each_bin_and_each_contributor) {
  const auto svg = demo::plot_of(good_quality());
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (auto at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1))
      ++found;
    return found;
  };
  BOOST_TEST(count("<circle") == 2U);
  BOOST_TEST(count("<title>12 of 20</title>") == 1U);
  BOOST_TEST(count("<polyline")
             == 2U + 2U); // the diagonal, the curve, and one for each contributor
  BOOST_TEST(svg.rfind("</svg>\n") == svg.size() - 7);
}

BOOST_AUTO_TEST_CASE(figures_that_do_not_exist_are_null) {
  auto report = good_report();
  report.sets[0].of_system = report.sets[0].of_file = {};
  report.kills = report.kills_wanted = 0;
  report.recoveries.clear();
  BOOST_TEST(demo::problems_of(report).empty());
  const auto json = nlohmann::json::parse(demo::to_json(report));
  BOOST_TEST(json["accuracy"].is_null());
  BOOST_TEST(json["accuracy_direct"].is_null());
  BOOST_TEST(json["recovery_ms"].is_null());
  BOOST_TEST(json["quality"].is_null());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(progress)

BOOST_AUTO_TEST_CASE(bar_shows_counts_rate_and_leases) {
  const demo::progress_state state{5, 10, 50, 100, 7, "restarting"};
  const auto line = demo::progress_line(state, 123.4, 12s);
  BOOST_TEST(line
             == "[############............] units 5/10  judgments 50/100  123/s  leases 7  12 s  "
                "restarting");
}

BOOST_AUTO_TEST_CASE(without_a_terminal_lines_are_rare_and_plain) {
  std::ostringstream out;
  demo::progress_bar bar{out, false};
  const auto now = demo::progress_bar::clock::now();
  bar.show({1, 2, 3, 4, 5, ""}, now);
  bar.show({2, 2, 4, 4, 5, ""}, now + 1s);
  bar.show({2, 2, 4, 4, 0, ""}, now + 6s);
  const auto text = out.str();
  BOOST_TEST(std::count(text.begin(), text.end(), '\n') == 2);
  BOOST_TEST(text.find('\r') == std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(log_lines)

using holdfast::app::log_line;
using holdfast::config::log_format;

BOOST_AUTO_TEST_CASE(text_quotes_what_is_not_one_word) {
  BOOST_TEST(log_line(log_format::text, "started", {{"port", "1"}, {"dir", "a b"}, {"x", ""}})
             == R"(started port=1 dir="a b" x="")");
}

BOOST_AUTO_TEST_CASE(no_value_can_break_a_line) {
  BOOST_TEST(log_line(log_format::text, "e", {{"what", "a\nb\"c"}}) == R"(e what="a\nb\"c")");
  BOOST_TEST(log_line(log_format::json, "e", {{"what", "a\nb\"c"}})
             == R"("event":"e","what":"a\nb\"c")");
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_are_replaced) {
  const auto line = log_line(log_format::json, "e", {{"what", "\xff"}});
  BOOST_TEST(nlohmann::json::accept('{' + line + '}'));
}

BOOST_AUTO_TEST_SUITE_END()
