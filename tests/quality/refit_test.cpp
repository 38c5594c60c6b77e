// Refits: all judgments of a step at once, for the model that a live step has. A33, A34

#include "core/quality/refit.hpp"

#include "core/answer_model.hpp"
#include "core/quality/method.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/seeded.hpp"
#include "core/refit_pace.hpp"
#include "tests/core/random_source.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace core::quality;
using core::aggregation_method;
using core::answer_model;

namespace {

core::unit_id unit_named(std::size_t number) {
  core::unit_id id;
  for (std::size_t i = 0; i < 8; ++i, number >>= 8)
    id.value.bytes[15 - i] = static_cast<std::uint8_t>(number);
  return id;
}

/// A live step that was handed the judgments of a set, in an order of their own.
struct live_set {
  live_set(const documents::labelled_set& recorded, aggregation_method how, std::uint64_t seed,
           bool asks_questions = true)
      : set(recorded), model(recorded.named.labels, how) {
    std::vector<std::pair<std::size_t, vote>> all;
    for (std::size_t unit = 0; unit < set.named.given.units(); ++unit) {
      if (asks_questions && set.test_questions[unit] < set.named.labels.size())
        model.hold(unit_named(unit), set.named.labels[set.test_questions[unit]]);
      for (const auto& one : set.named.given.of(unit))
        all.emplace_back(unit, one);
    }
    test::random_source random{seed};
    for (std::size_t i = all.size(); i > 1; --i)
      std::swap(all[i - 1], all[random.below(i)]);
    for (const auto& [unit, what] : all)
      model.add(unit_named(unit), set.named.contributors[what.contributor],
                set.named.labels[what.label]);
  }

  void refit() {
    const auto input = model.begin_refit();
    BOOST_REQUIRE(input != nullptr);
    BOOST_TEST(model.adopt(input, refit_of(*input)));
  }

  estimates found() const {
    estimates all{set.named.given.units(), static_cast<std::uint32_t>(set.named.labels.size())};
    for (std::size_t unit = 0; unit < all.units(); ++unit) {
      const auto shares = model.opinion_of(unit_named(unit)).shares;
      std::copy(shares.begin(), shares.end(), all.of(unit));
    }
    return all;
  }

  const documents::labelled_set& set;
  answer_model model;
};

double greatest_difference(const estimates& a, const estimates& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.shares.size(); ++i)
    most = std::max(most, std::abs(a.shares[i] - b.shares[i]));
  return most;
}

/// Twenty people who answer `questions` test questions each, and three of whom judge each of 600
/// units. Every third of either is hard: there they are right as often as not.
refit_input quiz_for_all(std::size_t questions, known_labels& truth) {
  constexpr std::uint32_t people = 20;
  seeded_source random{11};
  refit_input all;
  all.given.labels = 2;
  all.given.contributors = people;
  for (std::size_t unit = 0; unit < questions + 600; ++unit) {
    const bool asked = unit < questions;
    truth.push_back(static_cast<std::uint32_t>(random.below(2)));
    all.test_questions.push_back(asked ? truth.back() : unknown_label);
    const auto first = random.below(people);
    for (std::uint32_t i = 0; i < (asked ? people : 3); ++i) {
      const bool right = random.below(100) < (unit % 3 == 0 ? 50U : 90U);
      all.given.votes.push_back({static_cast<std::uint32_t>((first + i) % people),
                                 right ? truth.back() : 1 - truth.back()});
    }
    all.given.begins.push_back(all.given.votes.size());
  }
  return all;
}

const std::vector<std::string> cat_or_dog{"cat", "dog"};

/// So many labels and contributors that their confusion matrices make more than a gigabyte. Each of
/// the latter judges two of `wide_units` units, rightly but for every fifth of them.
constexpr std::size_t wide_labels = 256;
constexpr std::size_t wide_contributors = 2'049;
constexpr std::size_t wide_units = 300;

std::string wide_label(std::size_t n) { return "label-" + std::to_string(n % wide_labels); }

answer_model wide_step(aggregation_method how, std::size_t questions) {
  std::vector<std::string> labels;
  for (std::size_t n = 0; n < wide_labels; ++n)
    labels.push_back(wide_label(n));
  answer_model model{labels, how};
  for (std::size_t unit = 0; unit < questions; ++unit)
    model.hold(unit_named(unit), wide_label(unit));
  // By unit, so that the model numbers units as they are numbered here.
  for (std::size_t unit = 0; unit < wide_units; ++unit)
    for (std::size_t who = 0; who < wide_contributors; ++who)
      if (who % wide_units == unit || (who + 7) % wide_units == unit)
        model.add(unit_named(unit), "person-" + std::to_string(who),
                  wide_label(who % 5 == 0 ? unit + 1 : unit));
  return model;
}

} // namespace

BOOST_AUTO_TEST_SUITE(refits)

// What came first no longer matters.
BOOST_AUTO_TEST_CASE(two_orders_of_the_same_judgments_end_with_the_same_shares) {
  for (const auto how : {aggregation_method::incremental, aggregation_method::gold_selected}) {
    const auto set = test::recorded_set("zencrowd_us");
    live_set one{set, how, 1};
    live_set other{set, how, 2};
    BOOST_TEST(greatest_difference(one.found(), other.found()) > 1e-3);
    one.refit();
    other.refit();
    BOOST_TEST(greatest_difference(one.found(), other.found()) < 1e-6);
  }
}

// A34: as on the whole set at once
BOOST_AUTO_TEST_CASE(a_live_step_selects_what_is_most_accurate_on_its_test_questions) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    live_set live{set, aggregation_method::gold_selected, 3};
    BOOST_TEST(live.model.opinion_of(unit_named(1)).method == "dawid_skene_map");
    live.refit();
    const auto chosen = most_accurate_on(set.named.given, set.test_questions);
    BOOST_TEST(live.model.opinion_of(unit_named(1)).method == std::string{name_of(chosen)}, name);
    const auto whole = aggregate_by(method::gold_selected, set.named.given, set.test_questions);
    BOOST_TEST(std::abs(accuracy_of(live.found(), set.held_back).shared
                        - accuracy_of(whole.found, set.held_back).shared)
                   < 0.002,
               name);
    // The other method is the same everywhere.
    live_set plain{set, aggregation_method::incremental, 3};
    plain.refit();
    BOOST_TEST(plain.model.opinion_of(unit_named(1)).method == "dawid_skene_map");
  }
}

// A33, A34: as on the whole set at once, with test questions and without
BOOST_AUTO_TEST_CASE(a_live_step_goes_by_the_method_that_it_names) {
  const std::vector<std::pair<aggregation_method, method>> all{
      {aggregation_method::wawa, method::wawa},
      {aggregation_method::one_coin, method::one_coin},
      {aggregation_method::dawid_skene_map, method::dawid_skene_map}};
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    for (const auto& [how, what] : all) {
      const std::string named{name_of(what)};
      live_set live{set, how, 7};
      live_set unasked{set, how, 7, false};
      BOOST_TEST(live.model.opinion_of(unit_named(1)).method == "dawid_skene_map");
      live.refit();
      unasked.refit();
      for (const auto* one : {&live, &unasked}) {
        const auto opinion = one->model.opinion_of(unit_named(1));
        BOOST_TEST(opinion.method == named, name);
        BOOST_TEST(opinion.calibrated == (one == &live), name << ' ' << named);
      }
      const auto& given = set.named.given;
      BOOST_TEST(
          std::abs(accuracy_of(live.found(), set.held_back).shared
                   - accuracy_of(aggregate_by(what, given, set.test_questions).found, set.held_back)
                         .shared)
              < 0.002,
          name << ' ' << named);
      const auto whole = aggregate_by(what, given, {}).found;
      const auto raw = unasked.found();
      for (std::size_t unit = 0; unit < whole.units(); ++unit)
        BOOST_TEST(consensus_of(raw.of(unit), raw.labels).label
                       == consensus_of(whole.of(unit), whole.labels).label,
                   name << ' ' << named << " unit " << unit);
      if (what != method::one_coin) // which takes labels that are seldom given for less unlikely
        BOOST_TEST(greatest_difference(raw, whole) < 1e-6, name << ' ' << named);
      if (name != std::string{"bluebird"}) // eleven questions tell less of the confidence
        BOOST_TEST(expected_calibration_error(live.found(), set.held_back) <= 0.08,
                   name << ' ' << named);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_refit_makes_confidence_honest_and_changes_no_answer) {
  for (const auto* name : {"cf_amt", "sp_amt"}) {
    const auto set = test::recorded_set(name);
    live_set live{set, aggregation_method::incremental, 4};
    live_set unasked{set, aggregation_method::incremental, 4, false};
    BOOST_TEST(!live.model.opinion_of(unit_named(1)).calibrated);
    live.refit();
    unasked.refit();
    BOOST_TEST(live.model.opinion_of(unit_named(1)).calibrated);
    BOOST_TEST(!unasked.model.opinion_of(unit_named(1)).calibrated);
    const auto found = live.found();
    BOOST_TEST(expected_calibration_error(found, set.held_back) <= 0.10, name);
    const auto raw =
        aggregate_by(method::dawid_skene_map, set.named.given, set.test_questions).found;
    for (std::size_t unit = 0; unit < raw.units(); ++unit)
      BOOST_TEST(consensus_of(found.of(unit), found.labels).label
                 == consensus_of(raw.of(unit), raw.labels).label);
    BOOST_TEST(greatest_difference(unasked.found(),
                                   aggregate_by(method::dawid_skene_map, set.named.given, {}).found)
               < 1e-6);
  }
}

// The figures in docs/QUALITY.md: people one after the other, test questions first, and a refit
// whenever it is time; each unit has its result when its last judgment comes in.
BOOST_AUTO_TEST_CASE(results_of_a_live_step_are_honest_when_they_are_made) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto& given = set.named.given;
    std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>> said(given.contributors);
    for (const bool asked : {true, false})
      for (std::size_t unit = 0; unit < given.units(); ++unit)
        for (const auto& one : given.of(unit))
          if (asked == (set.test_questions[unit] < given.labels))
            said[one.contributor].emplace_back(unit, one.label);
    answer_model model{set.named.labels, aggregation_method::gold_selected};
    for (std::size_t unit = 0; unit < given.units(); ++unit)
      if (set.test_questions[unit] < given.labels)
        model.hold(unit_named(unit), set.named.labels[set.test_questions[unit]]);
    core::refit_pace pace;
    estimates results{given.units(), given.labels};
    for (std::uint32_t who = 0; who < given.contributors; ++who)
      for (const auto& [unit, label] : said[who]) {
        model.add(unit_named(unit), set.named.contributors[who], set.named.labels[label]);
        if (pace.due(model.judgments())) {
          const auto input = model.begin_refit();
          model.adopt(input, refit_of(*input));
          pace.ended();
        }
        const auto opinion = model.opinion_of(unit_named(unit));
        std::copy(opinion.shares.begin(), opinion.shares.end(), results.of(unit));
      }
    BOOST_TEST(expected_calibration_error(results, set.held_back) <= 0.07, name);
    const auto majority_right =
        accuracy_of(aggregate_by(method::majority, given, {}).found, set.held_back).shared;
    BOOST_TEST(accuracy_of(results, set.held_back).shared > majority_right - 0.001, name);
  }
}

BOOST_AUTO_TEST_CASE(the_greatest_of_many_small_shares_stays_the_greatest) {
  estimates many{1, 200};
  std::fill(many.shares.begin(), many.shares.end(), 0.99 / 199);
  many.shares[150] = 0.01;
  const auto cooled = calibrated(many, {3, 20});
  BOOST_TEST(consensus_of(cooled.of(0), 200).label == 150U);
  BOOST_TEST(consensus_of(cooled.of(0), 200).tied == 1U);
}

BOOST_AUTO_TEST_CASE(nine_test_questions_decide_nothing_and_ten_do) {
  answer_model model{cat_or_dog, aggregation_method::gold_selected};
  const auto look_again = [&] {
    const auto input = model.begin_refit();
    BOOST_TEST(model.adopt(input, refit_of(*input)));
  };
  for (std::size_t n = 0; n < 40; ++n)
    model.add(unit_named(100 + n), "ana", n % 2 == 0 ? "cat" : "dog");
  for (std::size_t n = 0; n < 9; ++n) {
    model.hold(unit_named(n), "cat");
    model.add(unit_named(n), "ana", "cat");
  }
  model.hold(unit_named(9), "cat"); // nobody has answered this one
  look_again();
  BOOST_TEST(!model.opinion_of(unit_named(100)).calibrated);
  model.add(unit_named(9), "ana", "cat");
  look_again();
  BOOST_TEST(model.opinion_of(unit_named(100)).calibrated);
}

// What twenty people are right about says nothing about three of them.
BOOST_AUTO_TEST_CASE(test_questions_that_everybody_has_answered_are_no_easier_than_work) {
  known_labels truth;
  const auto input = quiz_for_all(120, truth);
  const auto rule = refit_of(input).rule;
  BOOST_TEST(rule.sureness.fitted_on == 120U * 7U); // of three votes, as units have
  const auto raw = aggregate_by(method::dawid_skene_map, input.given, input.test_questions).found;
  auto work = truth;
  std::fill(work.begin(), work.begin() + 120, unknown_label);
  const auto whole_questions = fit_temperature(
      aggregate_by(method::dawid_skene_map, input.given, {}).found, input.test_questions);
  BOOST_TEST(expected_calibration_error(calibrated(raw, rule.sureness), work) < 0.05);
  BOOST_TEST(expected_calibration_error(calibrated(raw, whole_questions), work) > 0.05);
}

BOOST_AUTO_TEST_CASE(votes_weigh_what_the_refit_knows_of_their_contributors) {
  const std::vector<vote> votes{{0, 0}, {1, 1}, {7, 1}}; // nobody knew the last one
  const vote_range all{votes.data(), votes.data() + votes.size()};
  unit_rule rule;
  rule.chosen = method::majority;
  BOOST_TEST(shares_by(rule, all, 2).of(0)[1] == 2.0 / 3, boost::test_tools::tolerance(1e-12));
  rule.chosen = method::wawa;
  rule.reliability = {1.0, 0.25};
  BOOST_TEST(shares_by(rule, all, 2).of(0)[0] == 1 / (1 + 0.25 + 2.0 / 3),
             boost::test_tools::tolerance(1e-12));
  rule.chosen = method::one_coin;
  rule.reliability = {0.9, 0.6};
  rule.label_shares = {0.75, 0.25};
  const auto first = 0.75 * 0.9 * 0.4 * (1.0 / 3);
  const auto second = 0.25 * 0.1 * 0.6 * (2.0 / 3);
  BOOST_TEST(shares_by(rule, all, 2).of(0)[0] == first / (first + second),
             boost::test_tools::tolerance(1e-12));
}

// One number for each contributor says as much as a matrix of which two values are different.
BOOST_AUTO_TEST_CASE(accuracies_are_found_without_confusion_matrices) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    for (const auto& clamped : {known_labels{}, set.test_questions}) {
      const em_options options{clamped};
      const auto whole = one_coin(set.named.given, options);
      const auto slim = one_coin_by_accuracy(set.named.given, options);
      BOOST_TEST(slim.iterations == whole.iterations(), name);
      BOOST_TEST(slim.log_likelihood == whole.log_likelihood(), boost::test_tools::tolerance(1e-9));
      BOOST_TEST(greatest_difference(slim.found, whole.found) < 1e-9, name);
      for (std::uint32_t who = 0; who < set.named.given.contributors; ++who)
        BOOST_TEST(std::abs(slim.accuracies[who] - *whole.model.given_true.of({who, 0})) < 1e-9);
      for (std::uint32_t label = 0; label < set.named.given.labels; ++label)
        BOOST_TEST(std::abs(slim.label_shares[label] - whole.model.label_shares[label]) < 1e-9);
    }
  }
}

// A33: the methods that a step names and that make no confusion matrices are refitted at any size
BOOST_AUTO_TEST_CASE(methods_without_confusion_matrices_are_refitted_for_any_number_of_labels) {
  const auto unit = unit_named(40);
  for (const auto& [how, what] : {std::pair{aggregation_method::wawa, method::wawa},
                                  std::pair{aggregation_method::one_coin, method::one_coin}}) {
    const std::string named{name_of(what)};
    auto model = wide_step(how, 0);
    const auto before = model.opinion_of(unit);
    const auto input = model.begin_refit();
    BOOST_TEST_REQUIRE((input != nullptr), named);
    BOOST_TEST(!fits_confusion_table(input->given));
    const auto refitted = refit_of(*input);
    BOOST_TEST(refitted.found.units() == 0U);
    BOOST_TEST(model.adopt(input, refitted));
    const auto opinion = model.opinion_of(unit);
    BOOST_TEST(before.method == "dawid_skene_map");
    BOOST_TEST(opinion.method == named);
    BOOST_TEST(!opinion.calibrated);
    const auto whole = aggregate_by(what, input->given, {}).found;
    BOOST_TEST(consensus_of(opinion.shares.data(), wide_labels).label
               == consensus_of(whole.of(40), wide_labels).label);
    BOOST_TEST(consensus_of(opinion.shares.data(), wide_labels).label == 40U);
    if (what == method::wawa)
      BOOST_TEST(std::abs(opinion.shares[40] - whole.of(40)[40]) < 1e-9);
    // What is there goes on: the live estimates are neither lost nor made anew.
    model.add(unit, "newcomer", wide_label(40));
    BOOST_TEST(model.opinion_of(unit).judgments == opinion.judgments + 1);
  }
}

BOOST_AUTO_TEST_CASE(test_questions_choose_among_what_needs_no_confusion_matrices) {
  auto model = wide_step(aggregation_method::gold_selected, 30);
  const auto input = model.begin_refit();
  BOOST_REQUIRE((input != nullptr));
  BOOST_TEST(model.adopt(input, refit_of(*input)));
  const auto opinion = model.opinion_of(unit_named(40));
  BOOST_TEST(opinion.method != "dawid_skene_map");
  BOOST_TEST(opinion.calibrated);
  refit_input by_votes{input->given, input->test_questions, method::majority};
  BOOST_TEST((refit_of(by_votes).rule.chosen == method::majority));
}

BOOST_AUTO_TEST_CASE(a_step_that_is_too_wide_for_the_method_that_it_names_is_not_refitted) {
  for (const auto how : {aggregation_method::incremental, aggregation_method::dawid_skene_map})
    BOOST_TEST((wide_step(how, 30).begin_refit() == nullptr));
  // Nothing chooses another one.
  auto unasked = wide_step(aggregation_method::gold_selected, 9);
  BOOST_TEST((unasked.begin_refit() == nullptr));
  BOOST_TEST(unasked.contributors() == wide_contributors);
  BOOST_TEST(unasked.opinion_of(unit_named(40)).method == "dawid_skene_map");
}

// Whoever had not judged before the refit counts like anybody.
BOOST_AUTO_TEST_CASE(newcomers_count_before_the_next_refit) {
  const auto set = test::recorded_set("zencrowd_us");
  live_set live{set, aggregation_method::gold_selected, 5};
  live.refit();
  BOOST_TEST(live.model.opinion_of(unit_named(1)).method == "one_coin");
  const auto fresh = unit_named(1'000'000);
  for (const auto* who : {"new", "newer", "newest"})
    live.model.add(fresh, who, set.named.labels[1]);
  const auto opinion = live.model.opinion_of(fresh);
  BOOST_TEST(opinion.judgments == 3U);
  BOOST_TEST(opinion.shares[0] + opinion.shares[1] == 1.0, boost::test_tools::tolerance(1e-9));
  live.model.add(unit_named(1'000'001), "newest", set.named.labels[1]);
  BOOST_TEST(opinion.shares[1] > live.model.opinion_of(unit_named(1'000'001)).shares[1]);
}

BOOST_AUTO_TEST_CASE(a_label_that_nobody_has_given_so_far_can_be_right) {
  auto set = test::recorded_set("zencrowd_us");
  set.named.labels.emplace_back("other");
  live_set live{set, aggregation_method::gold_selected, 5};
  live.refit();
  BOOST_REQUIRE(live.model.opinion_of(unit_named(1)).method == "one_coin");
  for (int n = 0; n < 10; ++n)
    live.model.add(unit_named(1'000'000), "new-" + std::to_string(n), "other");
  BOOST_TEST(live.model.opinion_of(unit_named(1'000'000)).shares[2] > 0.5);
}

// --- while a refit is under way ---

BOOST_AUTO_TEST_CASE(contributor_withdrawn_during_a_refit_stays_out) {
  answer_model model{cat_or_dog};
  // All are right about thirty units; about the next eve and joe outvote ana.
  for (std::size_t n = 0; n < 30; ++n)
    for (const auto* who : {"ana", "bob", "eve", "joe"})
      model.add(unit_named(n), who, n % 2 == 0 ? "cat" : "dog");
  model.add(unit_named(50), "ana", "dog");
  model.add(unit_named(50), "eve", "cat");
  model.add(unit_named(50), "joe", "cat");
  model.add(unit_named(51), "eve", "cat");
  BOOST_TEST(model.opinion_of(unit_named(50)).shares[0] > 0.8);
  const auto input = model.begin_refit();
  model.withdraw("eve");
  model.withdraw("joe");
  model.adopt(input, refit_of(*input));
  BOOST_TEST(model.judgments() == 61U);
  BOOST_TEST(model.opinion_of(unit_named(50)).judgments == 1U);
  BOOST_TEST(model.opinion_of(unit_named(50)).shares[1] > 0.8);
  BOOST_TEST(model.opinion_of(unit_named(51)).judgments == 0U);
  BOOST_TEST(model.opinion_of(unit_named(51)).shares[0] < 0.6);
  // And out of the next one.
  const auto next = model.begin_refit();
  BOOST_TEST(next->given.votes.size() == 61U);
  model.adopt(next, refit_of(*next));
  BOOST_TEST(model.opinion_of(unit_named(50)).shares[1] > 0.8);
}

BOOST_AUTO_TEST_CASE(judgment_that_comes_in_during_a_refit_counts_as_if_it_came_after) {
  const auto set = test::recorded_set("bluebird");
  live_set during{set, aggregation_method::gold_selected, 6};
  live_set after{set, aggregation_method::gold_selected, 6};
  const auto more = [&](live_set& live) {
    for (std::size_t n = 0; n < 20; ++n) {
      live.model.add(unit_named(1000 + n / 2), n % 2 == 0 ? "new" : set.named.contributors[n],
                     set.named.labels[n % 3 == 0 ? 1 : 0]);
      live.model.hold(unit_named(2000), set.named.labels[1]);
    }
    live.model.withdraw(set.named.contributors[5]);
  };
  const auto input = during.model.begin_refit();
  more(during);
  during.model.adopt(input, refit_of(*input));
  after.refit();
  more(after);
  for (std::size_t n = 1000; n < 1010; ++n) {
    const auto one = during.model.opinion_of(unit_named(n));
    const auto other = after.model.opinion_of(unit_named(n));
    BOOST_TEST(one.judgments == other.judgments);
    // Which of them was the first still makes a difference, until the next refit.
    BOOST_TEST(std::abs(one.shares[0] - other.shares[0]) < 0.1);
  }
  during.refit();
  after.refit();
  BOOST_TEST(during.model.judgments() == after.model.judgments());
  BOOST_TEST(greatest_difference(during.found(), after.found()) < 1e-6);
}

BOOST_AUTO_TEST_CASE(a_unit_that_is_judged_during_a_refit_is_not_left_as_it_was) {
  answer_model model{cat_or_dog};
  for (std::size_t n = 0; n < 30; ++n)
    for (const auto* who : {"ana", "bob", "eve"})
      model.add(unit_named(n), who, n % 2 == 0 ? "cat" : "dog");
  model.add(unit_named(50), "eve", "cat");
  model.add(unit_named(51), "eve", "cat");
  const auto input = model.begin_refit();
  model.add(unit_named(50), "ana", "dog");
  model.add(unit_named(50), "bob", "dog");
  model.hold(unit_named(51), "dog");
  model.adopt(input, refit_of(*input));
  BOOST_TEST(model.opinion_of(unit_named(50)).shares[1] > 0.8);
  BOOST_TEST(model.opinion_of(unit_named(51)).shares[1] == 1.0);
}

// Units have other numbers in another model, and another one may have been begun.
BOOST_AUTO_TEST_CASE(a_refit_is_adopted_once_and_only_where_it_was_begun_last) {
  answer_model model{cat_or_dog};
  model.add(unit_named(1), "ana", "cat");
  const auto first = model.begin_refit();
  model.add(unit_named(2), "ana", "dog");
  const auto second = model.begin_refit();
  BOOST_TEST(!model.adopt(first, refit_of(*first)));
  BOOST_TEST(model.adopt(second, refit_of(*second)));
  BOOST_TEST(!model.adopt(second, refit_of(*second)));
  answer_model anew{cat_or_dog};
  anew.add(unit_named(2), "ana", "dog");
  BOOST_TEST(!anew.adopt(second, refit_of(*second)));
  BOOST_TEST(!anew.adopt(nullptr, refit_of(*second)));
}

BOOST_AUTO_TEST_CASE(nothing_is_refitted_without_judgments) {
  answer_model model{cat_or_dog};
  model.hold(unit_named(1), "cat");
  BOOST_TEST(model.begin_refit() == nullptr);
  model.add(unit_named(1), "ana", "cat");
  BOOST_TEST(model.begin_refit() != nullptr);
}

// --- when ---

BOOST_AUTO_TEST_CASE(one_refit_is_under_way_at_a_time) {
  core::refit_pace pace;
  BOOST_TEST(!pace.due(49));
  BOOST_TEST(pace.due(50));
  BOOST_TEST(!pace.due(5000));
  pace.ended();
  BOOST_TEST(pace.due(5000));
  pace.ended();
  BOOST_TEST(!pace.due(6249));
  BOOST_TEST(pace.due(6250));
}

// Judgments are withdrawn, too: fewer than there were are no reason.
BOOST_AUTO_TEST_CASE(a_new_life_begins_with_a_refit_and_losses_lead_to_none) {
  core::refit_pace pace;
  BOOST_TEST(pace.due(100'000));
  pace.ended();
  BOOST_TEST(!pace.due(60'000));
  BOOST_TEST(!pace.due(124'999));
  BOOST_TEST(pace.due(125'000));
}

BOOST_AUTO_TEST_SUITE_END()
