// What holds for every data set, shown on recorded and on random ones.

#include "core/quality/calibration.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/method.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/tie_break.hpp"
#include "core/quality/voting.hpp"
#include "tests/core/random_source.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace {

/// Contributor, unit, label.
using judgment = std::array<std::string, 3>;

std::vector<judgment> judgments_of(const named_answers& named) {
  std::vector<judgment> all;
  for (std::size_t unit = 0; unit < named.units.size(); ++unit)
    for (const auto& one : named.given.of(unit))
      all.push_back(
          {named.contributors[one.contributor], named.units[unit], named.labels[one.label]});
  return all;
}

named_answers built_from(const std::vector<judgment>& all) {
  answers_builder builder;
  for (const auto& [contributor, unit, label] : all)
    builder.add(contributor, unit, label);
  return builder.finish(repeats::first_counts);
}

template <class T>
void shuffle(std::vector<T>& list, test::random_source& random) {
  for (std::size_t i = list.size(); i > 1; --i)
    std::swap(list[i - 1], list[random.below(i)]);
}

/// Contributors who are right with chances of their own, and mistaken in their own ways.
named_answers random_job(test::random_source& random) {
  const auto labels = 2 + random.below(4);
  const auto units = 5 + random.below(40);
  const auto contributors = 3 + random.below(10);
  answers_builder builder;
  for (std::size_t unit = 0; unit < units; ++unit) {
    const auto truth = random.below(labels);
    for (std::size_t who = 0; who < contributors; ++who) {
      if (random.one_in(3))
        continue;
      const auto label = random.below(contributors + 3) < who ? random.below(labels) : truth;
      builder.add("w" + std::to_string(who), "u" + std::to_string(unit), std::to_string(label));
    }
  }
  return builder.finish(repeats::first_counts);
}

double greatest_difference(const estimates& a, const estimates& b) {
  BOOST_REQUIRE(a.shares.size() == b.shares.size());
  double most = 0;
  for (std::size_t i = 0; i < a.shares.size(); ++i)
    most = std::max(most, std::abs(a.shares[i] - b.shares[i]));
  return most;
}

} // namespace

BOOST_AUTO_TEST_SUITE(properties_of_aggregation)

BOOST_AUTO_TEST_CASE(likelihood_never_falls) {
  const auto check = [](const answers& given, const std::string& name) {
    em_options patient;
    patient.rise_min = -1; // no stop before the hundredth
    const auto fit = dawid_skene(given, prior::none, patient);
    BOOST_TEST(fit.iterations() == 100U);
    // A count of 0 is raised to 1e-10, which may cost that much of the likelihood of each vote.
    const auto rounding = 1e-9 * static_cast<double>(given.votes.size());
    for (std::size_t i = 1; i < fit.iterations(); ++i)
      BOOST_TEST(fit.log_likelihoods[i] >= fit.log_likelihoods[i - 1] - rounding,
                 name << ", iteration " << i);
  };
  for (const auto* name : test::sets_with_truth)
    check(test::recorded_set(name).named.given, name);
  test::random_source random{11};
  for (int round = 0; round < 50; ++round)
    check(random_job(random).given, "random " + std::to_string(round));
}

BOOST_AUTO_TEST_CASE(the_order_of_judgments_changes_no_bit) {
  test::random_source random{5};
  for (const auto* name : {"cf_amt", "bluebird"}) {
    const auto before = test::recorded_set(name).named;
    auto all = judgments_of(before);
    shuffle(all, random);
    const auto after = built_from(all);
    BOOST_TEST((before.units == after.units && before.labels == after.labels));
    for (const auto& row : method_descriptions())
      if (row.what != method::gold_selected)
        BOOST_TEST(greatest_difference(aggregate_by(row.what, before.given, {}).found,
                                       aggregate_by(row.what, after.given, {}).found)
                       == 0,
                   name << " " << std::string{row.name});
  }
}

BOOST_AUTO_TEST_CASE(names_of_units_and_contributors_do_not_matter) {
  test::random_source random{6};
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    auto units = set.named.units;
    auto contributors = set.named.contributors;
    shuffle(units, random);
    shuffle(contributors, random);
    answers_builder builder;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
      for (const auto& one : set.named.given.of(unit))
        builder.add(contributors[one.contributor], units[unit], set.named.labels[one.label]);
    const auto renamed = builder.finish(repeats::first_counts);
    known_labels truth(units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      const auto at = std::lower_bound(renamed.units.begin(), renamed.units.end(), units[unit]);
      truth[static_cast<std::size_t>(at - renamed.units.begin())] = set.truth[unit];
    }
    for (const auto& row : method_descriptions()) {
      if (row.what == method::gold_selected)
        continue;
      const auto before = aggregate_by(row.what, set.named.given, {});
      const auto after = aggregate_by(row.what, renamed.given, {});
      BOOST_TEST_CONTEXT(name << " " << std::string{row.name}) {
        BOOST_TEST(before.iterations == after.iterations);
        BOOST_TEST(std::abs(accuracy_of(before.found, set.truth).shared
                            - accuracy_of(after.found, truth).shared)
                   < 1e-12);
        BOOST_TEST(std::abs(before.log_likelihood.value_or(0) - after.log_likelihood.value_or(0))
                   < 1e-6);
      }
    }
  }
}

bool has_vote(const core::quality::vote_range& votes, std::uint32_t label) {
  return std::any_of(votes.begin(), votes.end(),
                     [&](const auto& one) { return one.label == label; });
}

// finding C2
BOOST_AUTO_TEST_CASE(names_of_labels_do_not_matter) {
  test::random_source random{8};
  for (int round = 0; round < 200; ++round) {
    // Few votes, so that many units are tied.
    const auto labels = static_cast<std::uint32_t>(2 + random.below(3));
    const auto units = 1 + random.below(12);
    const auto contributors = static_cast<std::uint32_t>(2 + random.below(4));
    answers given;
    given.labels = labels;
    given.contributors = contributors;
    for (std::size_t unit = 0; unit < units; ++unit) {
      for (std::uint32_t who = 0; who < contributors; ++who)
        if (random.one_in(2) || (who == 0 && unit == 0))
          given.votes.push_back({who, static_cast<std::uint32_t>(random.below(labels))});
      given.begins.push_back(given.votes.size());
    }
    known_labels questions(units, unknown_label);
    for (auto& one : questions)
      if (random.one_in(4))
        one = static_cast<std::uint32_t>(random.below(labels));
    questions[0] = static_cast<std::uint32_t>(random.below(labels));

    std::vector<std::uint32_t> renamed(labels);
    std::iota(renamed.begin(), renamed.end(), 0U);
    shuffle(renamed, random);
    auto others = given;
    for (auto& one : others.votes)
      one.label = renamed[one.label];
    auto other_questions = questions;
    for (auto& one : other_questions)
      if (one != unknown_label)
        one = renamed[one];
    std::vector<std::uint64_t> lots;
    for (std::uint32_t who = 0; who < contributors; ++who)
      lots.push_back(lot_of("w" + std::to_string(who)));

    for (const auto& row : method_descriptions())
      for (const bool asked : {false, true}) {
        // `fast_dawid_skene` takes the first label of a tie, as its published figures have it.
        // Without a prior a coin is certain after few votes, and where nothing else tells labels
        // apart, rounding does.
        if ((!asked && row.what == method::gold_selected) || row.what == method::fast_dawid_skene
            || row.what == method::one_coin_mle)
          continue;
        const auto before = aggregate_by(row.what, given, asked ? questions : known_labels{}).found;
        const auto after =
            aggregate_by(row.what, others, asked ? other_questions : known_labels{}).found;
        BOOST_TEST_CONTEXT(row.name << (asked ? " with test questions, " : ", ") << round) {
          for (std::size_t unit = 0; unit < units; ++unit) {
            for (std::uint32_t label = 0; label < labels; ++label)
              BOOST_TEST(std::abs(before.of(unit)[label] - after.of(unit)[renamed[label]]) < 1e-7);
            // Its estimates are rounded by more than ties are apart.
            if (given.of(unit).size() == 0 || row.what == method::dawid_skene_mle)
              continue;
            const auto was = settled_label(before.of(unit), labels, given.of(unit), unit, lots);
            const auto is = settled_label(after.of(unit), labels, others.of(unit), unit, lots);
            // Of labels that nobody voted for nothing but the names could tell one from the other.
            if (!has_vote(given.of(unit), was))
              BOOST_TEST(!has_vote(others.of(unit), is));
            else
              BOOST_TEST(is == renamed[was]);
          }
          BOOST_TEST(std::abs(expected_calibration_error(before, questions)
                              - expected_calibration_error(after, other_questions))
                     < 1e-6);
        }
      }
  }
}

// finding C2: two who disagree agree with the majority half each, whatever the labels are called.
BOOST_AUTO_TEST_CASE(a_tie_is_shared_by_those_who_are_in_front) {
  answers given;
  given.labels = 2;
  given.contributors = 2;
  given.votes = {{0, 0}, {1, 1}};
  given.begins = {0, 2};
  BOOST_TEST((agreement_with_majority(given) == std::vector<double>{0.5, 0.5}));
  const auto found = wawa(given);
  BOOST_TEST(found.of(0)[0] == 0.5);
  BOOST_TEST(found.of(0)[1] == 0.5);
}

BOOST_AUTO_TEST_CASE(shares_of_a_unit_add_up_to_one) {
  test::random_source random{7};
  for (int round = 0; round < 30; ++round) {
    const auto job = random_job(random);
    for (const auto& row : method_descriptions()) {
      if (row.what == method::gold_selected)
        continue;
      const auto found = aggregate_by(row.what, job.given, {}).found;
      for (std::size_t unit = 0; unit < found.units(); ++unit) {
        const auto* shares = found.of(unit);
        BOOST_TEST(std::abs(std::accumulate(shares, shares + found.labels, 0.0) - 1) < 1e-12);
        BOOST_TEST(*std::min_element(shares, shares + found.labels) >= 0);
      }
    }
  }
}

// 400 votes against one another: their product is far below what a double can hold.
BOOST_AUTO_TEST_CASE(units_with_hundreds_of_votes_neither_overflow_nor_vanish) {
  answers_builder builder;
  for (int who = 0; who < 400; ++who) {
    builder.add("w" + std::to_string(who), "even", who % 2 == 0 ? "a" : "b");
    builder.add("w" + std::to_string(who), "clear", who % 8 == 0 ? "b" : "a");
    builder.add("w" + std::to_string(who), "other", who % 8 == 1 ? "a" : "b");
  }
  const auto job = builder.finish(repeats::first_counts);
  const auto check = [](const estimates& found, const std::string& how) {
    BOOST_TEST(consensus_of(found.of(0), 2).label == 0U, how); // clear
    BOOST_TEST(consensus_of(found.of(2), 2).label == 1U, how); // other
    for (const auto share : found.shares)
      BOOST_TEST((share >= 0 && share <= 1), how);
  };
  for (const auto what : {method::dawid_skene_map, method::fast_dawid_skene, method::one_coin,
                          method::one_coin_mle, method::ibcc_vb, method::glad}) {
    const auto result = aggregate_by(what, job.given, {});
    BOOST_TEST(std::isfinite(result.log_likelihood.value_or(0)));
    check(result.found, std::string{name_of(what)});
  }
  incremental live{2};
  for (std::size_t unit = 0; unit < job.given.units(); ++unit)
    for (const auto& one : job.given.of(unit))
      live.add(unit, one);
  check(live.found(), "one judgment at a time");
}

BOOST_AUTO_TEST_CASE(one_judgment_in_all_is_believed) {
  answers_builder builder;
  builder.add("w", "u", "yes");
  const auto job = builder.finish(repeats::first_counts);
  for (const auto& row : method_descriptions())
    if (row.what != method::gold_selected)
      BOOST_TEST(aggregate_by(row.what, job.given, {}).found.shares.at(0) == 1.0,
                 std::string{row.name});
}

BOOST_AUTO_TEST_CASE(ties_are_shared_and_go_to_the_first_label) {
  const double shares[] = {0.2, 0.4 - 1e-12, 0.4};
  const auto answer = consensus_of(shares, 3);
  BOOST_TEST(answer.label == 1U);
  BOOST_TEST(answer.tied == 2U);
  estimates found{1, 3};
  std::copy(shares, shares + 3, found.of(0));
  BOOST_TEST(accuracy_of(found, {2}).shared == 0.5);
  BOOST_TEST(accuracy_of(found, {2}).lowest == 0.0);
  BOOST_TEST(accuracy_of(found, {1}).lowest == 1.0);
  BOOST_TEST(accuracy_of(found, {0}).shared == 0.0);
  BOOST_TEST(accuracy_of(found, {unheard_label}).shared == 0.0);
  BOOST_TEST(accuracy_of(found, {unheard_label}).units == 1U);
  BOOST_TEST(accuracy_of(found, {unknown_label}).units == 0U);
}

BOOST_AUTO_TEST_CASE(units_below_a_confidence_are_counted) {
  estimates found{4, 2};
  for (std::size_t unit = 0; unit < 4; ++unit) {
    found.of(unit)[0] = 0.6 + 0.1 * static_cast<double>(unit);
    found.of(unit)[1] = 1 - found.of(unit)[0];
  }
  BOOST_TEST(unsure_part(found, 0.75) == 0.5);
  BOOST_TEST(unsure_part(found, 0.5) == 0.0);
  BOOST_TEST(unsure_part(estimates{}, 0.5) == 0.0);
}

BOOST_AUTO_TEST_CASE(voters_without_any_trust_count_alike) {
  answers_builder builder;
  builder.add("a", "u", "x");
  builder.add("b", "u", "y");
  builder.add("c", "u", "y");
  const auto found = weighted(builder.finish(repeats::first_counts).given, {0, 0, 0});
  BOOST_TEST(found.shares[1] == 2.0 / 3, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(answers_too_wide_for_confusion_matrices_are_told_apart) {
  answers wide;
  wide.contributors = 1000;
  wide.labels = 366;
  BOOST_TEST(fits_confusion_table(wide));
  wide.labels = 367;
  BOOST_TEST(!fits_confusion_table(wide));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(collected_answers)

BOOST_AUTO_TEST_CASE(the_first_judgment_of_a_contributor_on_a_unit_counts) {
  answers_builder builder;
  builder.add("w", "u", "no");
  builder.add("w", "u", "yes");
  builder.add("v", "u", "no");
  const auto named = builder.finish(repeats::first_counts);
  BOOST_TEST(named.repeated == 1U);
  BOOST_TEST((named.labels == std::vector<std::string>{"no"})); // nobody's first word was yes
  BOOST_TEST(named.given.votes.size() == 2U);
}

BOOST_AUTO_TEST_CASE(all_judgments_count_when_told_so) {
  answers_builder builder;
  builder.add("w", "u", "no");
  builder.add("w", "u", "yes");
  const auto named = builder.finish(repeats::all_count);
  BOOST_TEST(named.repeated == 0U);
  BOOST_TEST(named.given.of(0).size() == 2U);
}

BOOST_AUTO_TEST_CASE(labels_are_in_numeric_order_where_all_are_integers) {
  answers_builder builder;
  for (const auto* label : {"10", "9", "-1"})
    builder.add(label, "u", label);
  BOOST_TEST(
      (builder.finish(repeats::first_counts).labels == std::vector<std::string>{"-1", "9", "10"}));
}

BOOST_AUTO_TEST_SUITE_END()
