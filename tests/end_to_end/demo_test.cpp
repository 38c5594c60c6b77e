#include "app/demo/scratch_directory.hpp"
#include "tests/support/program.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>

using namespace std::chrono_literals;

namespace {

/// Twenty units that five people answered, each in their own way.
void write_small_set(const std::filesystem::path& directory) {
  std::filesystem::create_directories(directory);
  std::ofstream answers{directory / "answers.csv"};
  std::ofstream truth{directory / "truth.csv"};
  answers << "worker,task,label,seconds\n";
  truth << "task,label\n";
  for (int task = 0; task < 20; ++task) {
    truth << "task " << task << ',' << (task % 2 == 0 ? "yes" : "no") << '\n';
    for (int worker = 0; worker < 5; ++worker) {
      // Some units are left out, some answers are wrong, and four answers allow a tie.
      if (worker == 4 && task % 3 == 0)
        continue;
      const bool right = (task + worker) % 4 != 0;
      answers << "worker" << worker << ",task " << task << ','
              << ((task % 2 == 0) == right ? "yes" : "no") << ',' << 1 + (task * worker) % 7
              << '\n';
    }
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(demo)

BOOST_AUTO_TEST_CASE(small_job_survives_a_kill_without_loss) {
  const auto scratch = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  const auto data = scratch->path() / "small";
  write_small_set(data);

  const auto end = holdfast::test::run_program(
      HOLDFAST_BINARY, {"demo", "--data", data.string(), "--kills", "1", "--seed", "3", "--json"},
      180s);
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.out + end.err);

  const auto report = nlohmann::json::parse(end.out);
  BOOST_TEST(report["ok"] == true);
  BOOST_TEST(report["units"] == 20);
  BOOST_TEST(report["judgments"] == 93);
  BOOST_TEST(report["acknowledged"] == 93);
  BOOST_TEST(report["accuracy"] == report["accuracy_direct"]);
  BOOST_TEST(report["accuracy"].is_number());
  BOOST_TEST(report["lost"] == 0);
  BOOST_TEST(report["doubled"] == 0);
  BOOST_TEST(report["violations"] == 0);
  BOOST_TEST(report["kills"] == 1);
  BOOST_TEST(report["recovery_ms"].get<double>() > 0);
  BOOST_TEST(!report["checks"].empty());
  BOOST_TEST(report["sets"]["small"]["units_with_truth"] == 20);
}

// finding C14: nobody asks for another unit after the kill
BOOST_AUTO_TEST_CASE(set_of_two_units_survives_a_kill_without_a_problem) {
  const auto scratch = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  const auto data = scratch->path() / "two";
  std::filesystem::create_directory(data);
  std::ofstream{data / "answers.csv"} << "worker,task,label\r\nana,t1,cat\r\nben,t2,dog\r\n";
  const auto end = holdfast::test::run_program(
      HOLDFAST_BINARY, {"demo", "--data", data.string(), "--kills", "1", "--seed", "3", "--json"},
      180s);
  BOOST_REQUIRE_MESSAGE(end.code == 0, end.out + end.err);
  BOOST_TEST(nlohmann::json::parse(end.out)["kills"] == 1);
}

// A129: test questions, quiz, adaptive stopping, monitors and a ring of spammers, on a running
// node. Who is given what is never the same twice, so what depends on luck is required of three
// runs together.
BOOST_AUTO_TEST_CASE(second_act_is_more_often_right_with_fewer_judgments) {
  const auto scratch = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  const auto charts = scratch->path() / "charts.svg";
  constexpr int runs = 3;
  double right_by_fixed = 0;
  double right_by_adaptive = 0;
  double calibration_error = 0;
  int out_of_people = 0;
  int spammers_removed = 0;
  int copying = 0;
  int taken_for_copying = 0;
  for (int run = 0; run < runs; ++run) {
    const auto end = holdfast::test::run_program(
        HOLDFAST_BINARY,
        {"demo", "--data", holdfast::test::source_dir() + "/data/cf_amt", "--kills", "0", "--speed",
         "1000000", "--json", "--plot", charts.string()},
        240s);
    BOOST_REQUIRE_MESSAGE(end.code == 0, end.out + end.err);

    const auto report = nlohmann::json::parse(end.out);
    // In the first act a node with PostgreSQL finds by the majority what others have found.
    std::ifstream published{holdfast::test::source_dir() + "/data/expected.json"};
    const auto expected = nlohmann::json::parse(published).at("cf_amt");
    const auto& whole = report["sets"]["cf_amt"];
    BOOST_TEST(whole["judgments"] == expected.at("meta").at("answers"));
    BOOST_TEST(whole["finished_units"] == expected.at("meta").at("tasks"));
    const auto& figures = expected.at("algos").at("mv");
    BOOST_TEST(whole["units_with_truth"] == figures.at("n"));
    BOOST_TEST(std::abs(whole["accuracy"].get<double>() - figures.at("acc").get<double>())
               <= figures.at("tol").get<double>());

    const auto& act = report["quality"];
    BOOST_TEST(act["set"] == "cf_amt");
    BOOST_TEST(act["fixed"]["finished_units"] == 270);
    BOOST_TEST(act["fixed"]["judgments"] == 1350);
    const auto& adaptive = act["adaptive"];
    const int finished = adaptive["finished_units"];
    out_of_people += adaptive["units_out_of_people"].get<int>();
    BOOST_TEST(finished + adaptive["units_out_of_people"].get<int>() == 270);
    BOOST_TEST(adaptive["judgments"].get<int>() + adaptive["test_answers"].get<int>() < 1350);
    BOOST_TEST(adaptive["judgments"].get<int>() <= 1350 * 70 / 100);
    right_by_adaptive += adaptive["accuracy"].get<double>() / runs;
    right_by_fixed += act["fixed"]["accuracy"].get<double>() / runs;
    spammers_removed += act["spammers_removed"].get<int>();
    for (const auto& one : act["removed"]) {
      BOOST_TEST((one["reason"] == "QuizFailed" || one["reason"] == "TestQuestions"), one.dump());
      BOOST_TEST(one["right"].get<int>() < one["test_questions"].get<int>(), one.dump());
    }
    // Nobody is tested and removed there: monitors see that some share one list, and no honest one.
    for (const auto& one : act["fixed"]["flagged"]) {
      if (one["monitor"] != "copying")
        continue;
      BOOST_TEST(one["spammer"] == true, one.dump());
      const bool in_ring = one["contributor"].get<std::string>().rfind("spammer-ring-", 0) == 0U;
      ++(in_ring ? copying : taken_for_copying);
    }
    BOOST_TEST(!act["calibration"].empty());
    double distance = 0;
    double units = 0;
    for (const auto& bin : act["calibration"]) {
      distance += std::abs(bin["confidence"].get<double>() * bin["units"].get<double>()
                           - bin["right"].get<double>());
      units += bin["units"].get<double>();
    }
    BOOST_TEST(units == finished);
    BOOST_TEST(act["expected_calibration_error"].get<double>() == distance / units,
               boost::test_tools::tolerance(1e-9));
    calibration_error += distance / units / runs;
    BOOST_TEST(report["plot"] == charts.string());
    BOOST_TEST(std::filesystem::file_size(charts) > 1000U);
  }
  // Once in a hundred runs a unit wants more judgments than people are left who know it.
  BOOST_TEST(out_of_people <= 1);
  BOOST_TEST(right_by_adaptive > right_by_fixed);
  // Of five. Now and then one of them guesses half of the quiz.
  BOOST_TEST(spammers_removed >= 3 * runs);
  BOOST_TEST(copying >= 2 * runs);
  // Who always gives one answer can have given a few of the ring's.
  BOOST_TEST(taken_for_copying <= 1);
  // Measured in 56 runs: 0.04 to 0.14, 0.07 in the middle, and two of them above the bound. Where
  // nothing corrects confidence it is off by 0.14 even without spammers (docs/QUALITY.md).
  BOOST_TEST(calibration_error < 0.12);
}

BOOST_AUTO_TEST_CASE(bad_data_is_named_with_its_line) {
  const auto scratch = holdfast::app::demo::scratch_directory::make();
  BOOST_REQUIRE(scratch);
  std::ofstream{scratch->path() / "answers.csv"} << "worker,task,label\nw,t,x\nw,t\n";
  const auto end = holdfast::test::run_program(HOLDFAST_BINARY,
                                               {"demo", "--data", scratch->path().string()}, 30s);
  BOOST_TEST(end.code == 2);
  BOOST_TEST(end.err.find("answers.csv:3:") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
