// What holds for every data set, shown on recorded and on random ones.

#include "core/quality/calibration.hpp"
#include "core/quality/dawid_skene.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/method.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/orderless_sum.hpp"
#include "core/quality/refit.hpp"
#include "core/quality/tie_break.hpp"
#include "core/quality/voting.hpp"
#include "tests/core/random_source.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
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

/// A few votes, so that many units are tied, and what is known of some units.
struct sparse_job {
  answers given;
  known_labels questions;
};

sparse_job random_sparse_job(test::random_source& random) {
  const auto labels = static_cast<std::uint32_t>(2 + random.below(5));
  const auto units = 1 + random.below(12);
  const auto contributors = static_cast<std::uint32_t>(2 + random.below(4));
  sparse_job job;
  job.given.labels = labels;
  job.given.contributors = contributors;
  for (std::size_t unit = 0; unit < units; ++unit) {
    for (std::uint32_t who = 0; who < contributors; ++who)
      if (random.one_in(2) || (who == 0 && unit == 0))
        job.given.votes.push_back({who, static_cast<std::uint32_t>(random.below(labels))});
    job.given.begins.push_back(job.given.votes.size());
  }
  job.questions.assign(units, unknown_label);
  for (auto& one : job.questions)
    if (random.one_in(4))
      one = static_cast<std::uint32_t>(random.below(labels));
  job.questions[0] = static_cast<std::uint32_t>(random.below(labels));
  return job;
}

/// The number that each of `count` gets in another order.
std::vector<std::uint32_t> another_order(std::uint32_t count, test::random_source& random) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, random);
  return order;
}

answers with_labels(answers given, const std::vector<std::uint32_t>& renamed) {
  for (auto& one : given.votes)
    one.label = renamed[one.label];
  return given;
}

known_labels with_labels(known_labels known, const std::vector<std::uint32_t>& renamed) {
  for (auto& one : known)
    if (one < renamed.size())
      one = renamed[one];
  return known;
}

/// As `answers_builder` has them, each unit's votes by contributor.
answers with_contributors(answers given, const std::vector<std::uint32_t>& renamed) {
  for (auto& one : given.votes)
    one.contributor = renamed[one.contributor];
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    std::sort(given.votes.begin() + static_cast<std::ptrdiff_t>(given.begins[unit]),
              given.votes.begin() + static_cast<std::ptrdiff_t>(given.begins[unit + 1]),
              [](const vote& a, const vote& b) { return a.contributor < b.contributor; });
  return given;
}

lots lots_of_numbers(const answers& given) {
  std::vector<std::string> units;
  std::vector<std::string> contributors;
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    units.push_back("u" + std::to_string(unit));
  for (std::uint32_t who = 0; who < given.contributors; ++who)
    contributors.push_back("w" + std::to_string(who));
  return lots_of(given, units, contributors);
}

/// The shares of `renamed`, under the numbers that labels had before.
estimates mapped_back(const estimates& renamed, const std::vector<std::uint32_t>& renaming) {
  auto found = renamed;
  for (std::size_t unit = 0; unit < found.units(); ++unit)
    for (std::uint32_t label = 0; label < found.labels; ++label)
      found.of(unit)[label] = renamed.of(unit)[renaming[label]];
  return found;
}

/// Contributors, other than labels, are multiplied in their order. By so much that may move a
/// share, where a method without a prior goes on from it a hundred times.
constexpr double rounding_by_contributors = 1e-6;

// finding C2
BOOST_AUTO_TEST_CASE(names_of_labels_change_no_bit) {
  test::random_source random{8};
  for (int round = 0; round < 300; ++round) {
    const auto job = random_sparse_job(random);
    const auto& given = job.given;
    const auto renaming = another_order(given.labels, random);
    const auto others = with_labels(given, renaming);
    const auto other_questions = with_labels(job.questions, renaming);
    const auto drawn = lots_of_numbers(given);
    const auto others_drawn = lots_of_numbers(others);
    for (const auto& row : method_descriptions())
      for (const bool asked : {false, true}) {
        if (!asked && row.what == method::gold_selected)
          continue;
        const auto before =
            aggregate_by(row.what, given, asked ? job.questions : known_labels{}).found;
        const auto after =
            aggregate_by(row.what, others, asked ? other_questions : known_labels{}).found;
        BOOST_TEST_CONTEXT(row.name << (asked ? " with test questions, " : ", ") << round) {
          BOOST_TEST((mapped_back(after, renaming).shares == before.shares));
          for (std::size_t unit = 0; unit < given.units(); ++unit) {
            const auto was = settled_label(before.of(unit), given, unit, drawn);
            const auto is = settled_label(after.of(unit), others, unit, others_drawn);
            // Labels that nobody ever gave are told apart by nothing but their names.
            if (drawn.of_labels[was] == 0)
              BOOST_TEST(others_drawn.of_labels[is] == 0U);
            else
              BOOST_TEST(is == renaming[was]);
          }
          BOOST_TEST(expected_calibration_error(before, job.questions)
                     == expected_calibration_error(after, other_questions));
        }
      }
  }
}

// finding C2
BOOST_AUTO_TEST_CASE(names_of_labels_change_no_bit_of_recorded_jobs) {
  test::random_source random{9};
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto& given = set.named.given;
    std::vector<std::uint32_t> reversed(given.labels);
    std::iota(reversed.rbegin(), reversed.rend(), 0U);
    const std::vector renamings{reversed, another_order(given.labels, random)};
    for (const auto& row : method_descriptions()) {
      const auto before = aggregate_by(row.what, given, set.test_questions);
      for (const auto& renaming : renamings)
        BOOST_TEST_CONTEXT(name << " " << row.name) {
          const auto after = aggregate_by(row.what, with_labels(given, renaming),
                                          with_labels(set.test_questions, renaming));
          BOOST_TEST((before.used == after.used));
          BOOST_TEST(before.iterations == after.iterations);
          BOOST_TEST((mapped_back(after.found, renaming).shares == before.found.shares));
        }
    }
  }
}

// finding C2
BOOST_AUTO_TEST_CASE(the_order_of_contributors_decides_no_tie) {
  test::random_source random{10};
  for (int round = 0; round < 300; ++round) {
    const auto job = random_sparse_job(random);
    const auto& given = job.given;
    const auto renaming = another_order(given.contributors, random);
    const auto others = with_contributors(given, renaming);
    const auto drawn = lots_of_numbers(given);
    auto others_drawn = drawn; // their names stay
    for (std::uint32_t who = 0; who < given.contributors; ++who)
      others_drawn.of_contributors[renaming[who]] = drawn.of_contributors[who];
    for (const auto& row : method_descriptions())
      for (const bool asked : {false, true}) {
        if (!asked && row.what == method::gold_selected)
          continue;
        const auto questions = asked ? job.questions : known_labels{};
        const auto before = aggregate_by(row.what, given, questions).found;
        const auto after = aggregate_by(row.what, others, questions).found;
        BOOST_TEST_CONTEXT(row.name << (asked ? " with test questions, " : ", ") << round) {
          BOOST_TEST(greatest_difference(before, after) < rounding_by_contributors);
          for (std::size_t unit = 0; unit < given.units(); ++unit) {
            BOOST_TEST(consensus_of(before.of(unit), given.labels).tied
                       == consensus_of(after.of(unit), given.labels).tied);
            BOOST_TEST(settled_label(before.of(unit), given, unit, drawn)
                       == settled_label(after.of(unit), others, unit, others_drawn));
          }
        }
      }
  }
}

// finding C2: one judgment at a time, and by what a refit says of the others
BOOST_AUTO_TEST_CASE(names_of_labels_change_no_bit_of_live_estimates) {
  test::random_source random{11};
  const auto live_of = [](const answers& given, const known_labels& questions) {
    incremental live{given.labels};
    for (std::size_t unit = 0; unit < given.units(); ++unit) {
      live.hold(unit, questions[unit]);
      for (const auto& one : given.of(unit))
        live.add(unit, one);
    }
    return live;
  };
  for (int round = 0; round < 300; ++round) {
    const auto job = random_sparse_job(random);
    const auto renaming = another_order(job.given.labels, random);
    const auto live = live_of(job.given, job.questions);
    const auto renamed =
        live_of(with_labels(job.given, renaming), with_labels(job.questions, renaming));
    BOOST_TEST((mapped_back(renamed.found(), renaming).shares == live.found().shares));
    for (const auto chosen : {method::one_coin, method::wawa, method::majority}) {
      const auto rule = refit_of({live.recorded(), live.held(), chosen}).rule;
      const auto other_rule = refit_of({renamed.recorded(), renamed.held(), chosen}).rule;
      for (std::size_t unit = 0; unit < job.given.units(); ++unit)
        if (job.given.of(unit).size() > 0)
          BOOST_TEST(
              (mapped_back(shares_by(other_rule, renamed.votes(unit), job.given.labels), renaming)
                   .shares
               == shares_by(rule, live.votes(unit), job.given.labels).shares));
    }
  }
}

// finding C2: nothing tells the two labels apart, so nothing may choose one of them.
BOOST_AUTO_TEST_CASE(labels_that_nothing_tells_apart_stay_tied) {
  answers given;
  given.labels = 3;
  given.contributors = 3;
  for (const auto& [first, second] : {std::pair{0U, 1U}, std::pair{1U, 0U}}) {
    given.votes.insert(given.votes.end(), {{0, first}, {1, second}, {2, 2}});
    given.begins.push_back(given.votes.size());
  }
  for (const auto& row : method_descriptions())
    if (row.what != method::gold_selected) {
      const auto found = aggregate_by(row.what, given, {}).found;
      for (std::size_t unit = 0; unit < 2; ++unit)
        BOOST_TEST(found.of(unit)[0] == found.of(unit)[1], std::string{row.name});
    }
}

// finding C2
BOOST_AUTO_TEST_CASE(
    a_tie_of_labels_that_nobody_gave_a_unit_is_settled_by_who_gave_them_elsewhere) {
  answers given;
  given.labels = 3;
  given.contributors = 3;
  given.votes = {{0, 0}, {1, 1}, {2, 2}};
  given.begins = {0, 1, 3};
  const std::array<double, 3> shares{0.2, 0.4, 0.4}; // of the first unit, which has a vote for 0
  const std::vector<std::uint32_t> renaming{0, 2, 1};
  std::size_t firsts = 0;
  for (int who = 0; who < 40; ++who) {
    const std::vector<std::string> names{"a", "b" + std::to_string(who), "c"};
    const auto drawn = lots_of(given, {"u", "v"}, names);
    const auto others = with_labels(given, renaming);
    const auto label = settled_label(shares.data(), given, 0, drawn);
    BOOST_TEST(settled_label(shares.data(), others, 0, lots_of(others, {"u", "v"}, names))
               == renaming[label]);
    firsts += label == 1 ? 1 : 0;
  }
  BOOST_TEST(firsts > 5U);
  BOOST_TEST(firsts < 35U);
}

BOOST_AUTO_TEST_CASE(sums_over_labels_have_no_order) {
  test::random_source random{12};
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> numbers(1 + random.below(300));
    for (auto& one : numbers)
      one = std::ldexp(static_cast<double>(random.below(1U << 30)) - (1U << 28),
                       static_cast<int>(random.below(60)) - 300);
    const auto sum_of = [](const std::vector<double>& list) {
      return orderless_sum(list.size(), [&](std::size_t i) { return list[i]; });
    };
    const auto sum = sum_of(numbers);
    long double exactly = 0;
    double most = 0;
    for (const auto one : numbers) {
      exactly += one;
      most = std::max(most, std::abs(one));
    }
    BOOST_TEST(std::abs(static_cast<double>(sum - exactly)) <= 1e-15 * most * 300);
    shuffle(numbers, random);
    BOOST_TEST(sum_of(numbers) == sum);
  }
  const auto equal = [](double one) { return orderless_sum(3, [&](std::size_t) { return one; }); };
  BOOST_TEST(equal(0) == 0);
  BOOST_TEST(equal(0.25) == 0.75);
  BOOST_TEST(equal(1e300) == 3 * 1e300);
  BOOST_TEST(equal(std::numeric_limits<double>::min()) == 3 * std::numeric_limits<double>::min());
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
