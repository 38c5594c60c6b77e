// Recorded jobs through a running node: every recorded judgment is asked for, leased and handed in,
// and what the step makes of them is what independent implementations found (data/expected.json,
// data/vectors.json). A30 to A34. The tables below say of every key of these files where it is
// proven; one that is in none of them fails a test.

#include "core/quality/method.hpp"
#include "tests/quality/recorded_sets.hpp"
#include "tests/support/node_fixture.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;

namespace holdfast::test {

namespace {

using core::quality::known_labels;
using core::quality::method;

/// Where a key of the files is proven.
struct proof {
  const char* key;
  /// What proves it through a node: the method of a step, or an answer of the API, or a test case.
  /// Null: nothing does, and tests/app/quality_commands_test.cpp proves it by `holdfast aggregate`.
  const char* live;
  const char* why_not = nullptr; ///< Where nothing live proves it.
};

constexpr auto no_live_step = "no live step takes the method";

// Of live steps the rules are those of the specification, if judgments come in as they do here:
// * One judgment per contributor and unit: whoever has judged a unit is not offered it again. What
//   the files repeat is left out before, as the first one counts.
// * Test questions come first, so that all that is known of a contributor weighs all of their work.
// * What a model finds depends on when it is asked. Here it is asked late: all judgments are in
//   before the first of them is heard of, and the node is another process by then, which begins
//   with a look at all of them.
const proof methods_proven[] = {
    {"mv", "majority"},
    {"wawa", "wawa"},
    {"wawa_soft", nullptr, no_live_step},
    {"ds_mle", nullptr, no_live_step},
    {"ds_map", "dawid_skene_map"},
    {"fds", nullptr, no_live_step},
    {"onecoin_mle", nullptr, no_live_step},
    {"onecoin_map", "one_coin"},
    {"ibcc_vb", nullptr, no_live_step},
    {"glad", nullptr, no_live_step},
    {"mv_nongold", "majority"},
    {"trust_linear_nongold", "weighted"},
    {"trust_logodds_nongold", "weighted_log_odds"},
    {"ds_map_gold_nongold", "dawid_skene_map"},
    {"onecoin_map_gold_nongold", "one_coin"},
};

/// What the file says of each method.
const proof figures_proven[] = {
    {"acc", "results"},
    {"acc_lowest", "results"},
    {"n", "results"},
    {"ll", nullptr, "a step does not tell how likely its model is"},
    {"iters", nullptr, "a step does not tell how its model came to an end"},
    {"tol", "results: how far off they may be"},
    {"ll_rel_tol", nullptr, "as `ll`"},
};

/// What the file says of each set.
const proof counts_proven[] = {
    {"tasks", "get_step_quality"},        {"workers", "list_contributors"},
    {"answers", "get_step_quality"},      {"K", "get_step_quality"},
    {"labels", "votes in results"},       {"truth", "results"},
    {"apt", "get_step_quality"},          {"krippendorff", "get_step_quality"},
    {"fleiss", "get_step_quality"},       {"pairwise_agreement", "votes in results"},
    {"gold_tasks", "add_test_questions"}, {"gold_judgments_per_worker_median", "list_contributors"},
};

const proof vectors_proven[] = {
    {"figure8_confidence", "trusted_votes_have_the_published_confidence"},
    {"toloka_dynamic_overlap", "skilled_votes_have_the_published_posterior"},
    {"toloka_skill", nullptr, "in a live step trust begins with four right and two wrong"},
    {"krippendorff_nominal", "a_live_step_tells_of_published_agreement"},
    {"fleiss_kappa", "a_live_step_tells_of_published_agreement"},
    {"cohen_kappa", nullptr, "of a contributor a step tells the kappa only when it is low"},
    {"crowdkit_alpha_doc", "a_live_step_tells_of_published_agreement"},
    {"beta_trust", "trust_in_contributors_has_the_published_mean"},
    {"dawid_skene_1979", nullptr,
     "one observer judged each unit three times, which no step lets them do"},
};

template <std::size_t Rows>
void every_key_is_proven(const nlohmann::json& keys, const proof (&table)[Rows]) {
  std::multiset<std::string> listed;
  for (const auto& row : table) {
    listed.insert(row.key);
    BOOST_TEST(keys.contains(row.key), "no such key: " << row.key);
    BOOST_TEST((row.live == nullptr) == (row.why_not != nullptr), row.key);
  }
  for (const auto& [key, value] : keys.items())
    BOOST_TEST(listed.count(key) == 1U, key << " must be in the table once");
}

bool has_test_questions(const std::string& key) {
  return key.find("_nongold") != std::string::npos;
}

/// In which order judgments come in, and when the step hears of them.
enum class course {
  by_unit,        ///< All judgments of a unit, then the next one.
  by_unit_late,   ///< As before; the step hears of all at once, in another process of the node.
  by_contributor, ///< All that one contributor said, then the next one.
};

/// Nobody is tested for work that there is not, so there is some, which everybody declines: what is
/// only given back is what they are offered next. Of two assignments one is a question, so that
/// between two of them there are at most two others.
class node_with_decoys : public node_fixture {
public:
  static constexpr std::size_t decoys_per_question = 2;
  static constexpr const char* decoy = R"("decoy")";

  void add_decoys(const core::step_id& step, std::size_t questions) {
    for (std::size_t i = 0; i < decoys_per_question * (questions + 1); ++i) {
      const auto key = "d" + std::to_string(i);
      const auto added = call(msg::add_source_data{step, {{key, decoy, 1}}});
      BOOST_REQUIRE((added.value && added.value->added == 1));
    }
  }

  /// The next question; none: they have been asked all of them.
  msg::assignment next_question(const core::step_id& step, const std::string& who) {
    msg::assignment lease;
    for (std::size_t tries = 0; tries <= decoys_per_question; ++tries) {
      lease = assigned(step, who);
      if (lease.input != decoy)
        break;
      BOOST_REQUIRE(release(lease, who, true).value);
    }
    BOOST_REQUIRE(lease.input != decoy);
    return lease;
  }

  void cancel_decoys(const core::step_id& step) {
    const auto verb = static_cast<std::uint8_t>(core::unit_verb::cancel);
    for (const auto& [id, row] : database->tables().units)
      if (is_decoy(row.made.source_key))
        BOOST_REQUIRE(call(msg::change_unit{step, id, verb}).value);
  }

  /// What became of everything else.
  std::vector<msg::unit_result> results_of_work(const core::step_id& step) {
    auto all = results(step);
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const auto& result) { return is_decoy(result.source_key); }),
              all.end());
    return all;
  }

private:
  static bool is_decoy(const std::string& key) { return key.front() == 'd' && key != "dish"; }
};

/// One recorded job in one step of a node.
class recorded_job : public node_with_decoys {
public:
  recorded_job(documents::labelled_set set, const std::string& method, bool with_test_questions,
               course taken = course::by_unit)
      : recorded(std::move(set)), tested(with_test_questions) {
    watches_actors = false;
    start();
    std::string labels;
    for (const auto& label : recorded.named.labels)
      labels += (labels.empty() ? "\"" : ",\"") + label + '"';
    // Practically nobody is removed: those who made the figures kept everybody.
    step = create(R"({"name":"recorded","steps":[{"key":"label","aggregation":{"method":")" + method
                  + R"(","labels":[)" + labels + "]}"
                  + (tested ? R"(,"test_questions":{"quiz":0,"every":2,"accuracy_min":0.001})" : "")
                  + "}]}");
    if (taken == course::by_unit_late)
      held_back = "relay";
    if (taken == course::by_contributor)
      play_by_contributor();
    else
      play_by_unit();
    seal(step);
    if (taken == course::by_unit_late) {
      restart();
      BOOST_TEST(statistics(step).finalized == 0U); // and now the step has started
      held_back.clear();
    }
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
    for (const auto& result : results_of_work(step)) {
      BOOST_TEST((result.state == core::unit_state::finalized), result.source_key);
      all.emplace(std::stoul(result.source_key.substr(1)), result);
    }
    return all;
  }

  std::vector<msg::contributor_view> contributors() {
    const auto page = call(msg::list_contributors{step, "", 1000});
    BOOST_REQUIRE((page.value && !page.value->more));
    return page.value->contributors;
  }

  std::size_t label_number(const std::string& name) const {
    const auto& labels = recorded.named.labels;
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), name) - labels.begin());
  }

  documents::labelled_set recorded;
  bool tested;
  core::step_id step;
  std::size_t questions_added = 0;

private:
  void add(std::size_t unit) {
    const auto number = std::to_string(unit);
    if (is_question(unit)) {
      const auto& truth = recorded.named.labels[recorded.test_questions[unit]];
      const auto added = call(msg::add_test_questions{
          step, {{"u" + number, number, R"({"answer":")" + truth + "\"}"}}});
      BOOST_REQUIRE((added.value && added.value->added == 1));
      ++questions_added;
      return;
    }
    const auto wanted = static_cast<std::uint32_t>(recorded.named.given.of(unit).size());
    const auto added = call(msg::add_source_data{step, {{"u" + number, number, wanted}}});
    BOOST_REQUIRE((added.value && added.value->added == 1));
  }

  const std::string& name_of(const core::quality::vote& vote) const {
    return recorded.named.contributors[vote.contributor];
  }
  const std::string& label_of(const core::quality::vote& vote) const {
    return recorded.named.labels[vote.label];
  }

  /// Nobody is offered what they did not judge, because only one unit is open at a time: on the
  /// larger sets each contributor would decline hundreds.
  void play_by_unit() {
    std::vector<std::size_t> questions;
    std::vector<std::size_t> work;
    for (std::size_t unit = 0; unit < recorded.named.units.size(); ++unit)
      (is_question(unit) ? questions : work).push_back(unit);
    std::vector<msg::assignment> answered;
    if (!questions.empty()) {
      add_decoys(step, questions.size());
      for (const auto unit : questions)
        answered.push_back(answer_question(unit));
      cancel_decoys(step);
    }
    for (const auto unit : work) {
      add(unit);
      judge(unit);
    }
    for (const auto& question : answered)
      BOOST_REQUIRE(change(question, core::unit_verb::resume).value);
  }

  /// Everybody who answered the question does so; it is paused afterwards.
  msg::assignment answer_question(std::size_t unit) {
    add(unit);
    const auto number = std::to_string(unit);
    msg::assignment lease;
    for (const auto& vote : recorded.named.given.of(unit)) {
      const auto& who = name_of(vote);
      lease = next_question(step, who);
      BOOST_REQUIRE(lease.input == number);
      BOOST_REQUIRE(submit(lease, who, label_of(vote)).value);
    }
    BOOST_REQUIRE(change(lease, core::unit_verb::pause).value);
    return lease;
  }

  /// All at once: what many ask at the same time is one commit.
  void judge(std::size_t unit) {
    const auto votes = recorded.named.given.of(unit);
    std::vector<awaited_answer<msg::ask_assignment>> leases;
    for (const auto& vote : votes)
      leases.push_back(
          send_to_node(msg::ask_assignment{step, name_of(vote), fresh<core::assignment_id>()}));
    settle();
    std::vector<awaited_answer<msg::submit_judgment>> judgments;
    const auto number = std::to_string(unit);
    std::size_t next = 0;
    for (const auto& vote : votes) {
      const auto& lease = leases[next++];
      BOOST_REQUIRE((lease->value && lease->value->input == number));
      judgments.push_back(send_to_node(judgment(*lease->value, name_of(vote), label_of(vote))));
    }
    settle();
    for (const auto& done : judgments)
      BOOST_REQUIRE(done->value);
  }

  /// Test questions first, as in a quiz; nobody is asked any who has nothing else to say.
  void play_by_contributor() {
    std::vector<std::size_t> work;
    std::size_t questions = 0;
    for (std::size_t unit = 0; unit < recorded.named.units.size(); ++unit)
      if (is_question(unit)) {
        add(unit);
        ++questions;
      } else {
        work.push_back(unit);
      }
    std::vector<std::map<std::size_t, std::uint32_t>> said(recorded.named.contributors.size());
    for (std::size_t unit = 0; unit < recorded.named.units.size(); ++unit)
      for (const auto& vote : recorded.named.given.of(unit))
        said[vote.contributor].emplace(unit, vote.label);
    if (questions > 0) {
      add_decoys(step, questions);
      for (std::uint32_t who = 0; who < said.size(); ++who)
        if (has_work(said[who]))
          for (std::size_t asked = 0; asked < questions; ++asked)
            answer(who, next_question(step, recorded.named.contributors[who]), said[who]);
      cancel_decoys(step);
    }
    for (const auto unit : work)
      add(unit);
    for (std::uint32_t who = 0; who < said.size(); ++who)
      while (has_work(said[who]))
        answer(who, assigned(step, recorded.named.contributors[who]), said[who]);
  }

  bool has_work(const std::map<std::size_t, std::uint32_t>& said) const {
    return std::any_of(said.begin(), said.end(),
                       [&](const auto& one) { return !is_question(one.first); });
  }

  /// What this contributor said, and may say no more; they decline what they were never asked.
  void answer(std::uint32_t who, const msg::assignment& lease,
              std::map<std::size_t, std::uint32_t>& said) {
    const auto& name = recorded.named.contributors[who];
    const auto answer = said.find(static_cast<std::size_t>(std::stoul(lease.input)));
    if (answer == said.end()) {
      BOOST_REQUIRE(release(lease, name, true).value);
    } else {
      BOOST_REQUIRE(submit(lease, name, recorded.named.labels[answer->second]).value);
      said.erase(answer);
    }
  }
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
struct examined_node : node_with_decoys {
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

void finds(recorded_job& job, const nlohmann::json& figures) {
  const double tolerance = figures.at("tol");
  const auto right =
      accuracy_of(job.found(), job.tested ? job.recorded.held_back : job.recorded.truth);
  BOOST_TEST(right.units == figures.at("n").get<std::size_t>());
  BOOST_TEST(std::abs(right.shared - figures.at("acc").get<double>()) <= tolerance,
             right.shared << " is not " << figures.at("acc"));
  BOOST_TEST(std::abs(right.lowest - figures.at("acc_lowest").get<double>()) <= tolerance,
             right.lowest << " is not " << figures.at("acc_lowest"));
  BOOST_TEST((job.statistics(job.step).step.status == core::step_status::completed));
  BOOST_TEST(broken_invariants(*job.database).empty());
}

/// What a step without test questions tells of the set.
void tells_of_set(recorded_job& job, const nlohmann::json& meta) {
  const auto quality = job.call(msg::get_step_quality{job.step});
  BOOST_REQUIRE((quality.value && quality.value->comparable));
  const auto& told = *quality.value;
  BOOST_TEST(told.units == meta.at("tasks").get<std::uint64_t>());
  BOOST_TEST(told.finished_units == told.units);
  BOOST_TEST(told.judgments == meta.at("answers").get<std::uint64_t>());
  BOOST_TEST(told.labels == meta.at("K").get<std::uint64_t>());
  // They have so many digits.
  const auto near = [](double found, const nlohmann::json& figure, double digits) {
    BOOST_TEST(std::abs(found - figure.get<double>()) < 0.6 * std::pow(10, -digits));
  };
  near(static_cast<double>(told.judgments) / static_cast<double>(told.units), meta.at("apt"), 3);
  near(told.krippendorff_alpha, meta.at("krippendorff"), 5);
  near(told.fleiss_kappa, meta.at("fleiss"), 5);

  std::set<std::string> labels;
  double agreed = 0;
  double units = 0;
  for (const auto& [unit, result] : job.results_by_unit()) {
    double votes = 0;
    double pairs = 0;
    const auto text = nlohmann::json::parse(result.result);
    for (const auto& [label, given] : text.at("votes").items()) {
      const double number = given;
      if (number > 0)
        labels.insert(label);
      votes += number;
      pairs += number * (number - 1);
    }
    if (votes < 2)
      continue;
    agreed += pairs / (votes * (votes - 1));
    ++units;
  }
  BOOST_TEST(labels == meta.at("labels").get<std::set<std::string>>(),
             boost::test_tools::per_element());
  near(agreed / units, meta.at("pairwise_agreement"), 5);
  BOOST_TEST(accuracy_of(job.found(), job.recorded.truth).units
             == meta.at("truth").get<std::size_t>());
}

/// What a step with test questions tells of them, and of those who answered them.
void tells_of_questions(recorded_job& job, const nlohmann::json& meta) {
  BOOST_TEST(job.questions_added == meta.at("gold_tasks").get<std::size_t>());
  const auto known = job.contributors();
  BOOST_TEST(known.size() == meta.at("workers").get<std::size_t>());
  std::vector<double> answered;
  for (const auto& one : known)
    answered.push_back(one.tests);
  std::sort(answered.begin(), answered.end());
  const auto middle = answered.size() / 2;
  const auto median =
      answered.size() % 2 == 1 ? answered[middle] : (answered[middle - 1] + answered[middle]) / 2;
  BOOST_TEST(median == meta.at("gold_judgments_per_worker_median").get<double>());
}

} // namespace

BOOST_AUTO_TEST_SUITE(recorded_jobs)

BOOST_AUTO_TEST_CASE(every_figure_of_the_files_is_proven_somewhere) {
  const auto expected = expected_figures();
  for (const auto& [set, told] : expected.items())
    BOOST_TEST_CONTEXT(set) {
      BOOST_TEST(told.size() == 2U); // these two
      every_key_is_proven(told.at("meta"), counts_proven);
      every_key_is_proven(told.at("algos"), methods_proven);
      std::set<std::string> said;
      for (const auto& [key, figures] : told.at("algos").items())
        for (const auto& [figure, value] : figures.items())
          said.insert(figure);
      nlohmann::json all = nlohmann::json::object();
      for (const auto& figure : said)
        all[figure] = true;
      every_key_is_proven(all, figures_proven);
    }
  every_key_is_proven(data_json("vectors.json"), vectors_proven);
}

BOOST_AUTO_TEST_CASE(a_live_step_finds_what_was_found_in_recorded_jobs) {
  const auto expected = expected_figures();
  for (const auto& [set, told] : expected.items())
    for (const auto& row : methods_proven) {
      if (row.live == nullptr)
        continue;
      const std::string key = row.key;
      BOOST_TEST_CONTEXT(set << " " << key) {
        const auto ours = core::quality::method_named(method_of_key(key));
        BOOST_REQUIRE(ours);
        BOOST_REQUIRE(core::quality::name_of(*ours) == row.live);
        const bool tested = has_test_questions(key);
        const bool by_model = asks_model(*core::aggregation_method_named(row.live));
        recorded_job job{recorded_set(set), row.live, tested,
                         by_model ? course::by_unit_late : course::by_unit};
        finds(job, told.at("algos").at(key));
        // With test questions a model has corrected it, and a live step expects labels of
        // `one_coin` that nobody gave.
        if (!by_model || (!tested && *ours != method::one_coin))
          same_confidence(job, *ours);
        if (key == "mv")
          tells_of_set(job, told.at("meta"));
        if (key == "mv_nongold")
          tells_of_questions(job, told.at("meta"));
      }
    }
}

// Each unit gets its answer when its last judgment comes in, which is when nearly all have.
BOOST_AUTO_TEST_CASE(a_live_step_finds_nearly_the_same_while_judgments_come_in) {
  const auto expected = expected_figures();
  for (const auto* live : {"incremental", "gold_selected"})
    BOOST_TEST_CONTEXT(live) {
      recorded_job job{recorded_set("bluebird"), live, true, course::by_contributor};
      finds(job, expected.at("bluebird").at("algos").at("ds_map_gold_nongold"));
    }
}

// Nobody knows what is true of them, so no file says how often a method is right.
BOOST_AUTO_TEST_CASE(a_live_step_finds_in_sets_without_truth_what_the_method_finds) {
  for (const auto* set : {"anaesthetist1979", "ct_video_binary"})
    BOOST_TEST_CONTEXT(set) {
      for (const auto plain : {method::majority, method::weighted}) {
        recorded_job job{recorded_set(set), std::string{core::quality::name_of(plain)}, false};
        same_confidence(job, plain);
      }
      for (const auto learned : {method::wawa, method::dawid_skene_map}) {
        recorded_job job{recorded_set(set), std::string{core::quality::name_of(learned)}, false,
                         course::by_unit_late};
        same_confidence(job, learned);
      }
    }
}

BOOST_FIXTURE_TEST_CASE(methods_that_no_live_step_takes_are_refused, node_fixture) {
  start();
  for (const auto& row : methods_proven)
    if (row.live == nullptr) {
      const auto ours = core::quality::method_named(method_of_key(row.key));
      BOOST_REQUIRE(ours);
      const auto refused = call(msg::create_workflow{
          fresh<core::workflow_id>(),
          R"({"name":"refused","steps":[{"key":"label","aggregation":{"method":")"
              + std::string{core::quality::name_of(*ours)} + R"(","labels":["0","1"]}}]})"});
      BOOST_REQUIRE_MESSAGE(refused.error, row.key << " has a live step");
      BOOST_TEST(refused.error->detail.find("/steps/0/aggregation/method: must be ")
                     != std::string::npos,
                 refused.error->detail);
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

// data/vectors.json: trust after so few test questions is a fraction, so the sums of trust are
// those of the example times 10000/5040. A31
BOOST_FIXTURE_TEST_CASE(trusted_votes_have_the_published_confidence, examined_node) {
  struct voters {
    const char* label;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tests; ///< Answered, and rightly.
  };
  const std::vector<voters> all{
      {"beef",
       {{4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {4, 4}, {8, 8}, {10, 9}}},
      {"chicken", {{2, 2}, {3, 1}, {4, 3}, {9, 9}, {10, 9}}},
      {"veggie", {{8, 0}, {9, 7}, {10, 9}}},
  };
  const auto figures = data_json("vectors.json").at("figure8_confidence");
  BOOST_REQUIRE(figures.at("sum_trust").size() == all.size());
  const auto close = boost::test_tools::tolerance(1e-12);
  const auto step = create(R"({"name":"meals","steps":[{"key":"label",
      "aggregation":{"method":"weighted","labels":["beef","chicken","veggie"]},
      "test_questions":{"quiz":0,"every":2,"accuracy_min":0.001}}]})");
  ask_about(step, 10, "beef");
  add_decoys(step, 10);
  for (const auto& one : all) {
    double sum = 0;
    for (std::size_t i = 0; i < one.tests.size(); ++i) {
      const auto& [asked, right] = one.tests[i];
      sum += (4.0 + right) / (6.0 + asked);
      const auto who = one.label + std::to_string(i);
      for (std::uint32_t answered = 0; answered < asked; ++answered)
        BOOST_REQUIRE(
            submit(next_question(step, who), who, answered < right ? "beef" : "veggie").value);
    }
    BOOST_TEST(sum == figures.at("sum_trust").at(one.label).get<double>() * 10000 / 5040, close);
  }
  cancel_decoys(step);
  BOOST_REQUIRE(call(msg::add_source_data{step, {{"dish", "7", 19}}}).value);
  for (const auto& one : all)
    for (std::size_t i = 0; i < one.tests.size(); ++i) {
      const auto who = one.label + std::to_string(i);
      auto lease = assigned(step, who);
      for (; lease.input != "7"; lease = assigned(step, who))
        BOOST_REQUIRE(
            release(lease, who, true).value); // a question that they are not asked any more
      BOOST_REQUIRE(submit(lease, who, one.label).value);
    }
  advance(1s);
  const auto told = results_of_work(step);
  BOOST_REQUIRE(told.size() == 1U);
  const auto result = nlohmann::json::parse(told.front().result);
  BOOST_TEST(result.at("answer") == "beef");
  BOOST_TEST(told.front().confidence == figures.at("expect").at("beef").get<double>(), close);
  for (const auto& [label, share] : figures.at("expect").items()) // of six digits
    BOOST_TEST(std::abs(result.at("shares").at(label).get<double>() - share.get<double>()) < 1e-6);
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
