// Majority vote: by hand, under permutation, and against published recordings of real labelling.

#include "core/aggregation.hpp"

#include "core/invariant.hpp"
#include "core/quality/labels.hpp"
#include "tests/core/random_source.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using core::majority;

namespace {

using answers = std::vector<std::string>;

answers sorted(answers list) {
  core::quality::sort_labels(list);
  return list;
}

/// The columns of a line; a column may be quoted, with quotes in it doubled.
std::vector<std::string> columns(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += line[i];
  }
  return fields;
}

std::vector<std::vector<std::string>> rows_of(const std::string& file) {
  std::ifstream in{test::source_dir() + "/data/" + file};
  BOOST_REQUIRE_MESSAGE(in, "cannot read data/" << file);
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(in, line); // names of the columns
  while (std::getline(in, line))
    rows.push_back(columns(line));
  return rows;
}

struct score {
  std::size_t units = 0;
  std::size_t judgments = 0;
  double shared_ties = 0;  ///< A tie with the truth in it counts for 1 / number of tied answers.
  double first_answer = 0; ///< A tie counts for its first answer.
};

/// The accuracy of the majority on one recorded job; of repeated judgments the first counts.
score score_of(const std::string& set) {
  std::map<std::string, answers> given;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& row : rows_of(set + "/answers.csv"))
    if (seen.emplace(row.at(0), row.at(1)).second)
      given[row.at(1)].push_back(row.at(2));
  score s;
  s.judgments = seen.size();
  for (const auto& row : rows_of(set + "/truth.csv")) {
    const auto unit = given.find(row.at(0));
    if (unit == given.end())
      continue;
    ++s.units;
    const auto consensus = majority(unit->second);
    const auto& truth = row.at(1);
    s.first_answer += consensus.answer == truth ? 1 : 0;
    std::uint32_t most = 0;
    std::uint32_t for_truth = 0;
    for (const auto& share : consensus.support) {
      most = std::max(most, share.votes);
      for_truth = share.answer == truth ? share.votes : for_truth;
    }
    s.shared_ties += for_truth == most ? 1.0 / consensus.tied : 0;
  }
  s.shared_ties /= static_cast<double>(s.units);
  s.first_answer /= static_cast<double>(s.units);
  return s;
}

} // namespace

BOOST_AUTO_TEST_SUITE(reviews)

// A18, A19, A20
BOOST_AUTO_TEST_CASE(the_verdict_of_most_reviewers_counts_and_of_corrections_the_most_frequent) {
  const auto of = [](const std::vector<std::string>& said) {
    std::vector<core::trusted_answer> given;
    for (const auto& answer : said)
      given.push_back({answer, 1});
    return core::aggregate_of({core::aggregation_method::review, {}, {}}, given);
  };
  BOOST_TEST(core::to_json(of({"approve"}))
             == R"({"answer":"approve","confidence":1,"votes":{"approve":1},"tied":1,)"
                R"("method":"review","shares":{"approve":1,"correct":0,"reject":0}})");
  const auto corrected =
      of({R"(correct:"dog")", "approve", R"(correct:"cat")", R"(correct:"dog")", "reject"});
  BOOST_TEST(corrected.answer == "correct");
  BOOST_TEST(corrected.confidence == 0.6);
  BOOST_TEST(corrected.correction == R"("dog")");
  BOOST_TEST(core::to_json(corrected).find(R"("correction":"dog"})") != std::string::npos);
  BOOST_TEST(core::gave(corrected, R"(correct:"cat")"));
  BOOST_TEST(!core::gave(corrected, "approve"));
}

// finding C10
BOOST_AUTO_TEST_CASE(where_reviewers_do_not_agree_the_verdict_that_lets_least_pass_counts) {
  const auto of = [](const std::vector<std::string>& said) {
    std::vector<core::trusted_answer> given;
    for (const auto& answer : said)
      given.push_back({answer, 1});
    return core::aggregate_of({core::aggregation_method::review, {}, {}}, given);
  };
  for (const auto& said :
       std::vector<std::vector<std::string>>{{"reject", "approve"},
                                             {"approve", "reject"},
                                             {"reject", R"(correct:"dog")"},
                                             {R"(correct:"dog")", "approve", "reject"},
                                             {"approve", "reject", "approve", "reject"}}) {
    BOOST_TEST(of(said).answer == "reject");
    BOOST_TEST(of(said).correction == "");
    BOOST_TEST(of(said).tied > 1U);
  }
  BOOST_TEST(of({"approve", R"(correct:"dog")"}).answer == "correct");
  BOOST_TEST(of({"approve", R"(correct:"dog")"}).correction == R"("dog")");
  BOOST_TEST(of({"approve", "approve", "reject"}).answer == "approve");
  // As answers they are one; the first spelling stands.
  BOOST_TEST(of({"correct:10", R"(correct:"10")"}).answer == "correct");
  BOOST_TEST(of({"correct:10", R"(correct:"10")"}).correction == "10");
  // Two corrections that tie are none, whatever they are called.
  for (const auto& said : std::vector<std::vector<std::string>>{
           {R"(correct:"cat")", R"(correct:"dog")"}, {R"(correct:"zebu")", R"(correct:"dog")"}}) {
    const auto disputed = of(said);
    BOOST_TEST(disputed.answer == "reject");
    BOOST_TEST(disputed.correction == "");
    BOOST_TEST(disputed.confidence == 0.0);
    BOOST_TEST(disputed.tied == 2U);
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(answer_order)

BOOST_AUTO_TEST_CASE(integers_are_ordered_by_value_when_all_are_integers) {
  BOOST_TEST(sorted({"10", "9", "-1", "0"}) == (answers{"-1", "0", "9", "10"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"10", "9", "x"}) == (answers{"10", "9", "x"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"10", "9", "1.5"}) == (answers{"1.5", "10", "9"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"10", "9", ""}) == (answers{"", "10", "9"}), boost::test_tools::per_element());
  BOOST_TEST(sorted({"10", "9", "-"}) == (answers{"-", "10", "9"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"10", "9", "+1"}) == (answers{"+1", "10", "9"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(different_spellings_of_a_number_keep_a_fixed_order) {
  BOOST_TEST(sorted({"1", "01", "001", "2"}) == (answers{"001", "01", "1", "2"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"0", "-0"}) == (answers{"-0", "0"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(numbers_of_up_to_eighteen_digits_are_numbers) {
  const std::string large(18, '9');
  BOOST_TEST(sorted({large, "2"}) == (answers{"2", large}), boost::test_tools::per_element());
  BOOST_TEST(sorted({"-" + large, "-2"}) == (answers{"-" + large, "-2"}),
             boost::test_tools::per_element());
  // With one digit more it is text, and so are the others beside it.
  const std::string too_large = "1" + large;
  BOOST_TEST(sorted({too_large, "2"}) == (answers{too_large, "2"}),
             boost::test_tools::per_element());
  BOOST_TEST(sorted({"20", too_large, "3"}) == (answers{too_large, "20", "3"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(majority_vote)

// A29, A31, A34
BOOST_AUTO_TEST_CASE(the_answer_given_most_often_wins_with_its_share) {
  const auto result = majority({"dog", "cat", "dog", "bird", "dog"});
  BOOST_TEST(result.answer == "dog");
  BOOST_TEST(result.confidence == 0.6);
  BOOST_TEST(result.tied == 1U);
  BOOST_REQUIRE(result.support.size() == 3U);
  BOOST_TEST(result.support[0].answer == "bird");
  BOOST_TEST(result.support[0].votes == 1U);
  BOOST_TEST(result.support[1].answer == "cat");
  BOOST_TEST(result.support[1].votes == 1U);
  BOOST_TEST(result.support[2].answer == "dog");
  BOOST_TEST(result.support[2].votes == 3U);
}

BOOST_AUTO_TEST_CASE(one_judgment_decides_alone) {
  const auto result = majority({"cat"});
  BOOST_TEST(result.answer == "cat");
  BOOST_TEST(result.confidence == 1.0);
  BOOST_TEST(result.tied == 1U);
}

BOOST_AUTO_TEST_CASE(ties_are_counted_and_equal_lots_go_by_the_order_of_answers) {
  BOOST_TEST(majority({"b", "a"}).answer == "a");
  BOOST_TEST(majority({"b", "a"}).tied == 2U);
  BOOST_TEST(majority({"b", "a"}).confidence == 0.5);
  BOOST_TEST(majority({"10", "9"}).answer == "9");
  BOOST_TEST(majority({"10", "9", "x"}).answer == "10");
  BOOST_TEST(majority({"c", "b", "a", "c", "b"}).answer == "b");
  BOOST_TEST(majority({"c", "b", "a", "c", "b"}).tied == 2U);
  BOOST_TEST(majority({"", "a"}).answer == "");
}

BOOST_AUTO_TEST_CASE(the_order_of_judgments_does_not_matter) {
  test::random_source random{3};
  const answers labels{"0", "1", "2", "10", "cat"};
  for (int round = 0; round < 500; ++round) {
    answers given;
    for (auto n = 1 + random.below(9); n > 0; --n)
      given.push_back(random.of(labels));
    const auto before = to_json(majority(given));
    for (std::size_t i = given.size(); i > 1; --i)
      std::swap(given[i - 1], given[random.below(i)]);
    BOOST_TEST(to_json(majority(given)) == before);
  }
}

// finding C2: neither the names of answers nor the order of judgments settle a tie
BOOST_AUTO_TEST_CASE(a_tie_is_settled_by_lots_of_those_who_voted) {
  core::uuid_source ids{5};
  int for_cat = 0;
  constexpr int units = 400;
  for (int i = 0; i < units; ++i) {
    const core::unit_id unit{ids.next(core::instant{})};
    const auto said = [&](const std::string& answer, const std::string& who) {
      return core::trusted_answer{answer, 1, core::lot_of(unit, who)};
    };
    const auto found = core::aggregate_of({}, {said("cat", "ana"), said("dog", "bob")});
    BOOST_TEST(found.tied == 2U);
    BOOST_TEST(found.confidence == 0.5);
    for_cat += found.answer == "cat" ? 1 : 0;
    const auto turned = core::aggregate_of({}, {said("dog", "bob"), said("cat", "ana")});
    BOOST_TEST(turned.answer == found.answer);
    const auto renamed = core::aggregate_of({}, {said("yes", "ana"), said("no", "bob")});
    BOOST_TEST((renamed.answer == "yes") == (found.answer == "cat"));
  }
  // A fair coin is further off less than once in a million units of this test.
  BOOST_TEST(std::abs(for_cat - units / 2) < 50);
}

BOOST_AUTO_TEST_CASE(of_answers_that_are_as_likely_the_one_with_most_votes_is_reported) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::weighted;
  const auto found = core::aggregate_of(policy, {{"a", 0.8, 1}, {"b", 0.4, 2}, {"b", 0.4, 3}});
  BOOST_TEST(found.tied == 2U);
  BOOST_TEST(found.answer == "b");
}

BOOST_AUTO_TEST_CASE(an_answer_may_win_that_is_as_likely_as_the_winner) {
  const auto tied = core::aggregate_of({}, {{"a", 1, 2}, {"b", 1, 1}, {"b", 1, 4}, {"a", 1, 3}});
  BOOST_TEST(tied.answer == "b");
  BOOST_TEST(core::may_win(tied, "a"));
  BOOST_TEST(!core::may_win(tied, "c"));
  BOOST_TEST(!core::may_win(majority({"a", "a", "b"}), "b"));
  const auto review = core::aggregate_of({core::aggregation_method::review, {}, {}},
                                         {{"approve", 1}, {"reject", 1}});
  BOOST_TEST(core::may_win(review, "reject"));
  BOOST_TEST(!core::may_win(review, "approve")); // what is not agreed on was not approved
}

BOOST_AUTO_TEST_CASE(the_result_is_json_whatever_the_answers_are) {
  BOOST_TEST(to_json(majority({"a", "b", "a"}))
             == R"({"answer":"a","confidence":0.666667,"votes":{"a":2,"b":1},"tied":1})");
  BOOST_TEST(to_json(majority({"\"\\\n"}))
             == R"({"answer":"\"\\\n","confidence":1,"votes":{"\"\\\n":1},"tied":1})");
}

// A32: `conf(l) = sum(trust of voters of l) / sum(trust of all)`
BOOST_AUTO_TEST_CASE(weighted_votes_weigh_as_much_as_their_contributors_are_trusted) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::weighted;
  const auto result = core::aggregate_of(policy, {{"yes", 0.9}, {"no", 0.5}, {"no", 0.2}});
  BOOST_TEST(result.answer == "yes");
  BOOST_TEST(result.confidence == 0.9 / 1.6, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(to_json(result)
             == R"({"answer":"yes","confidence":0.5625,"votes":{"no":2,"yes":1},"tied":1,)"
                R"("method":"weighted","shares":{"no":0.4375,"yes":0.5625}})");
}

BOOST_AUTO_TEST_CASE(log_odds_know_the_answers_that_nobody_gave) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::weighted_log_odds;
  policy.labels = {"a", "b", "c"};
  // Odds of 0.8 * 2 / 0.2 = 8 to each of the others, once for each voter.
  const auto result = core::aggregate_of(policy, {{"a", 0.8}, {"a", 0.8}});
  BOOST_TEST(result.confidence == 64.0 / 66.0, boost::test_tools::tolerance(1e-9));
  BOOST_REQUIRE(result.support.size() == 3U);
  BOOST_TEST(result.support[2].share == 1.0 / 66.0, boost::test_tools::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(a_model_says_how_likely_answers_are_and_votes_are_counted_beside_it) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::incremental;
  policy.labels = {"a", "b"};
  const core::model_opinion opinion{{0.25, 0.75}, 2};
  const auto result = core::aggregate_of(policy, {{"a", 1}, {"a", 1}}, &opinion);
  BOOST_TEST(result.answer == "b");
  BOOST_TEST(result.confidence == 0.75);
  BOOST_TEST(result.support[0].votes == 2U);
  BOOST_TEST(to_json(result)
             == R"({"answer":"b","confidence":0.75,"votes":{"a":2},"tied":1,)"
                R"("method":"incremental","shares":{"a":0.25,"b":0.75},"calibrated":false})");
}

// A34
BOOST_AUTO_TEST_CASE(a_result_says_what_was_chosen_and_whether_confidence_is_calibrated) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::gold_selected;
  policy.labels = {"a", "b"};
  const core::model_opinion opinion{{0.25, 0.75}, 1, true, "one_coin"};
  const auto result = core::aggregate_of(policy, {{"b", 1}}, &opinion);
  BOOST_TEST(to_json(result)
             == R"({"answer":"b","confidence":0.75,"votes":{"b":1},"tied":1,)"
                R"("method":"gold_selected","shares":{"a":0.25,"b":0.75},"calibrated":true,)"
                R"("chosen":"one_coin"})");
  BOOST_CHECK_THROW(core::aggregate_of(policy, {{"b", 1}}), core::broken_invariant);
}

// Before the first refit it is another one than the step names.
BOOST_AUTO_TEST_CASE(a_result_of_a_named_method_says_by_which_one_it_was_found) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::one_coin;
  policy.labels = {"a", "b"};
  const core::model_opinion early{{0.25, 0.75}, 1, false, "dawid_skene_map"};
  BOOST_TEST(to_json(core::aggregate_of(policy, {{"b", 1}}, &early))
             == R"({"answer":"b","confidence":0.75,"votes":{"b":1},"tied":1,)"
                R"("method":"one_coin","shares":{"a":0.25,"b":0.75},"calibrated":false,)"
                R"("chosen":"dawid_skene_map"})");
}

BOOST_AUTO_TEST_CASE(a_model_is_refitted_to_what_its_step_names) {
  using core::aggregation_method;
  using core::quality::method;
  const auto is = [](aggregation_method named, std::optional<method> expected) {
    return core::asks_model(named) && core::refitted_to(named) == expected;
  };
  BOOST_TEST(is(aggregation_method::wawa, method::wawa));
  BOOST_TEST(is(aggregation_method::one_coin, method::one_coin));
  BOOST_TEST(is(aggregation_method::dawid_skene_map, method::dawid_skene_map));
  BOOST_TEST(is(aggregation_method::incremental, method::dawid_skene_map));
  BOOST_TEST(is(aggregation_method::gold_selected, std::nullopt));
  for (const auto votes : {aggregation_method::majority, aggregation_method::weighted,
                           aggregation_method::weighted_log_odds, aggregation_method::review}) {
    BOOST_TEST(!core::asks_model(votes));
    BOOST_CHECK_THROW(core::refitted_to(votes), core::broken_invariant);
  }
}

// A48: as many judgments as the rule may need at least
BOOST_AUTO_TEST_CASE(a_unit_asks_at_first_for_no_more_than_it_may_need) {
  const auto slots = [](std::uint32_t min, std::uint32_t max, bool sure, bool curtail) {
    core::quality::stopping_rule rule{min, max, std::nullopt, curtail};
    if (sure)
      rule.stop_at = 0.9;
    return core::first_slots(rule);
  };
  BOOST_TEST(slots(5, 5, false, false) == 5U);
  BOOST_TEST(slots(2, 5, true, false) == 2U);
  BOOST_TEST(slots(1, 5, false, true) == 3U);
  BOOST_TEST(slots(1, 4, false, true) == 3U);
  BOOST_TEST(slots(2, 5, true, true) == 2U);
}

// A29: how sure a result is said to be is one thing, how many more are asked another
BOOST_AUTO_TEST_CASE(stopping_goes_by_what_the_model_found_before_it_was_calibrated) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::incremental;
  policy.labels = {"a", "b"};
  core::model_opinion opinion{{0.7, 0.3}, 2, true, {}, 0.95};
  const auto found = core::aggregate_of(policy, {{"a", 1}, {"a", 1}}, &opinion);
  BOOST_TEST(found.confidence == 0.7);
  BOOST_TEST(enough({2, 5, 0.9, false}, found));
  opinion.posterior = 0.85;
  BOOST_TEST(
      !enough({2, 5, 0.9, false}, core::aggregate_of(policy, {{"a", 1}, {"a", 1}}, &opinion)));
}

BOOST_AUTO_TEST_CASE(enough_is_when_the_rule_says_so) {
  const core::quality::stopping_rule curtailed{1, 5, std::nullopt, true};
  BOOST_TEST(enough(curtailed, majority({"a", "a", "a"})));
  BOOST_TEST(!enough(curtailed, majority({"a", "a", "b"})));
  const core::quality::stopping_rule sure{2, 5, 0.9, false};
  BOOST_TEST(!enough(sure, majority({"a"})));
  BOOST_TEST(enough(sure, majority({"a", "a"})));
  BOOST_TEST(!enough(sure, majority({"a", "b", "a"})));
  BOOST_TEST(enough(sure, majority({"a", "b", "a", "b", "c"})));
}

// Whatever the method finds: the votes that are left out could change that.
BOOST_AUTO_TEST_CASE(curtailing_counts_votes_whatever_a_model_finds) {
  core::aggregation_policy policy;
  policy.method = core::aggregation_method::incremental;
  policy.labels = {"a", "b"};
  const core::model_opinion opinion{{0.4, 0.6}, 3};
  const auto found = core::aggregate_of(policy, {{"a", 1}, {"a", 1}, {"a", 1}}, &opinion);
  BOOST_TEST(found.answer == "b");
  BOOST_TEST(enough({1, 5, std::nullopt, true}, found));
  BOOST_TEST(enough({1, 5, 0.9, true}, found)); // either is enough
  BOOST_TEST(!enough({1, 5, 0.9, false}, found));
  BOOST_TEST(!enough({4, 5, std::nullopt, true}, found));
}

BOOST_AUTO_TEST_CASE(no_judgments_have_no_majority) {
  BOOST_CHECK_THROW(majority({}), core::broken_invariant);
}

// A29
BOOST_AUTO_TEST_CASE(a_result_is_sure_from_where_judging_stops) {
  core::aggregation_policy policy;
  BOOST_TEST(core::sure_in(policy) == 0.9);
  policy.stopping.emplace();
  BOOST_TEST(core::sure_in(policy) == 0.9);
  policy.stopping->stop_at = 0.75;
  BOOST_TEST(core::sure_in(policy) == 0.75);
}

// Accuracies of an independent implementation, with ties shared and with ties to the first label.
BOOST_AUTO_TEST_CASE(recorded_jobs_reach_the_published_accuracy) {
  const auto tweets = score_of("cf_amt");
  BOOST_TEST(tweets.units == 300U);
  BOOST_TEST(tweets.judgments == 6025U);
  BOOST_TEST(tweets.shared_ties == 0.853333, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(tweets.first_answer == 0.846667, boost::test_tools::tolerance(1e-6));

  const auto entities = score_of("zencrowd_us");
  BOOST_TEST(entities.units == 2040U);
  BOOST_TEST(entities.judgments == 11155U);
  BOOST_TEST(entities.shared_ties == 0.860539, boost::test_tools::tolerance(1e-6));
  BOOST_TEST(entities.first_answer == 0.867157, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_SUITE_END()
