// Monitors flag; what they must not do is flag everybody. A23 to A26

#include "core/quality/copying.hpp"
#include "core/quality/patterns.hpp"
#include "core/quality/peer_agreement.hpp"
#include "core/quality/seeded.hpp"
#include "core/quality/speed.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace {

/// From 0 to 1, evenly.
double unit_interval(seeded_source& random) {
  return static_cast<double>(random.below(1U << 30)) / (1U << 30);
}

answer_pattern pattern_of(const std::vector<std::uint32_t>& labels) {
  answer_pattern seen{4};
  for (const auto label : labels)
    seen.observe(label, label);
  return seen;
}

const step_habits even_labels{{0.25, 0.25, 0.25, 0.25}, 0.25};

struct right_answers {
  double right = 0;
  double scored = 0;
};

std::vector<right_answers> by_truth(const documents::labelled_set& set) {
  std::vector<right_answers> all(set.named.given.contributors);
  for (std::size_t unit = 0; unit < set.truth.size(); ++unit)
    for (const auto& one : set.named.given.of(unit)) {
      all[one.contributor].scored += 1;
      all[one.contributor].right += one.label == set.truth[unit] ? 1 : 0;
    }
  return all;
}

/// 30 contributors, 200 units of three labels, some hard; contributor 1 copies 0 when told to.
answers crowd(std::uint64_t seed, bool copied) {
  seeded_source random{seed};
  answers given;
  given.labels = 3;
  given.contributors = 30;
  for (int unit = 0; unit < 200; ++unit) {
    const auto truth = static_cast<std::uint32_t>(random.below(3));
    const auto hard = random.below(5) == 0;
    for (std::uint32_t who = 0; who < 30; ++who) {
      const auto wrong = random.below(100) < (hard ? 45U : 8U + who % 5 * 6);
      const auto label =
          wrong ? static_cast<std::uint32_t>((truth + 1 + random.below(2)) % 3) : truth;
      const auto first = given.votes.size() - who;
      given.votes.push_back({who, copied && who == 1 ? given.votes[first].label : label});
    }
    given.begins.push_back(given.votes.size());
  }
  return given;
}

} // namespace

BOOST_AUTO_TEST_SUITE(streaming_quantiles)

BOOST_AUTO_TEST_CASE(few_observations_are_exact) {
  quantile_stream median{0.5};
  BOOST_TEST(median.value() == 0.0);
  for (const auto value : {5.0, 1.0, 3.0})
    median.observe(value);
  BOOST_TEST(median.value() == 3.0);
}

BOOST_AUTO_TEST_CASE(many_observations_are_near) {
  for (const auto share : {0.25, 0.5, 0.75, 0.95}) {
    quantile_stream stream{share};
    seeded_source random{4};
    for (int i = 0; i < 20000; ++i)
      stream.observe(unit_interval(random));
    BOOST_TEST(std::abs(stream.value() - share) < 0.01, share);
  }
}

BOOST_AUTO_TEST_CASE(a_constant_stream_has_one_quantile) {
  quantile_stream stream{0.25};
  for (int i = 0; i < 100; ++i)
    stream.observe(7);
  BOOST_TEST(stream.value() == 7.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(speed_of_judgments)

BOOST_AUTO_TEST_CASE(far_from_the_usual_is_flagged_on_both_sides) {
  speed_monitor monitor;
  seeded_source random{5};
  for (int i = 0; i < 500; ++i)
    monitor.observe(8 + 8 * unit_interval(random));
  BOOST_TEST((monitor.pace_of(11) == pace::usual));
  BOOST_TEST((monitor.pace_of(0.4) == pace::too_fast));
  BOOST_TEST((monitor.pace_of(200) == pace::too_slow));
  BOOST_TEST(monitor.robust_z(12).value() > monitor.robust_z(10).value());
}

BOOST_AUTO_TEST_CASE(without_a_usual_time_nothing_is_unusual) {
  speed_monitor monitor;
  for (int i = 0; i < 29; ++i)
    monitor.observe(5 + i);
  BOOST_TEST(!monitor.robust_z(1000));
  BOOST_TEST((monitor.pace_of(1000) == pace::usual));
  speed_monitor machine;
  for (int i = 0; i < 100; ++i)
    machine.observe(5);
  BOOST_TEST(!machine.robust_z(1000));
}

// Real times have a long tail: breaks are taken, and nobody is spam for that.
BOOST_AUTO_TEST_CASE(recorded_breaks_are_too_slow_and_hardly_anything_is_too_fast) {
  std::istringstream rows{test::data_file("cf_amt/answers.csv")};
  std::string row;
  std::getline(rows, row); // names of the columns; seconds are the last
  speed_monitor monitor;
  std::vector<double> all;
  while (std::getline(rows, row)) {
    all.push_back(std::stod(row.substr(row.rfind(',') + 1)));
    monitor.observe(all.back());
  }
  const auto part = [&](pace which) {
    const auto count = std::count_if(
        all.begin(), all.end(), [&](double seconds) { return monitor.pace_of(seconds) == which; });
    return static_cast<double>(count) / static_cast<double>(all.size());
  };
  BOOST_TEST(all.size() == 6030U);
  BOOST_TEST(part(pace::too_slow) > 0.05);
  BOOST_TEST(part(pace::too_slow) < 0.10);
  BOOST_TEST(part(pace::too_fast) < 0.01);
}

// With quartiles that are exact, and not of a stream, 31 are too slow. A25
BOOST_AUTO_TEST_CASE(times_that_a_platform_measured_are_seldom_unusual) {
  speed_monitor monitor;
  std::vector<double> all;
  for (const auto& one : test::platform_judgments()) {
    all.push_back(one.seconds);
    monitor.observe(one.seconds);
  }
  const auto number = [&](pace which) {
    return std::count_if(all.begin(), all.end(),
                         [&](double seconds) { return monitor.pace_of(seconds) == which; });
  };
  BOOST_TEST(all.size() == 1000U);
  BOOST_TEST(number(pace::too_fast) == 0);
  BOOST_TEST(number(pace::too_slow) >= 20);
  BOOST_TEST(number(pace::too_slow) <= 40);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(patterns_of_answers)

BOOST_AUTO_TEST_CASE(one_label_for_everything_is_flagged) {
  const auto flags = flags_of(pattern_of(std::vector<std::uint32_t>(20, 2)), even_labels);
  BOOST_TEST(flags.constant);
  BOOST_TEST(flags.run);
  BOOST_TEST(!flags.alternating);
  BOOST_TEST(flags.identical);
}

BOOST_AUTO_TEST_CASE(one_label_is_no_pattern_where_everybody_gives_it) {
  const step_habits easy{{0.02, 0.02, 0.94, 0.02}, 0.94};
  BOOST_TEST(!flags_of(pattern_of(std::vector<std::uint32_t>(20, 2)), easy).any());
}

BOOST_AUTO_TEST_CASE(two_labels_in_turn_are_flagged) {
  std::vector<std::uint32_t> labels;
  for (std::uint32_t i = 0; i < 60; ++i)
    labels.push_back(i % 2);
  const auto flags = flags_of(pattern_of(labels), even_labels);
  BOOST_TEST(flags.alternating);
  BOOST_TEST(!flags.constant);
  BOOST_TEST(!flags.run);
}

BOOST_AUTO_TEST_CASE(a_run_that_fills_half_of_the_work_is_flagged) {
  std::vector<std::uint32_t> labels{0, 1, 2, 3, 0, 1, 2, 3, 0, 1};
  labels.insert(labels.end(), 15, 3);
  const auto flags = flags_of(pattern_of(labels), even_labels);
  BOOST_TEST(flags.run);
  BOOST_TEST(!flags.constant);
}

BOOST_AUTO_TEST_CASE(identical_payloads_are_flagged_where_labels_say_nothing) {
  answer_pattern seen{1};
  for (int i = 0; i < 30; ++i)
    seen.observe(0, 42);
  BOOST_TEST(flags_of(seen, {{1.0}, 0.01}).identical);
  BOOST_TEST(!flags_of(seen, {{1.0}, 0.98}).identical);
  answer_pattern varied{1};
  for (std::uint64_t i = 0; i < 200; ++i)
    varied.observe(0, i);
  BOOST_TEST(varied.commonest_payload().times == 1U);
  BOOST_TEST(!flags_of(varied, {{1.0}, 0.01}).any());
}

// A26: whatever they tried out before
BOOST_AUTO_TEST_CASE(contributor_who_settles_on_one_answer_late_is_flagged) {
  answer_pattern seen{1};
  for (std::uint64_t i = 0; i < 100; ++i)
    seen.observe(0, i);
  for (int i = 0; i < 1'000; ++i)
    seen.observe(0, 4'200);
  BOOST_TEST(seen.commonest_payload().payload == 4'200U);
  BOOST_TEST(seen.commonest_payload().times == 1'000U);
  BOOST_TEST(flags_of(seen, {{1.0}, 0.01}).identical);
}

BOOST_AUTO_TEST_CASE(random_work_is_hardly_ever_flagged) {
  seeded_source random{6};
  int flagged = 0;
  for (int contributor = 0; contributor < 1000; ++contributor) {
    answer_pattern seen{4};
    for (auto n = 1 + random.below(100); n > 0; --n) {
      const auto label = static_cast<std::uint32_t>(random.below(4));
      seen.observe(label, label);
    }
    flagged += flags_of(seen, even_labels).any() ? 1 : 0;
  }
  BOOST_TEST(flagged <= 4); // one in a thousand for each of four patterns
}

BOOST_AUTO_TEST_CASE(no_work_is_no_pattern) {
  BOOST_TEST(!flags_of(answer_pattern{4}, even_labels).any());
  BOOST_TEST(!flags_of(pattern_of({1}), even_labels).any());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(agreement_with_peers)

/// How likely a contributor who is right less than six times in ten has a lower kappa than one who
/// is not.
double separation(const char* name) {
  const auto set = test::recorded_set(name);
  const auto truth = by_truth(set);
  const auto agreements = peer_agreements(set.named.given);
  double pairs = 0;
  double ordered = 0;
  for (std::size_t bad = 0; bad < truth.size(); ++bad)
    for (std::size_t good = 0; good < truth.size(); ++good) {
      if (std::min(truth[bad].scored, truth[good].scored) < 10
          || truth[bad].right >= 0.6 * truth[bad].scored
          || truth[good].right < 0.6 * truth[good].scored)
        continue;
      const auto lower = agreements[bad].kappa().value_or(0);
      const auto higher = agreements[good].kappa().value_or(0);
      pairs += 1;
      ordered += lower < higher ? 1 : lower == higher ? 0.5 : 0;
    }
  BOOST_REQUIRE(pairs > 0);
  return ordered / pairs;
}

BOOST_AUTO_TEST_CASE(it_tells_bad_contributors_from_good_ones) {
  for (const auto* name : {"sp_amt", "cf_amt", "bluebird"})
    BOOST_TEST(separation(name) >= 0.87, name);
}

BOOST_AUTO_TEST_CASE(own_votes_do_not_count_for_oneself) {
  answers_builder builder;
  builder.add("a", "u", "x");
  builder.add("b", "u", "y");
  builder.add("c", "u", "y");
  builder.add("a", "v", "x"); // alone: nobody to agree with
  const auto all = peer_agreements(builder.finish(repeats::first_counts).given);
  BOOST_TEST(all[0].compared == 1U);
  BOOST_TEST(all[0].agreed == 0.0);
  BOOST_TEST(all[1].agreed == 0.5); // the others are one against one
}

// `holdfast aggregate --every-judgment`
BOOST_AUTO_TEST_CASE(repeated_judgments_of_a_contributor_are_not_among_the_others) {
  answers_builder builder;
  for (const auto* who : {"a", "b", "a", "a"})
    builder.add(who, "u", who == std::string{"b"} ? "y" : "x");
  builder.add("a", "v", "x");
  builder.add("a", "v", "x"); // nobody but oneself
  const auto all = peer_agreements(builder.finish(repeats::all_count).given);
  BOOST_TEST(all[0].compared == 3U);
  BOOST_TEST(all[0].agreed == 0.0);
  BOOST_TEST(all[1].compared == 1U);
  BOOST_TEST(all[1].agreed == 0.0);
}

BOOST_AUTO_TEST_CASE(agreement_that_chance_explains_is_none) {
  const std::vector<std::string> answers_of_all{"x", "x", "x", "y"};
  answers_builder builder;
  for (int unit = 0; unit < 40; ++unit) {
    const auto& truth = answers_of_all[static_cast<std::size_t>(unit) % 4];
    for (const auto* who : {"a", "b", "c"})
      builder.add(who, std::to_string(unit), truth);
    builder.add("lazy", std::to_string(unit), "x"); // right three times in four
  }
  const auto all = peer_agreements(builder.finish(repeats::first_counts).given);
  BOOST_TEST(all[0].kappa().value() == 1.0);
  BOOST_TEST(all[3].agreed == 0.75);
  BOOST_TEST(std::abs(all[3].kappa().value()) < 1e-12);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(copied_answers)

BOOST_AUTO_TEST_CASE(a_copy_is_found_by_the_mistakes_in_it) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto found = suspected_copies(crowd(seed, true), {});
    BOOST_TEST_REQUIRE(found.size() == 1U);
    BOOST_TEST(found[0].first == 0U);
    BOOST_TEST(found[0].second == 1U);
    BOOST_TEST(found[0].shared > 2 * found[0].expected);
  }
}

// Hard units make honest people share mistakes, too.
BOOST_AUTO_TEST_CASE(an_honest_crowd_is_left_alone) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    BOOST_TEST(suspected_copies(crowd(seed, false), {}).empty(), seed);
}

/// The crowd with its numbers the other way round: the copies come last, and they alone have
/// answered the last twenty units.
answers crowd_with_busy_copies() {
  const auto few = crowd(3, true);
  answers all;
  all.labels = few.labels;
  all.contributors = few.contributors;
  for (std::size_t unit = 0; unit < few.units(); ++unit) {
    for (const auto& one : few.of(unit))
      if (unit < 180 || one.contributor < 2)
        all.votes.push_back({few.contributors - 1 - one.contributor, one.label});
    all.begins.push_back(all.votes.size());
  }
  return all;
}

// A unit that thousands have answered would have millions of pairs.
BOOST_AUTO_TEST_CASE(those_are_compared_who_have_answered_most) {
  copy_rule rule;
  rule.compared_max = 1;
  BOOST_TEST(suspected_copies(crowd_with_busy_copies(), rule).empty());
  rule.compared_max = 2;
  const auto found = suspected_copies(crowd_with_busy_copies(), rule);
  BOOST_TEST_REQUIRE(found.size() == 1U);
  BOOST_TEST(found[0].first == 28U);
  BOOST_TEST(found[0].second == 29U);
}

// 49,995,000 pairs on each unit, were all of them compared: minutes, and gigabytes of pairs.
BOOST_AUTO_TEST_CASE(a_unit_that_everybody_has_answered_is_compared_in_bounded_time) {
  constexpr std::uint32_t everybody = 10'000;
  seeded_source random{13};
  answers given;
  given.labels = 3;
  given.contributors = everybody;
  for (int unit = 0; unit < 5; ++unit) {
    for (std::uint32_t who = 0; who < everybody; ++who)
      given.votes.push_back({who, static_cast<std::uint32_t>(random.below(3))});
    given.begins.push_back(given.votes.size());
  }
  copy_rule rule;
  rule.units_min = 5;
  BOOST_TEST(suspected_copies(given, rule).empty());
}

// Nobody is known to have copied here. Rules on identical answers flag up to a third of them.
BOOST_AUTO_TEST_CASE(recorded_crowds_are_left_alone) {
  for (const auto* name : {"sp_amt", "cf_amt", "bluebird"})
    BOOST_TEST(suspected_copies(test::recorded_set(name).named.given, {}).empty(), name);
}

BOOST_AUTO_TEST_SUITE_END()
