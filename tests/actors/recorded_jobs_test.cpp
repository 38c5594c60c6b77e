// Recorded jobs through a running node: every recorded judgment is asked for, leased and handed in,
// and what the step makes of them is what independent implementations found (data/expected.json).
// A30 to A34. What a model is refitted to (`wawa`, `one_coin`, `dawid_skene_map`) looks at all
// units again and again: tests/quality holds it to the same figures. Of the two sets that take
// long, where each contributor declines hundreds of units, a part is played, and held to what the
// method makes of that part at once.

#include "core/quality/method.hpp"
#include "core/quality/seeded.hpp"
#include "tests/quality/recorded_sets.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using core::quality::known_labels;
using core::quality::method;

/// So many units of a set, drawn by a seed, with all judgments on them.
documents::labelled_set part_of(const documents::labelled_set& whole, std::size_t units) {
  std::vector<std::size_t> drawn(whole.named.units.size());
  std::iota(drawn.begin(), drawn.end(), std::size_t{0});
  core::quality::seeded_source{1}.shuffle(drawn.begin(), drawn.end());
  drawn.resize(units);
  documents::labelled_set part;
  part.named.contributors = whole.named.contributors;
  part.named.labels = whole.named.labels;
  part.named.given.contributors = whole.named.given.contributors;
  part.named.given.labels = whole.named.given.labels;
  for (const auto unit : drawn) {
    part.named.units.push_back(whole.named.units[unit]);
    for (const auto& one : whole.named.given.of(unit))
      part.named.given.votes.push_back(one);
    part.named.given.begins.push_back(part.named.given.votes.size());
    part.truth.push_back(whole.truth[unit]);
    part.test_questions.push_back(whole.test_questions[unit]);
    part.held_back.push_back(whole.held_back[unit]);
  }
  return part;
}

/// One recorded job in one step of a node.
class recorded_job : public node_fixture {
public:
  recorded_job(documents::labelled_set set, const std::string& method, bool with_test_questions)
      : recorded(std::move(set)), tested(with_test_questions) {
    start();
    const auto& names = recorded.named;
    std::string labels;
    for (const auto& label : names.labels)
      labels += (labels.empty() ? "\"" : ",\"") + label + '"';
    // Practically nobody is removed: those who made the figures kept everybody.
    step =
        create(R"({"name":"recorded","steps":[{"key":"label","aggregation":{"method":")" + method
               + R"(","labels":[)" + labels + "]}"
               + (tested ? R"(,"test_questions":{"every":2,"accuracy_min":0.001})" : "") + "}]}");
    for (std::size_t unit = 0; unit < names.units.size(); ++unit)
      add(unit);
    for (std::uint32_t who = 0; who < names.contributors.size(); ++who)
      judge_all(who);
    seal(step);
    advance(5s);
  }

  bool is_question(std::size_t unit) const {
    return tested && recorded.test_questions[unit] < recorded.named.labels.size();
  }

  /// What the step found, in the form that is scored.
  core::quality::estimates found() {
    core::quality::estimates all{recorded.named.units.size(),
                                 static_cast<std::uint32_t>(recorded.named.labels.size())};
    for (const auto& [unit, result] : results_by_unit()) {
      const auto text = nlohmann::json::parse(result.result);
      const auto best = label_number(text.at("answer"));
      auto* shares = all.of(unit);
      shares[best] = 1;
      // Who is tied can be seen from the shares, who is not need not: they have six digits.
      if (text.at("tied") == 1)
        continue;
      const auto& given = text.contains("shares") ? text.at("shares") : text.at("votes");
      for (std::uint32_t label = 0; label < all.labels; ++label)
        if (given.value(recorded.named.labels[label], 0.0)
            == given.at(text.at("answer").get<std::string>()))
          shares[label] = 1;
    }
    return all;
  }

  /// By number of the unit in the set.
  std::map<std::size_t, msg::unit_result> results_by_unit() {
    std::map<std::size_t, msg::unit_result> all;
    for (const auto& result : results(step)) {
      BOOST_TEST((result.state == core::unit_state::finalized), result.source_key);
      all.emplace(std::stoul(result.source_key.substr(1)), result);
    }
    return all;
  }

  std::size_t label_number(const std::string& name) const {
    const auto& labels = recorded.named.labels;
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), name) - labels.begin());
  }

  documents::labelled_set recorded;
  bool tested;
  core::step_id step;

private:
  void add(std::size_t unit) {
    const auto number = std::to_string(unit);
    if (is_question(unit)) {
      const auto& truth = recorded.named.labels[recorded.test_questions[unit]];
      const auto added = call(msg::add_test_questions{
          step, {{"u" + number, number, R"({"answer":")" + truth + "\"}"}}});
      BOOST_REQUIRE((added.value && added.value->added == 1));
      return;
    }
    const auto wanted = static_cast<std::uint32_t>(recorded.named.given.of(unit).size());
    const auto added = call(msg::add_source_data{step, {{"u" + number, number, wanted}}});
    BOOST_REQUIRE((added.value && added.value->added == 1));
  }

  /// Everything that this contributor said, test questions first, as in a quiz; declines what they
  /// were never asked. Whoever has done all their work is asked no more questions.
  void judge_all(std::uint32_t who) {
    const auto& names = recorded.named;
    const auto& name = names.contributors[who];
    std::map<std::size_t, std::uint32_t> said;
    std::size_t questions = 0;
    std::size_t work = 0;
    for (std::size_t unit = 0; unit < names.units.size(); ++unit) {
      questions += is_question(unit) ? 1 : 0;
      for (const auto& vote : names.given.of(unit))
        if (vote.contributor == who) {
          said.emplace(unit, vote.label);
          work += is_question(unit) ? 0 : 1;
        }
    }
    while (work > 0) {
      const auto lease = assigned(step, name);
      const auto unit = static_cast<std::size_t>(std::stoul(lease.input));
      questions -= is_question(unit) ? 1 : 0;
      if (const auto answer = said.find(unit); answer == said.end()) {
        BOOST_REQUIRE(release(lease, name, true).value);
      } else if (!is_question(unit) && questions > 0) {
        BOOST_REQUIRE(release(lease, name).value);
      } else {
        BOOST_REQUIRE(submit(lease, name, names.labels[answer->second]).value);
        work -= is_question(unit) ? 0 : 1;
        said.erase(answer);
      }
    }
  }
};

struct expectation {
  const char* set;
  const char* figures; ///< In expected.json.
  const char* live;    ///< The step's method.
  method ours;         ///< The same on the whole set at once.
  bool tested;
  bool closed_form; ///< What a unit gets follows from its own judgments.
};

/// A set of these judgments, of which nobody knows what is true.
documents::labelled_set without_truth(core::quality::answers_builder& said) {
  documents::labelled_set set;
  set.named = said.finish(core::quality::repeats::first_counts);
  set.truth.assign(set.named.units.size(), core::quality::unknown_label);
  set.test_questions = set.held_back = set.truth;
  return set;
}

/// What a step says of itself when all of it has been judged.
msg::step_quality quality_of(core::quality::answers_builder& said) {
  recorded_job job{without_truth(said), "majority", false};
  const auto told = job.call(msg::get_step_quality{job.step});
  BOOST_REQUIRE(told.value);
  BOOST_TEST(told.value->judgments == job.recorded.named.given.votes.size());
  return *told.value;
}

/// Test questions to which `answer` is right, and what `who` says to the first of them.
struct examined_node : node_fixture {
  examined_node() { start(); }

  void ask_about(const core::step_id& step, int questions, const std::string& answer) {
    msg::add_test_questions request{step, {}};
    for (int i = 0; i < questions; ++i)
      request.rows.push_back({"q" + std::to_string(i), "{}", R"({"answer":")" + answer + "\"}"});
    const auto added = call(std::move(request));
    BOOST_REQUIRE_MESSAGE(added.value, (added.error ? added.error->detail : "no answer"));
  }

  void take_quiz(const core::step_id& step, const std::string& who, int right, int questions) {
    for (int i = 0; i < questions; ++i)
      BOOST_REQUIRE(submit(assigned(step, who), who, i < right ? "0" : "1").value);
  }
};

/// Each unit is as sure as the method is of the whole set at once.
void same_confidence(recorded_job& job, method ours) {
  const auto whole = aggregate_by(ours, job.recorded.named.given,
                                  job.tested ? job.recorded.test_questions : known_labels{});
  const auto results = job.results_by_unit();
  BOOST_TEST(!results.empty());
  for (const auto& [unit, result] : results) {
    const auto consensus = core::quality::consensus_of(whole.found.of(unit), whole.found.labels);
    BOOST_TEST(std::abs(result.confidence - consensus.confidence) < 1e-9, "unit " << unit);
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(recorded_jobs)

BOOST_AUTO_TEST_CASE(a_live_step_finds_what_was_found_in_recorded_jobs) {
  const expectation all[] = {
      {"bluebird", "mv_nongold", "majority", method::majority, true, true},
      {"bluebird", "trust_linear_nongold", "weighted", method::weighted, true, true},
      {"bluebird", "trust_logodds_nongold", "weighted_log_odds", method::weighted_log_odds, true,
       true},
      // Each unit gets its answer when its last judgment comes in, which is when nearly all have.
      {"bluebird", "ds_map_gold_nongold", "incremental", method::incremental, true, false},
      {"bluebird", "ds_map_gold_nongold", "gold_selected", method::gold_selected, true, false},
      {"cf_amt", "trust_logodds_nongold", "weighted_log_odds", method::weighted_log_odds, true,
       true},
  };
  const auto expected = data_json("expected.json");
  for (const auto& one : all) {
    BOOST_TEST_CONTEXT(one.set << " " << one.figures) {
      recorded_job job{recorded_set(one.set), one.live, one.tested};
      const auto& figures = expected.at(one.set).at("algos").at(one.figures);
      const double tolerance = figures.at("tol");
      const auto right =
          accuracy_of(job.found(), one.tested ? job.recorded.held_back : job.recorded.truth);
      BOOST_TEST(right.units == figures.at("n").get<std::size_t>());
      BOOST_TEST(std::abs(right.shared - figures.at("acc").get<double>()) <= tolerance);
      BOOST_TEST(std::abs(right.lowest - figures.at("acc_lowest").get<double>()) <= tolerance);
      BOOST_TEST((job.statistics(job.step).step.status == core::step_status::completed));
      BOOST_TEST(broken_invariants(*job.database).empty());
      if (!one.closed_form)
        continue;
      same_confidence(job, one.ours);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_live_step_finds_in_a_part_of_a_job_what_the_method_finds) {
  struct part {
    const char* set;
    std::size_t units;
    const char* live; ///< The step's method.
    method ours;
  };
  const part all[] = {
      {"zencrowd_us", 150, "weighted_log_odds", method::weighted_log_odds},
      {"sp_amt", 60, "weighted", method::weighted},
  };
  for (const auto& one : all) {
    BOOST_TEST_CONTEXT(one.set << " " << one.live) {
      recorded_job job{part_of(recorded_set(one.set), one.units), one.live, true};
      const auto questions =
          std::count_if(job.recorded.test_questions.begin(), job.recorded.test_questions.end(),
                        [](auto truth) { return truth != core::quality::unknown_label; });
      BOOST_TEST(questions > 3); // so that votes do not weigh alike
      const auto whole =
          aggregate_by(one.ours, job.recorded.named.given, job.recorded.test_questions);
      const auto expected = accuracy_of(whole.found, job.recorded.held_back);
      const auto right = accuracy_of(job.found(), job.recorded.held_back);
      BOOST_TEST(right.units == expected.units);
      BOOST_TEST(std::abs(right.shared - expected.shared) < 1e-9);
      BOOST_TEST(std::abs(right.lowest - expected.lowest) < 1e-9);
      BOOST_TEST((job.statistics(job.step).step.status == core::step_status::completed));
      BOOST_TEST(broken_invariants(*job.database).empty());
      same_confidence(job, one.ours);
    }
  }
}

// data/vectors.json: agreement of live judgments is that of the published tables. A23
BOOST_AUTO_TEST_CASE(a_live_step_tells_of_published_agreement) {
  const auto vectors = data_json("vectors.json");
  const auto close = boost::test_tools::tolerance(1e-12);
  {
    const auto& figures = vectors.at("krippendorff_nominal");
    core::quality::answers_builder said;
    for (const auto* who : {"A", "B", "C"})
      for (std::size_t unit = 0; unit < figures.at(who).size(); ++unit)
        if (const std::string label = figures.at(who).at(unit); label != "*")
          said.add(who, std::to_string(unit), label);
    BOOST_TEST(quality_of(said).krippendorff_alpha == figures.at("expect").get<double>(), close);
  }
  {
    const auto& figures = vectors.at("crowdkit_alpha_doc");
    core::quality::answers_builder said;
    for (const auto& row : figures.at("answers"))
      said.add(std::string{row.at(0)}, std::string{row.at(1)}, std::string{row.at(2)});
    BOOST_TEST(quality_of(said).krippendorff_alpha == figures.at("expect").get<double>(), close);
  }
  {
    const auto& figures = vectors.at("fleiss_kappa");
    core::quality::answers_builder said;
    for (std::size_t unit = 0; unit < figures.at("counts").size(); ++unit) {
      int who = 0;
      for (std::size_t label = 0; label < figures.at("counts").at(unit).size(); ++label)
        for (int n = figures.at("counts").at(unit).at(label); n > 0; --n)
          said.add("w" + std::to_string(who++), std::to_string(unit), std::to_string(label));
    }
    BOOST_TEST(quality_of(said).fleiss_kappa == figures.at("expect").get<double>(), close);
  }
}

// data/vectors.json: skill is what a quiz of fourteen questions says, (4 + right) / 20. A32
BOOST_FIXTURE_TEST_CASE(skilled_votes_have_the_published_posterior, examined_node) {
  const auto rows = data_json("vectors.json").at("toloka_dynamic_overlap");
  const auto step = create(R"({"name":"skills","steps":[{"key":"label",
      "aggregation":{"method":"weighted_log_odds","labels":["0","1","2"]},
      "test_questions":{"quiz":14,"quiz_pass":0.5,"every":0,"accuracy_min":0.001}}]})");
  ask_about(step, 14, "0");
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto number = std::to_string(row);
    const auto wanted = static_cast<std::uint32_t>(rows[row].at("answers").size());
    BOOST_REQUIRE(call(msg::add_source_data{step, {{"u" + number, number, wanted}}}).value);
  }
  const auto skills = rows.back().at("skills").get<std::vector<double>>();
  for (std::size_t who = 0; who < skills.size(); ++who) {
    const auto name = "w" + std::to_string(who);
    take_quiz(step, name, static_cast<int>(std::lround(20 * skills[who])) - 4, 14);
    for (auto lease = assign(step, name); lease.value; lease = assign(step, name)) {
      const auto& row = rows.at(std::stoul(lease.value->input));
      BOOST_REQUIRE(row.at("skills").at(who) == skills[who]);
      BOOST_REQUIRE(submit(*lease.value, name, row.at("answers").at(who).dump()).value);
    }
  }
  advance(1s);
  const auto all = results(step);
  BOOST_REQUIRE(all.size() == rows.size());
  for (const auto& result : all) {
    const auto& row = rows.at(std::stoul(result.source_key.substr(1)));
    const auto posterior = row.at("posterior").get<std::vector<double>>();
    BOOST_TEST((result.state == core::unit_state::finalized), result.source_key);
    BOOST_TEST(result.confidence == *std::max_element(posterior.begin(), posterior.end()),
               boost::test_tools::tolerance(1e-12));
    const auto shares = nlohmann::json::parse(result.result).at("shares");
    for (std::size_t label = 0; label < posterior.size(); ++label) // of six digits
      BOOST_TEST(std::abs(shares.at(std::to_string(label)).get<double>() - posterior[label])
                 < 1e-6);
  }
}

// data/vectors.json: the mean of trust after so many test questions. A15, A57
BOOST_FIXTURE_TEST_CASE(trust_in_contributors_has_the_published_mean, examined_node) {
  const auto cases = data_json("vectors.json").at("beta_trust").at("cases");
  const auto step = create(R"({"name":"trust","steps":[{"key":"label",
      "test_questions":{"quiz":20,"quiz_pass":0.1,"every":0,"accuracy_min":0.001}}]})");
  ask_about(step, 20, "0");
  feed(step, 1); // nobody is tested for work that there is not
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto who = "w" + std::to_string(i);
    take_quiz(step, who, cases[i].at("correct"), cases[i].at("total"));
    assigned(step, who); // whoever has answered nothing is known, too
  }
  const auto page = call(msg::list_contributors{step, "", 100});
  BOOST_REQUIRE((page.value && page.value->contributors.size() == cases.size()));
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const auto& one = page.value->contributors[i];
    BOOST_TEST(one.tests == cases[i].at("total").get<std::uint32_t>());
    BOOST_TEST(one.right == cases[i].at("correct").get<std::uint32_t>());
    BOOST_TEST(one.trust == cases[i].at("mean").get<double>(), boost::test_tools::tolerance(1e-15));
    BOOST_TEST(one.trust_low < one.trust);
  }
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace holdfast::test
