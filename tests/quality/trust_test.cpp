// Trust, taint and test questions. A14 to A16, A27, A28

#include "core/quality/incomplete_beta.hpp"
#include "core/quality/seeded.hpp"
#include "core/quality/test_ledger.hpp"
#include "core/quality/test_placement.hpp"
#include "core/quality/voting.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace tt = boost::test_tools;

namespace {

using verdict = std::function<standing(const test_record&)>;

standing bad_if(bool bad) { return bad ? standing::bad : standing::undecided; }

const verdict by_default = [](const test_record& record) {
  return bad_if(is_tainted({}, trust_after({}, record)));
};

const verdict by_raw_share = [](const test_record& record) {
  return bad_if(record.asked >= 4 && record.right < 0.7 * record.asked);
};

const verdict by_sequential_test = [](const test_record& record) {
  return standing_of({}, record);
};

/// What becomes of a contributor with a certain accuracy: every course of the questions, weighed by
/// its chance. Exact, so the bounds below need no allowance for luck.
struct fate {
  double tainted = 0;
  std::uint32_t median_questions = 0; ///< Of those who are.
};

fate fate_of(double accuracy, const verdict& judge, std::uint32_t questions) {
  std::vector<double> alive{1}; // by right answers
  std::vector<double> tainted_after;
  for (std::uint32_t asked = 1; asked <= questions; ++asked) {
    std::vector<double> next(asked + 1, 0.0);
    for (std::uint32_t right = 0; right < asked; ++right) {
      next[right] += alive[right] * (1 - accuracy);
      next[right + 1] += alive[right] * accuracy;
    }
    tainted_after.push_back(0);
    for (std::uint32_t right = 0; right <= asked; ++right) {
      const auto now = judge({right, asked});
      tainted_after.back() += now == standing::bad ? next[right] : 0;
      if (now != standing::undecided)
        next[right] = 0; // no further question
    }
    alive = std::move(next);
  }
  fate result;
  for (const auto chance : tainted_after)
    result.tainted += chance;
  double so_far = 0;
  while (so_far < result.tainted / 2)
    so_far += tainted_after[result.median_questions++];
  return result;
}

std::vector<std::uint64_t> numbers_below(std::uint64_t limit) {
  std::vector<std::uint64_t> all(limit);
  for (std::uint64_t i = 0; i < limit; ++i)
    all[i] = i * 7919;
  return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(incomplete_beta_function)

BOOST_AUTO_TEST_CASE(agrees_with_boost) {
  for (const auto a : {0.5, 1.0, 4.0, 33.0, 700.0, 40000.0})
    for (const auto b : {0.5, 1.0, 2.0, 17.0, 500.0, 30000.0})
      for (const auto x : {0.001, 0.2, 0.5, 0.57, 0.7, 0.95, 0.9999})
        BOOST_TEST(std::abs(incomplete_beta(a, b, x) - boost::math::ibeta(a, b, x)) < 1e-10,
                   a << " " << b << " " << x);
  BOOST_TEST(incomplete_beta(4, 2, 0) == 0.0);
  BOOST_TEST(incomplete_beta(4, 2, 1) == 1.0);
}

BOOST_AUTO_TEST_CASE(quantiles_are_its_inverse) {
  for (const auto p : {0.001, 0.05, 0.5, 0.95})
    BOOST_TEST(beta_quantile(9, 3, p) == boost::math::ibeta_inv(9.0, 3.0, p), tt::tolerance(1e-9));
}

BOOST_AUTO_TEST_CASE(binomial_tails_add_up) {
  BOOST_TEST(binomial_tail(3, 3, 0.5) == 0.125, tt::tolerance(1e-12));
  BOOST_TEST(binomial_tail(2, 3, 0.5) == 0.5, tt::tolerance(1e-12));
  BOOST_TEST(binomial_tail(0, 3, 0.5) == 1.0);
  BOOST_TEST(binomial_tail(4, 3, 0.5) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(trust_in_contributors)

BOOST_AUTO_TEST_CASE(trust_is_a_mean_with_a_lower_bound) {
  const auto unknown = trust_after({}, {0, 0});
  const auto proven = trust_after({}, {18, 20});
  BOOST_TEST(unknown.mean() == 2.0 / 3, tt::tolerance(1e-12));
  BOOST_TEST(proven.mean() == 22.0 / 26, tt::tolerance(1e-12));
  BOOST_TEST(unknown.quantile(0.05) == boost::math::ibeta_inv(4.0, 2.0, 0.05), tt::tolerance(1e-9));
  BOOST_TEST(proven.quantile(0.05) > unknown.quantile(0.05) + 0.3);
  BOOST_TEST(proven.chance_below(proven.quantile(0.05)) == 0.05, tt::tolerance(1e-9));
}

// A10: what is stored of it tells all of it
BOOST_AUTO_TEST_CASE(trust_follows_from_its_mean_and_the_number_of_questions) {
  for (std::uint32_t asked = 0; asked <= 100; ++asked)
    for (std::uint32_t right = 0; right <= asked; ++right) {
      const auto had = trust_after({}, {right, asked});
      const auto known = trust_of(had.mean(), asked);
      BOOST_REQUIRE((known.right == had.right && known.wrong == had.wrong));
    }
  BOOST_TEST(low(trust_after({}, {18, 20})) == trust_after({}, {18, 20}).quantile(0.05));
  // What no answers give is taken for the nearest that some do.
  BOOST_TEST(trust_of(1, 0).mean() == trust_after({}, {}).mean());
}

// The figures that speak for the rule: of contributors who are right 85 times in 100, and of those
// who toss a coin, within 30 test questions.
BOOST_AUTO_TEST_CASE(good_contributors_are_tainted_once_in_fifty) {
  BOOST_TEST(fate_of(0.85, by_default, 30).tainted < 0.02);
  BOOST_TEST(fate_of(0.85, by_raw_share, 30).tainted > 0.28);
}

BOOST_AUTO_TEST_CASE(nine_coin_tossers_in_ten_are_tainted_after_eight_questions) {
  const auto tossers = fate_of(0.5, by_default, 30);
  BOOST_TEST(tossers.tainted >= 0.90);
  BOOST_TEST(tossers.median_questions == 8U);
}

BOOST_AUTO_TEST_CASE(two_mistakes_at_the_beginning_are_no_taint) {
  BOOST_TEST((by_default({0, 2}) == standing::undecided));
  BOOST_TEST((by_raw_share({2, 4}) == standing::bad));
  BOOST_TEST((by_default({2, 4}) == standing::undecided));
  BOOST_TEST((by_default({0, 3}) == standing::bad));
}

BOOST_AUTO_TEST_CASE(the_sequential_test_keeps_its_promises) {
  // However long it goes on; 400 questions leave nobody undecided.
  BOOST_TEST(fate_of(0.85, by_sequential_test, 400).tainted < 0.05);
  BOOST_TEST(fate_of(0.60, by_sequential_test, 400).tainted > 0.95);
  BOOST_TEST((standing_of({}, {0, 0}) == standing::undecided));
  BOOST_TEST((standing_of({}, {9, 9}) == standing::good));
  BOOST_TEST((standing_of({}, {0, 3}) == standing::undecided));
  BOOST_TEST((standing_of({}, {0, 4}) == standing::bad));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(ledger_of_test_questions)

BOOST_AUTO_TEST_CASE(forgiving_a_question_restores_what_there_would_have_been) {
  const auto set = test::recorded_set("cf_amt");
  const auto& given = set.named.given;
  const auto filled = [&](std::size_t left_out) {
    test_ledger ledger{{}};
    for (std::size_t unit = 0; unit < given.units(); ++unit)
      if (set.test_questions[unit] != unknown_label && unit != left_out)
        for (const auto& one : given.of(unit))
          ledger.record(one.contributor, static_cast<std::uint32_t>(unit),
                        one.label == set.test_questions[unit]);
    return ledger;
  };
  const auto aggregate = [&](const test_ledger& ledger) {
    std::vector<double> trusted;
    for (std::uint32_t who = 0; who < given.contributors; ++who)
      trusted.push_back(ledger.trust_of(who).mean());
    return weighted(untainted(given, ledger), trusted).shares;
  };
  std::size_t changed = 0;
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    if (set.test_questions[unit] == unknown_label)
      continue;
    auto ledger = filled(given.units());
    const auto before = aggregate(ledger);
    BOOST_TEST(ledger.forgive(static_cast<std::uint32_t>(unit)).size() == given.of(unit).size());
    const auto after = aggregate(ledger);
    BOOST_TEST((after == aggregate(filled(unit)))); // to the last bit
    changed += after != before ? 1 : 0;
    BOOST_TEST(ledger.forgive(static_cast<std::uint32_t>(unit)).empty());
    ledger.count_again(static_cast<std::uint32_t>(unit));
    BOOST_TEST((aggregate(ledger) == before));
  }
  BOOST_TEST(changed > 20U);
}

BOOST_AUTO_TEST_CASE(one_broken_rule_taints_for_good) {
  test_ledger ledger{{}};
  for (std::uint32_t question = 0; question < 3; ++question)
    ledger.record(0, question, false);
  BOOST_TEST(ledger.tainted(0));
  for (std::uint32_t question = 3; question < 40; ++question)
    ledger.record(0, question, true);
  BOOST_TEST(ledger.tainted(0));
  BOOST_TEST(ledger.trust_of(0).mean() > 0.8);
  // Were the first question unfair, it would never have come to this.
  BOOST_TEST((ledger.forgive(0) == std::vector<std::uint32_t>{0}));
  BOOST_TEST(!ledger.tainted(0));
}

BOOST_AUTO_TEST_CASE(a_sequential_test_is_over_at_its_first_verdict) {
  taint_rule sequential;
  sequential.sequential.emplace();
  test_ledger ledger{sequential};
  for (std::uint32_t question = 0; question < 3; ++question)
    ledger.record(0, question, false);
  BOOST_TEST(!ledger.tainted(0)); // the other rule has had enough
  ledger.record(0, 3, false);
  BOOST_TEST(ledger.tainted(0));
  ledger.record(0, 4, true);
  BOOST_TEST(ledger.tainted(0));
  // Were one of the four unfair, they would not have been enough.
  ledger.forgive(1);
  BOOST_TEST(!ledger.tainted(0));

  for (std::uint32_t question = 10; question < 19; ++question)
    ledger.record(1, question, true);
  for (std::uint32_t question = 19; question < 50; ++question)
    ledger.record(1, question, false);
  BOOST_TEST(!ledger.tainted(1));
}

BOOST_AUTO_TEST_CASE(a_question_counts_once_for_each_contributor) {
  test_ledger ledger{{}};
  ledger.record(2, 7, true);
  ledger.record(2, 7, false);
  BOOST_TEST(ledger.record_of(2).asked == 1U);
  BOOST_TEST(ledger.record_of(2).right == 1U);
  BOOST_TEST(ledger.record_of(9).asked == 0U);
  BOOST_TEST(!ledger.tainted(9));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(placement_of_test_questions)

BOOST_AUTO_TEST_CASE(a_quiz_comes_first_and_then_one_question_in_each_block) {
  const test_policy policy{5, 0.7, 8};
  std::set<std::uint64_t> places;
  for (const auto* name : {"ana", "bob", "eve", "joe"})
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const test_subject who{seed, name};
      for (std::uint64_t number = 0; number < 5; ++number)
        BOOST_TEST(is_test_due(policy, who, number));
      for (std::uint64_t block = 0; block < 10; ++block) {
        int tests = 0;
        for (std::uint64_t place = 0; place < 8; ++place)
          if (is_test_due(policy, who, 5 + block * 8 + place)) {
            ++tests;
            places.insert(place);
          }
        BOOST_TEST(tests == 1);
      }
    }
  BOOST_TEST(places.size() == 8U); // anywhere in a block
}

BOOST_AUTO_TEST_CASE(places_differ_between_contributors_and_repeat_with_the_seed) {
  const test_policy policy{0, 0.7, 10};
  const auto places = [&](std::uint64_t seed, const char* name) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t number = 0; number < 200; ++number)
      if (is_test_due(policy, {seed, name}, number))
        all.push_back(number);
    return all;
  };
  BOOST_TEST((places(1, "ana") == places(1, "ana")));
  BOOST_TEST((places(1, "ana") != places(1, "bob")));
  BOOST_TEST((places(1, "ana") != places(2, "ana")));
}

BOOST_AUTO_TEST_CASE(nobody_gets_a_question_twice) {
  const auto questions = numbers_below(50);
  for (const auto* name : {"ana", "bob"}) {
    std::vector<std::uint64_t> answered;
    while (const auto next = next_test_question({3, name}, questions, answered))
      answered.push_back(*next);
    BOOST_TEST(answered.size() == 50U);
    BOOST_TEST((std::set<std::uint64_t>(answered.begin(), answered.end()).size() == 50U));
  }
}

BOOST_AUTO_TEST_CASE(everybody_has_an_order_of_questions_of_their_own) {
  const auto questions = numbers_below(40);
  std::set<std::uint64_t> first;
  for (int i = 0; i < 200; ++i)
    first.insert(*next_test_question({3, "contributor " + std::to_string(i)}, questions, {}));
  BOOST_TEST(first.size() > 30U); // 40 less the few that nobody happens to begin with
}

BOOST_AUTO_TEST_CASE(a_question_added_later_moves_no_other) {
  auto questions = numbers_below(10);
  const test_subject who{3, "ana"};
  const auto order_without = [&](std::uint64_t left_out) {
    std::vector<std::uint64_t> order;
    std::vector<std::uint64_t> answered;
    while (const auto next = next_test_question(who, questions, answered)) {
      answered.push_back(*next);
      if (*next != left_out)
        order.push_back(*next);
    }
    return order;
  };
  const auto before = order_without(999);
  questions.push_back(999);
  BOOST_TEST((order_without(999) == before));
}

BOOST_AUTO_TEST_CASE(a_quiz_ends_as_soon_as_it_cannot_be_passed) {
  const test_policy policy{10, 0.7, 0};
  BOOST_TEST((quiz_state_of(policy, {0, 0}) == quiz_state::under_way));
  BOOST_TEST((quiz_state_of(policy, {6, 9}) == quiz_state::under_way));
  BOOST_TEST((quiz_state_of(policy, {7, 10}) == quiz_state::passed));
  BOOST_TEST((quiz_state_of(policy, {6, 10}) == quiz_state::failed));
  BOOST_TEST((quiz_state_of(policy, {0, 3}) == quiz_state::under_way));
  BOOST_TEST((quiz_state_of(policy, {0, 4}) == quiz_state::failed));
  BOOST_TEST((quiz_state_of({0, 0.7, 10}, {0, 0}) == quiz_state::passed));
}

BOOST_AUTO_TEST_SUITE_END()
