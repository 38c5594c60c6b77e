// `holdfast aggregate` and `holdfast simulate-overlap`, from command line to report.

#include "app/commands.hpp"
#include "app/demo/scratch_directory.hpp"
#include "app/program.hpp"
#include "tests/quality/recorded_sets.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/text.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

using holdfast::test::contains;

namespace app = holdfast::app;

namespace {

const std::string data = holdfast::test::source_dir() + "/data/";

struct program_end {
  int code = -1;
  std::string out;
  std::string err;
};

/// Takes what is written to `stream` while it lives.
class captured {
public:
  explicit captured(std::ostream& stream) : stream_(stream), before_(stream.rdbuf(text_.rdbuf())) {}
  ~captured() { stream_.rdbuf(before_); }
  std::string text() const { return text_.str(); }

private:
  std::ostream& stream_;
  std::ostringstream text_;
  std::streambuf* before_;
};

program_end ran(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "holdfast");
  std::vector<char*> argv;
  for (auto& argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  app::program program{"holdfast", "test"};
  program.add(app::add_aggregate_command);
  program.add(app::add_simulate_overlap_command);
  const captured out{std::cout};
  const captured err{std::cerr};
  const auto code = program.run(static_cast<int>(arguments.size()), argv.data());
  return {code, out.text(), err.text()};
}

nlohmann::json report(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const auto end = ran(arguments);
  BOOST_TEST(end.err == "");
  BOOST_REQUIRE(end.code == 0);
  return nlohmann::json::parse(end.out);
}

/// Figures that others have found, or published.
nlohmann::json published(const std::string& file) {
  std::ifstream in{data + file};
  BOOST_REQUIRE_MESSAGE(in, "cannot read data/" << file);
  return nlohmann::json::parse(in);
}

struct fixture {
  fixture() : directory(std::move(*app::demo::scratch_directory::make())) {}

  std::string set_of(const std::string& answers, const std::string& truth) const {
    std::ofstream{directory.path() / "answers.csv"} << answers;
    std::ofstream{directory.path() / "truth.csv"} << truth;
    return directory.path().string();
  }
  std::string file(const std::string& name) const { return (directory.path() / name).string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream in{directory.path() / name};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  app::demo::scratch_directory directory;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(aggregate_command, fixture)

BOOST_AUTO_TEST_CASE(figures_of_a_recorded_job_are_reported) {
  const auto closed = report({"aggregate", "--method", "majority", "--data", data + "cf_amt"});
  BOOST_TEST(closed["acc"].get<double>() == 0.853333, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(closed["acc_lowest"].get<double>() == 0.846667, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(closed["log_likelihood"].is_null());
  BOOST_TEST(closed["iterations"] == 0);
  BOOST_TEST(closed["label_shares"].is_null());
  BOOST_TEST(closed["ms_per_iteration"].is_null());
  BOOST_TEST(closed["seconds"].get<double>() >= 0);
  BOOST_TEST(closed["judgments"] == 6025);
  BOOST_TEST(closed["repeated"] == 5);

  const auto fitted = report({"aggregate", "--method", "mle", "--data", data + "cf_amt"});
  BOOST_TEST(fitted["method"] == "dawid_skene_mle");
  BOOST_TEST(fitted["log_likelihood"].get<double>() == -3940.719873,
             boost::test_tools::tolerance(1e-6));
  BOOST_TEST(fitted["iterations"] == 12);
  BOOST_TEST(fitted["ms_per_iteration"].get<double>() > 0);
}

// A30
BOOST_AUTO_TEST_CASE(fields_of_judgments_are_combined_by_their_kinds_and_come_back_typed) {
  std::ofstream{file("fields.json")}
      << R"({"fields": [{"name": "kind", "kind": "category", "labels": ["car", 10]},)"
         R"( {"name": "length", "kind": "number", "within": 0.5}]})";
  const auto set = set_of("worker,task,kind,length\na,t1,10,2\nb,t1,10,2.5\nc,t1,car,9\n",
                          "task,kind,length\nt1,10,2.4\n");
  const auto told = report({"aggregate", "--fields", file("fields.json"), "--data", set,
                            "--answers-out", file("answers.jsonl")});
  BOOST_TEST(told["units"] == 1);
  BOOST_TEST(told["fields"][0]["against_truth"]["right"] == 1.0);
  BOOST_TEST(told["fields"][1]["against_truth"]["right"] == 1.0);
  const auto answer = nlohmann::json::parse(text_of("answers.jsonl"));
  BOOST_TEST(answer["answer"].dump() == R"({"kind":10,"length":2.5})");
  BOOST_TEST(answer["fields"]["kind"]["votes"] == 3);
}

// A30
BOOST_AUTO_TEST_CASE(files_of_fields_that_cannot_be_used_are_refused_with_the_place) {
  std::ofstream{file("fields.json")} << R"([{"name": "n", "kind": "number"}])";
  std::ofstream{file("judgments.jsonl")} << R"({"unit": 1, "contributor": "a", "judgment": {}})";
  const auto end =
      ran({"aggregate", "--fields", file("fields.json"), "--judgments", file("judgments.jsonl")});
  BOOST_TEST(end.code == 2);
  BOOST_TEST(contains(end.err, "judgments.jsonl:1: /n: is missing"));
  BOOST_TEST(contains(ran({"aggregate"}).err, "--data is missing"));
  std::ofstream{file("fields.json")} << R"([{"name": "n", "kind": "colour"}])";
  BOOST_TEST(contains(
      ran({"aggregate", "--fields", file("fields.json"), "--judgments", file("judgments.jsonl")})
          .err,
      "/fields/0/kind: must be one of category"));
}

// finding C5
BOOST_AUTO_TEST_CASE(truths_of_tasks_that_nobody_answered_are_told) {
  const auto set = set_of("worker,task,label\na,t1,x\nb,t1,x\n", "task,label\nT1,x\nT2,x\n");
  const auto end = ran({"aggregate", "--data", set, "--json"});
  BOOST_TEST(end.code == 0);
  BOOST_TEST(contains(end.err, "2 truths are left out, because nobody answered the task: `T1`; "
                               "tasks with answers are `t1`"));
  BOOST_TEST(nlohmann::json::parse(end.out)["truths_of_no_task"] == 2);
}

// finding C5
BOOST_AUTO_TEST_CASE(truths_that_nobody_gave_are_told_and_left_out) {
  std::string answers = "worker,task,label\n";
  std::string truth = "task,label\n";
  for (int task = 0; task < 20; ++task) {
    for (int who = 0; who < 3; ++who)
      answers += 'w' + std::to_string(who) + ",t" + std::to_string(task)
                 + (task % 2 == 0 ? ",YES\n" : ",NO\n");
    truth += 't' + std::to_string(task) + (task % 2 == 0 ? ",Yes\n" : ",NO\n");
  }
  const auto set = set_of(answers, truth);
  const auto end = ran({"aggregate", "--data", set, "--json"});
  BOOST_TEST(end.code == 0);
  BOOST_TEST(contains(end.err, "10 truths are left out"));
  BOOST_TEST(contains(end.err, "`Yes` of task `t0`"));
  const auto told = nlohmann::json::parse(end.out);
  BOOST_TEST(told["truths_nobody_gave"]["count"] == 10);
  BOOST_TEST(told["truths_nobody_gave"]["task"] == "t0");
  BOOST_TEST(told["truths_nobody_gave"]["label"] == "Yes");
  BOOST_TEST(told["acc"] == 1.0);
  BOOST_TEST(told["scored_units"] == 10);

  // Both test questions, rows 0 and 10, are spelled otherwise: nothing is chosen on nothing.
  const auto gold = ran({"aggregate", "--data", set, "--method", "gold_selected", "--gold"});
  BOOST_TEST(gold.code == 2);
  BOOST_TEST(contains(gold.err, "none of them has answers of which one is its truth"));
  const auto replayed =
      ran({"simulate-overlap", "--data", set, "--policy", "fixed", "--seeds", "1"});
  BOOST_TEST(replayed.code == 0);
  BOOST_TEST(contains(replayed.err, "10 truths are left out"));
  BOOST_TEST(report({"aggregate", "--data", data + "cf_amt"})["truths_nobody_gave"].is_null());
}

// finding C2
BOOST_AUTO_TEST_CASE(ties_are_reported_by_lot_whatever_the_labels_are_called) {
  const auto labels_of = [&](const std::string& first, const std::string& second,
                             const std::string& method) {
    std::string answers = "worker,task,label\n";
    for (int task = 0; task < 40; ++task)
      for (int who = 0; who < 2; ++who)
        answers += 'w' + std::to_string((task + who) % 5) + ",t" + std::to_string(task) + ','
                   + ((task + who) % 2 == 0 ? first : second) + '\n';
    const auto end = ran({"aggregate", "--data", set_of(answers, "task,label\n"), "--method",
                          method, "--answers-out", file("out.csv")});
    BOOST_REQUIRE(end.code == 0);
    std::vector<bool> is_first;
    std::istringstream rows{text_of("out.csv")};
    std::string row;
    std::getline(rows, row);
    while (std::getline(rows, row)) {
      const auto label = row.substr(row.find(',') + 1, row.rfind(',') - row.find(',') - 1);
      BOOST_TEST((label == first || label == second));
      is_first.push_back(label == first);
    }
    return is_first;
  };
  for (const auto* method : {"majority", "weighted", "weighted_log_odds", "wawa", "wawa_soft",
                             "dawid_skene_mle", "dawid_skene_map", "fast_dawid_skene", "one_coin",
                             "one_coin_mle", "ibcc_vb", "glad", "incremental"}) {
    const auto before = labels_of("a", "b", method);
    BOOST_TEST(before.size() == 40U);
    BOOST_TEST((before == labels_of("z", "b", method)), method);
  }
  const auto drawn = labels_of("a", "b", "majority");
  const auto firsts = std::count(drawn.begin(), drawn.end(), true);
  BOOST_TEST(firsts > 5);
  BOOST_TEST(firsts < 35);
}

// A30 to A33: all of data/expected.json, from the file to the report
BOOST_AUTO_TEST_CASE(every_published_figure_is_reported) {
  struct command {
    const char* method;
    bool gold;
    const char* told; // what the report calls it
  };
  const std::map<std::string, command> ours{
      {"mv", {"mv", false, "majority"}},
      {"wawa", {"wawa", false, "wawa"}},
      {"wawa_soft", {"wawa_soft", false, "wawa_soft"}},
      {"ds_mle", {"ds_mle", false, "dawid_skene_mle"}},
      {"ds_map", {"ds_map", false, "dawid_skene_map"}},
      {"fds", {"fds", false, "fast_dawid_skene"}},
      {"onecoin_mle", {"onecoin_mle", false, "one_coin_mle"}},
      {"onecoin_map", {"onecoin_map", false, "one_coin"}},
      {"ibcc_vb", {"ibcc_vb", false, "ibcc_vb"}},
      {"glad", {"glad", false, "glad"}},
      {"mv_nongold", {"mv", true, "majority"}},
      {"trust_linear_nongold", {"trust_linear", true, "weighted"}},
      {"trust_logodds_nongold", {"trust_logodds", true, "weighted_log_odds"}},
      {"ds_map_gold_nongold", {"ds_map", true, "dawid_skene_map"}},
      {"onecoin_map_gold_nongold", {"onecoin_map", true, "one_coin"}},
  };
  const auto near = [](double value, double expected, double tolerance) {
    return std::abs(value - expected) <= tolerance;
  };
  const auto expected = holdfast::test::expected_figures();
  for (const auto& [set, figures] : expected.items()) {
    BOOST_TEST(figures.at("algos").size() == ours.size());
    for (const auto& [key, command] : ours)
      BOOST_TEST_CONTEXT(set << " " << key) {
        std::vector<std::string> arguments{"aggregate", "--method", command.method, "--data",
                                           data + set};
        if (command.gold)
          arguments.emplace_back("--gold");
        const auto told = report(arguments);
        const auto& want = figures.at("algos").at(key);
        BOOST_TEST(told["method"] == command.told);
        BOOST_TEST(told["scored_units"] == want.at("n"));
        BOOST_TEST(near(told["acc"], want.at("acc"), want.at("tol")));
        BOOST_TEST(near(told["acc_lowest"], want.at("acc_lowest"), want.at("tol")));
        // Of `glad` the file has none.
        BOOST_TEST(told["log_likelihood"].is_null() == (!want.contains("ll") && key != "glad"));
        if (want.contains("ll")) {
          const double likelihood = want.at("ll");
          const double relative = want.at("ll_rel_tol");
          BOOST_TEST(near(told["log_likelihood"], likelihood, relative * std::abs(likelihood)));
          BOOST_TEST(told["iterations"] == want.at("iters"));
        }
        const auto& meta = figures.at("meta");
        BOOST_TEST(told["units"] == meta.at("tasks"));
        BOOST_TEST(told["contributors"] == meta.at("workers"));
        BOOST_TEST(told["judgments"] == meta.at("answers"));
        BOOST_TEST(told["labels"] == meta.at("K"));
        BOOST_TEST(near(told["krippendorff_alpha"], meta.at("krippendorff"), 6e-6));
        BOOST_TEST(near(told["pairwise_agreement"], meta.at("pairwise_agreement"), 6e-6));
        BOOST_TEST(near(told["fleiss_kappa"], meta.at("fleiss"), 6e-6));
      }
  }
}

// data/vectors.json, as far as a file of judgments can say it
BOOST_AUTO_TEST_CASE(published_agreement_is_reported) {
  const auto vectors = published("vectors.json");
  const auto agreement = [&](const std::string& rows, const char* figure) {
    const auto set = set_of("worker,task,label\n" + rows, "task,label\n");
    return report({"aggregate", "--data", set})[figure].get<double>();
  };
  const auto close = boost::test_tools::tolerance(1e-12);

  std::string rows;
  const auto& observed = vectors.at("krippendorff_nominal");
  for (const auto* who : {"A", "B", "C"})
    for (std::size_t unit = 0; unit < observed.at(who).size(); ++unit)
      if (const std::string label = observed.at(who).at(unit); label != "*")
        rows += std::string{who} + ",u" + std::to_string(unit) + ',' + label + '\n';
  BOOST_TEST(agreement(rows, "krippendorff_alpha") == observed.at("expect").get<double>(), close);

  rows.clear();
  const auto& pair = vectors.at("crowdkit_alpha_doc");
  for (const auto& row : pair.at("answers"))
    rows +=
        std::string{row.at(0)} + ',' + std::string{row.at(1)} + ',' + std::string{row.at(2)} + '\n';
  BOOST_TEST(agreement(rows, "krippendorff_alpha") == pair.at("expect").get<double>(), close);

  rows.clear();
  const auto& counts = vectors.at("fleiss_kappa");
  for (std::size_t unit = 0; unit < counts.at("counts").size(); ++unit) {
    int who = 0;
    for (std::size_t label = 0; label < counts.at("counts").at(unit).size(); ++label)
      for (int n = counts.at("counts").at(unit).at(label); n > 0; --n)
        rows += 'w' + std::to_string(who++) + ",u" + std::to_string(unit) + ','
                + std::to_string(label) + '\n';
  }
  BOOST_TEST(agreement(rows, "fleiss_kappa") == counts.at("expect").get<double>(), close);
}

// data/vectors.json again: the confidence of a production platform, and of skilled votes
BOOST_AUTO_TEST_CASE(published_confidence_is_reported) {
  const auto vectors = published("vectors.json");
  // The confidence of the answer to task `t`.
  const auto confidence = [&](const std::string& method, const std::string& rows,
                              const std::string& trust) {
    const auto set = set_of("worker,task,label\n" + rows, "task,label\n");
    std::ofstream{directory.path() / "trust.csv"} << "worker,trust\n" << trust;
    report({"aggregate", "--method", method, "--data", set, "--trust", file("trust.csv"),
            "--answers-out", file("out.csv")});
    const auto text = text_of("out.csv");
    return std::stod(text.substr(text.find(',', text.find("\nt,") + 3) + 1));
  };
  const auto close = boost::test_tools::tolerance(1e-11);

  std::string rows;
  std::string trust;
  const auto& figures = vectors.at("figure8_confidence");
  for (const auto& [label, sum] : figures.at("sum_trust").items())
    for (int i = 0; i < 5; ++i) { // as many voters as it takes for nobody to have more than 1
      rows += label + std::to_string(i) + ",t," + label + '\n';
      trust +=
          label + std::to_string(i) + ',' + nlohmann::json(sum.get<double>() / 5).dump() + '\n';
    }
  BOOST_TEST(confidence("weighted", rows, trust) == figures.at("expect").at("beef").get<double>(),
             close);

  for (const auto& row : vectors.at("toloka_dynamic_overlap")) {
    rows.clear();
    trust = "x,0.5\n";
    for (std::size_t who = 0; who < row.at("answers").size(); ++who) {
      rows += 'w' + std::to_string(who) + ",t," + row.at("answers").at(who).dump() + '\n';
      trust += 'w' + std::to_string(who) + ',' + row.at("skills").at(who).dump() + '\n';
    }
    for (int label = 0; label < row.at("Y"); ++label) // a label counts when somebody has given it
      rows += "x,other" + std::to_string(label) + ',' + std::to_string(label) + '\n';
    const auto posterior = row.at("posterior").get<std::vector<double>>();
    BOOST_TEST(confidence("weighted_log_odds", rows, trust)
                   == *std::max_element(posterior.begin(), posterior.end()),
               close);
  }
}

// A31: the confidence that a platform gave its answers is the trust of those who gave them, of the
// trust of all. It trusted everybody fully, and none of the judgments is tainted.
BOOST_AUTO_TEST_CASE(the_export_of_a_platform_is_weighed_by_its_trust) {
  std::map<std::string, std::map<std::string, double>> sums;
  std::map<std::string, double> trust;
  for (const auto& one : holdfast::test::platform_judgments()) {
    BOOST_TEST(!one.tainted);
    sums[one.unit][one.label] += one.trust;
    trust[one.worker] = one.trust;
  }
  std::ofstream out{directory.path() / "trust.csv"};
  out << "worker,trust\n";
  for (const auto& [worker, share] : trust)
    out << worker << ',' << share << '\n';
  out.close();
  const auto told = report({"aggregate", "--method", "weighted", "--data", data + "ct_video_binary",
                            "--trust", file("trust.csv"), "--answers-out", file("out.csv")});
  BOOST_TEST(told["judgments"] == 1000);
  BOOST_TEST(told["repeated"] == 0);
  BOOST_TEST(told["contributors"] == 28);
  BOOST_TEST(told["units"] == 50);
  BOOST_TEST(told["acc"].is_null());
  BOOST_REQUIRE(sums.size() == 50U);
  const auto text = "\n" + text_of("out.csv");
  for (const auto& [unit, given] : sums) {
    double all = 0;
    for (const auto& [label, sum] : given)
      all += sum;
    const auto best = std::max_element(given.begin(), given.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    const auto row = "\n" + unit + ',' + best->first + ',';
    const auto at = text.find(row);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, "no row begins with " << row);
    BOOST_TEST(std::stod(text.substr(at + row.size())) == best->second / all,
               boost::test_tools::tolerance(1e-11));
  }
}

// data/vectors.json once more: trust after test questions, under two priors
BOOST_AUTO_TEST_CASE(published_trust_is_reported) {
  const auto vectors = published("vectors.json");
  struct expected_trust {
    int right;
    int asked;
    double mean;
  };
  // What comes of them who have so many questions, the first of which they answer rightly.
  const auto check = [&](const std::vector<expected_trust>& cases,
                         const std::vector<std::string>& prior) {
    constexpr int questions = 20;
    std::string truth = "task,label\n";
    for (int row = 0; row < 10 * questions; ++row)
      truth += 't' + std::to_string(row) + ",yes\n"; // every tenth is a test question
    std::string rows = "worker,task,label\nother,t0,no\n";
    for (std::size_t who = 0; who < cases.size(); ++who) {
      const auto name = 'w' + std::to_string(who);
      rows += name + ",t1,yes\n"; // and this is none
      for (int i = 0; i < cases[who].asked; ++i)
        rows += name + ",t" + std::to_string(10 * i) + (i < cases[who].right ? ",yes\n" : ",no\n");
    }
    std::vector<std::string> command{
        "aggregate",          "--gold",           "--data", set_of(rows, truth),
        "--contributors-out", file("workers.csv")};
    command.insert(command.end(), prior.begin(), prior.end());
    report(command);
    const auto text = text_of("workers.csv");
    BOOST_TEST(contains(text, "worker,judgments,test_questions,right,trust,trust_low,"));
    for (std::size_t who = 0; who < cases.size(); ++who) {
      const auto& one = cases[who];
      const auto row = "\nw" + std::to_string(who) + ',' + std::to_string(one.asked + 1) + ','
                       + std::to_string(one.asked) + ',' + std::to_string(one.right) + ',';
      const auto at = text.find(row);
      BOOST_REQUIRE_MESSAGE(at != std::string::npos, "no row begins with " << row);
      std::size_t length = 0;
      const auto rest = text.substr(at + row.size());
      const auto mean = std::stod(rest, &length);
      BOOST_TEST(mean == one.mean, boost::test_tools::tolerance(1e-11));
      BOOST_TEST(std::stod(rest.substr(length + 1)) < mean); // the 5 % quantile
    }
  };
  std::vector<expected_trust> beta;
  for (const auto& row : vectors.at("beta_trust").at("cases"))
    beta.push_back({row.at("correct"), row.at("total"), row.at("mean")});
  check(beta, {});
  check(beta, {"--trust-prior", "4", "2"});
  std::vector<expected_trust> skill;
  for (const auto& row : vectors.at("toloka_skill").at("cases"))
    skill.push_back({row.at(0), row.at(1), row.at(2)});
  check(skill, {"--trust-prior", "0.5", "0.5"});
}

// data/vectors.json: of two who answered the same, agreement with the others is Cohen's kappa
BOOST_AUTO_TEST_CASE(published_agreement_of_two_is_reported) {
  const auto figures = published("vectors.json").at("cohen_kappa");
  std::string rows = "worker,task,label\n";
  int task = 0;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b)
      for (int n = figures.at("table").at(a).at(b); n > 0; --n, ++task)
        for (const auto& [who, label] : {std::pair{"ana", a}, std::pair{"bob", b}})
          rows +=
              std::string{who} + ",t" + std::to_string(task) + ',' + std::to_string(label) + '\n';
  report({"aggregate", "--data", set_of(rows, "task,label\n"), "--contributors-out",
          file("workers.csv")});
  const auto text = text_of("workers.csv");
  for (const auto* who : {"ana", "bob"}) {
    const auto begin = text.find('\n' + std::string{who} + ",50,0,0,0.666666666667,");
    BOOST_REQUIRE(begin != std::string::npos);
    const auto row = text.substr(begin + 1, text.find('\n', begin + 1) - begin - 1);
    BOOST_TEST(contains(row, ",50,0.7,0.5,"));
    BOOST_TEST(std::stod(row.substr(row.rfind(',') + 1)) == figures.at("expect").get<double>(),
               boost::test_tools::tolerance(1e-11));
  }
}

BOOST_AUTO_TEST_CASE(the_prior_of_trust_decides_how_votes_weigh) {
  // One right answer of one: trust 5/7 or 1.5/2; and of none 2/3 or 1/2.
  const auto set =
      set_of("worker,task,label\nana,q,x\nana,t,x\nbob,t,y\n", "task,label\nq,x\nt,x\n");
  const auto confidence = [&](const std::vector<std::string>& prior) {
    std::vector<std::string> command{"aggregate", "--gold", "--method",      "weighted",
                                     "--data",    set,      "--answers-out", file("out.csv")};
    command.insert(command.end(), prior.begin(), prior.end());
    report(command);
    const auto text = text_of("out.csv");
    return std::stod(text.substr(text.find("\nt,x,") + 5));
  };
  const auto close = boost::test_tools::tolerance(1e-11);
  BOOST_TEST(confidence({}) == (5.0 / 7) / (5.0 / 7 + 2.0 / 3), close);
  BOOST_TEST(confidence({"--trust-prior", "0.5", "0.5"}) == 0.75 / 1.25, close);
}

// Their table, until nothing moves any more, and after one iteration.
BOOST_AUTO_TEST_CASE(the_table_of_dawid_and_skene_is_reported) {
  const auto figures = published("vectors.json").at("dawid_skene_1979");
  const auto close = boost::test_tools::tolerance(1e-9);
  const std::vector<std::string> command{
      "aggregate", "--method", "mle", "--data", data + "anaesthetist1979", "--every-judgment"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return report(more);
  };
  const auto first = with({"--iterations", "1"});
  BOOST_TEST(first["iterations"] == 1);
  BOOST_TEST(first["log_likelihood"].get<double>() == figures.at("loglik_iter1").get<double>(),
             close);

  const auto last = with({"--rise-min", "1e-12", "--answers-out", file("answers.csv"),
                          "--confusion-out", file("confusion.csv")});
  BOOST_TEST(last["iterations"] == figures.at("iters"));
  BOOST_TEST(last["log_likelihood"].get<double>() == figures.at("loglik").get<double>(), close);
  const auto answers = "\n" + text_of("answers.csv");
  const auto confusion = "\n" + text_of("confusion.csv");
  BOOST_TEST(contains(confusion, "\nworker,truth,label,share\n"));
  const auto number_after = [](const std::string& text, const std::string& row) {
    const auto at = text.find("\n" + row);
    BOOST_REQUIRE_MESSAGE(at != std::string::npos, "there is no row " << row);
    return std::stod(text.substr(at + 1 + row.size()));
  };
  for (std::size_t k = 0; k < 4; ++k) {
    const auto truth = std::to_string(k + 1);
    BOOST_TEST(last["label_shares"][truth].get<double>()
                   == figures.at("class_marginals").at(k).get<double>(),
               close);
    for (std::size_t label = 0; label < 4; ++label)
      BOOST_TEST(number_after(confusion, "w000," + truth + ',' + std::to_string(label + 1) + ',')
                     == figures.at("observer1_confusion").at(k).at(label).get<double>(),
                 close);
  }
  BOOST_TEST(number_after(answers, "p03,2,") == figures.at("posterior_p03").at(1).get<double>(),
             close);
  BOOST_TEST(number_after(answers, "p36,4,") == figures.at("posterior_p36").at(3).get<double>(),
             close);
}

BOOST_AUTO_TEST_CASE(test_questions_select_a_method_and_make_confidence_honest) {
  const auto selected =
      report({"aggregate", "--method", "gold_selected", "--gold", "--data", data + "zencrowd_us"});
  BOOST_TEST(selected["method"] == "gold_selected");
  BOOST_TEST(selected["used"] == "one_coin");
  BOOST_TEST(selected["scored_units"] == 1836);
  BOOST_TEST(selected["acc"].get<double>() == 0.897059, boost::test_tools::tolerance(1e-4));
  BOOST_TEST(selected["calibration"]["test_questions"] == 204);
  BOOST_TEST(selected["calibration"]["ece"].get<double>() < 0.1);
}

BOOST_AUTO_TEST_CASE(answers_are_written_with_their_confidence) {
  const auto set =
      set_of("worker,task,label\na,\"t,1\",yes\nb,\"t,1\",no\nc,\"t,1\",yes\na,t2,no\n",
             "task,label\nt2,no\n");
  const auto result = report({"aggregate", "--data", set, "--answers-out", file("out.csv")});
  BOOST_TEST(result["acc"] == 1.0);
  BOOST_TEST(text_of("out.csv") == "task,label,confidence\n\"t,1\",yes,0.666666666667\nt2,no,1\n");
  report({"aggregate", "--data", set, "--gold", "--answers-out", file("gold.csv")});
  BOOST_TEST(contains(text_of("gold.csv"), "task,label,confidence,calibrated\n"));
}

BOOST_AUTO_TEST_CASE(every_judgment_counts_when_told_so) {
  const auto set = set_of("worker,task,label\na,t,x\na,t,y\na,t,y\nb,t,x\n", "task,label\n");
  BOOST_TEST(report({"aggregate", "--data", set})["judgments"] == 2);
  const auto all = report({"aggregate", "--every-judgment", "--data", set});
  BOOST_TEST(all["judgments"] == 4);
  BOOST_TEST(all["acc"].is_null()); // nothing is known to be true
  BOOST_TEST(all["pairwise_agreement"].get<double>() == 1.0 / 3,
             boost::test_tools::tolerance(1e-12)); // two pairs of six
}

BOOST_AUTO_TEST_CASE(text_is_for_people) {
  const auto end = ran({"aggregate", "--data", data + "bluebird", "--method", "wawa"});
  BOOST_TEST(end.code == 0);
  BOOST_TEST(contains(end.out, "method: wawa\n"));
  BOOST_TEST(contains(end.out, "units: 108\n"));
}

BOOST_AUTO_TEST_CASE(help_says_which_names_a_method_has) {
  const auto help = ran({"aggregate", "--help"});
  BOOST_TEST(help.code == 0);
  BOOST_TEST(contains(help.out, "mv (majority)"));
  BOOST_TEST(contains(help.out, "fds (fast_dawid_skene)"));
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  const auto complaint = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "aggregate");
    const auto end = ran(std::move(arguments));
    BOOST_TEST(end.code == 2);
    BOOST_TEST(end.out == "");
    return end.err;
  };
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--method", "median"}),
                      "majority, weighted, weighted_log_odds"));
  BOOST_TEST(contains(complaint({"--data", file("none")}), "none/answers.csv: there is no such"));
  BOOST_TEST(
      contains(complaint({"--data", data + "cf_amt", "--method", "gold_selected"}), "add --gold"));
  BOOST_TEST(contains(complaint({"--data", data + "anaesthetist1979", "--gold"}), "truth.csv"));
  const auto bad = set_of("worker,task,label\na,t,x\na,t\n", "");
  BOOST_TEST(contains(complaint({"--data", bad}), "answers.csv:3: the row has 2 fields"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--confusion-out", file("c.csv")}),
                      "majority makes no confusion matrices"));
  BOOST_TEST(contains(
      complaint({"--data", data + "cf_amt", "--method", "map", "--confusion-out", "/none/c.csv"}),
      "/none/c.csv: No such file or directory"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--trust", file("none.csv")}),
                      "majority weighs nobody by it"));
  BOOST_TEST(contains(
      complaint({"--data", data + "cf_amt", "--method", "weighted", "--trust", file("none.csv")}),
      "none.csv: cannot be read"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--trust-prior", "1", "1"}),
                      "add --contributors-out"));
  BOOST_TEST(contains(
      complaint({"--data", data + "cf_amt", "--method", "weighted", "--trust-prior", "1", "0"}),
      "from 0.01 to 1000000"));
  BOOST_TEST(contains(
      complaint({"--data", data + "cf_amt", "--method", "weighted", "--trust-prior", "1", "nan"}),
      "from 0.01 to 1000000"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--contributors-out", "/none/x.csv"}),
                      "/none/x.csv: No such file or directory"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--iterations", "0"}), "iterations"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--rise-min", "2"}), "rise-min"));
  BOOST_TEST(contains(complaint({"--data", data + "cf_amt", "--answers-out", "/none/x.csv"}),
                      "/none/x.csv: No such file or directory"));
}

// finding D5
BOOST_AUTO_TEST_CASE(answers_are_no_formulas_unless_that_is_asked_for) {
  const auto set =
      set_of("worker,task,label\nana,'@t,'=1+1\nbob,@t,=1+1\n", "task,label\n@t,=1+1\n");
  const auto told = report({"aggregate", "--data", set, "--answers-out", file("out.csv")});
  BOOST_TEST(told["units"] == 1);
  BOOST_TEST(told["labels"] == 1);
  BOOST_TEST(told["acc"] == 1.0);
  BOOST_TEST(text_of("out.csv") == "task,label,confidence\n'@t,'=1+1,1\n");
  report({"aggregate", "--data", set, "--answers-out", file("out.csv"), "--no-guard-formulas"});
  BOOST_TEST(text_of("out.csv") == "task,label,confidence\n@t,=1+1,1\n");
}

// finding C8
BOOST_AUTO_TEST_CASE(bad_rows_harm_no_others_where_they_may_be_skipped) {
  const auto set =
      set_of("worker,task,label\na,t,x\na,t\nb,\xff,x\nb,t,\"x\nc,t,\"x\"\n\"d\"d,t,x\ne,t,y\n",
             "task,label\nt,x\nt,y\n");
  const auto end = ran({"aggregate", "--data", set, "--skip-bad-rows", "--json"});
  BOOST_TEST(end.code == 1);
  for (const auto* told : {"answers.csv:3: ", "answers.csv:4: ", "answers.csv:5: ",
                           "answers.csv:7: ", "truth.csv:3: "})
    BOOST_TEST(contains(end.err, told), end.err);
  const auto figures = nlohmann::json::parse(end.out);
  BOOST_TEST(figures["refused"] == 5);
  BOOST_TEST(figures["judgments"] == 3);
  BOOST_TEST(figures["acc"] == 1.0);
  BOOST_TEST(ran({"aggregate", "--data", set}).code == 2);
}

BOOST_AUTO_TEST_CASE(sets_too_wide_for_confusion_matrices_are_refused) {
  std::string answers = "worker,task,label\n";
  for (int i = 0; i < 600; ++i) // 600 cubed is more than the table may have
    answers += "w" + std::to_string(i) + ",t,l" + std::to_string(i) + '\n';
  const auto set = set_of(answers, "task,label\n");
  const auto refused = ran({"aggregate", "--method", "map", "--data", set});
  BOOST_TEST(refused.code == 2);
  BOOST_TEST(contains(refused.err, "600 contributors and 600 labels"));
  BOOST_TEST(ran({"aggregate", "--method", "wawa", "--data", set}).code == 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(simulate_overlap_command, fixture)

BOOST_AUTO_TEST_CASE(savings_and_accuracy_are_reported) {
  const auto dynamic = report(
      {"simulate-overlap", "--data", data + "sp_amt", "--policy", "dynamic", "--seeds", "2"});
  BOOST_TEST(dynamic["saved"].get<double>() > 0.35);
  BOOST_TEST(dynamic["difference"].get<double>() > -0.01);
  BOOST_TEST(dynamic["judgments_fixed"] == 2250);
  BOOST_TEST(dynamic["test_questions"] == 50);
  BOOST_TEST(dynamic["judgments_on_test_questions"] == 1000);
  BOOST_TEST(dynamic["replays"].size() == 2U);

  const auto curtailed = report({"simulate-overlap", "--data", data + "sp_amt", "--policy",
                                 "curtail", "--seeds", "1", "--without-test-questions"});
  BOOST_TEST(curtailed["units"] == 500);
  BOOST_TEST(curtailed["difference"] == 0.0);
  BOOST_TEST(curtailed["saved"].get<double>() > 0.2);
}

BOOST_AUTO_TEST_CASE(a_rule_may_be_written_as_json) {
  const auto three = report({"simulate-overlap", "--data", data + "bluebird", "--policy",
                             R"({"judgments_per_unit": 3})", "--seeds", "1"});
  BOOST_TEST(three["saved"].get<double>() == 0.4, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(without_truth_there_are_savings_but_no_accuracy) {
  const auto set = set_of("worker,task,label\na,t,x\nb,t,x\nc,t,x\n", "task,label\n");
  const auto result = report({"simulate-overlap", "--data", set, "--policy", "fixed"});
  BOOST_TEST(result["judgments"] == 3.0);
  BOOST_TEST(result["acc"].is_null());
  BOOST_TEST(result["difference"].is_null());
}

BOOST_AUTO_TEST_CASE(mistakes_are_named) {
  const auto set = data + "bluebird";
  const auto bad = ran({"simulate-overlap", "--data", set, "--policy", R"({"max": 0})"});
  BOOST_TEST(bad.code == 2);
  BOOST_TEST(contains(bad.err, "fixed, curtail, dynamic"));
  BOOST_TEST(contains(bad.err, "max"));
  BOOST_TEST(ran({"simulate-overlap", "--data", set, "--seeds", "0"}).code == 2);
  BOOST_TEST(ran({"simulate-overlap", "--data", file("none")}).code == 2);
}

BOOST_AUTO_TEST_SUITE_END()
