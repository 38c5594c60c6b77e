// The aggregator of live steps, against the one that sees everything at once. A33

#include "core/quality/dawid_skene.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/voting.hpp"
#include "tests/core/random_source.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <utility>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace {

using judgment = std::pair<std::size_t, vote>;

/// All judgments in an order that no unit and no contributor has to itself.
std::vector<judgment> mixed(const answers& given, std::uint64_t seed) {
  std::vector<judgment> all;
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    for (const auto& one : given.of(unit))
      all.emplace_back(unit, one);
  test::random_source random{seed};
  for (std::size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[random.below(i)]);
  return all;
}

incremental played(const answers& given, std::uint64_t seed) {
  incremental live{given.labels};
  for (const auto& [unit, what] : mixed(given, seed))
    live.add(unit, what);
  return live;
}

double greatest_difference(const estimates& a, const estimates& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.shares.size(); ++i)
    most = std::max(most, std::abs(a.shares[i] - b.shares[i]));
  return most;
}

} // namespace

BOOST_AUTO_TEST_SUITE(incremental_aggregation)

BOOST_AUTO_TEST_CASE(a_live_step_ends_where_the_batch_does_or_better) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto batch = dawid_skene(set.named.given, prior::diagonal, {});
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto live = played(set.named.given, seed);
      BOOST_TEST(accuracy_of(live.found(), set.truth).shared
                     >= accuracy_of(batch.found, set.truth).shared - 0.01,
                 name << ", seed " << seed);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_refit_begins_with_the_live_estimates_and_is_adopted) {
  const auto set = test::recorded_set("sp_amt");
  auto live = played(set.named.given, 1);
  const auto so_far = live.found();
  em_options from_there;
  from_there.start = &so_far;
  const auto refit = dawid_skene(live.recorded(), prior::diagonal, from_there);
  const auto cold = dawid_skene(set.named.given, prior::diagonal, {});
  BOOST_TEST(refit.iterations() < cold.iterations());
  BOOST_TEST(refit.log_likelihood() == cold.log_likelihood(), boost::test_tools::tolerance(1e-4));

  live.adopt(refit.found);
  BOOST_TEST(greatest_difference(live.found(), refit.found) == 0);
  // The next judgment is estimated from the adopted counts.
  const auto unit = live.found().units();
  live.add(unit, {0, 1});
  BOOST_TEST(live.shares(unit)[1] > 0.5);
}

BOOST_AUTO_TEST_CASE(a_judgment_taken_out_leaves_nothing_behind) {
  const auto set = test::recorded_set("bluebird");
  auto live = played(set.named.given, 2);
  const auto units = live.found().units();
  const auto before = live.found();
  live.add(units, {3, 1});
  BOOST_TEST(live.withdraw(units, 3));
  BOOST_TEST(!live.withdraw(units, 3));
  // The sums are exact, so other units cannot tell: the same judgment makes the same estimate.
  auto untouched = played(set.named.given, 2);
  live.add(units, {5, 0});
  untouched.add(units, {5, 0});
  BOOST_TEST(greatest_difference(live.found(), untouched.found()) == 0);
}

BOOST_AUTO_TEST_CASE(sums_do_not_drift) {
  incremental live{3};
  test::random_source random{9};
  for (std::uint32_t who = 0; who < 6; ++who)
    live.add(0, {who, who % 3});
  const auto reference = live.found();
  for (int round = 0; round < 20000; ++round) {
    const auto unit = 1 + random.below(4);
    live.add(unit, {static_cast<std::uint32_t>(random.below(6)),
                    static_cast<std::uint32_t>(random.below(3))});
    live.withdraw(1 + random.below(4), static_cast<std::uint32_t>(random.below(6)));
  }
  for (std::size_t unit = 1; unit <= 4; ++unit)
    for (std::uint32_t who = 0; who < 6; ++who)
      live.withdraw(unit, who);
  incremental fresh{3};
  for (std::uint32_t who = 0; who < 6; ++who)
    fresh.add(0, {who, who % 3});
  live.add(1, {0, 2});
  fresh.add(1, {0, 2});
  for (std::uint32_t k = 0; k < 3; ++k)
    BOOST_TEST(live.shares(1)[k] == fresh.shares(1)[k]);
}

BOOST_AUTO_TEST_CASE(a_second_judgment_of_a_contributor_is_refused) {
  incremental live{2};
  BOOST_TEST(live.add(0, {7, 0}));
  const auto before = live.shares(0)[0];
  BOOST_TEST(!live.add(0, {7, 1}));
  BOOST_TEST(live.shares(0)[0] == before);
}

BOOST_AUTO_TEST_CASE(a_unit_without_judgments_knows_nothing) {
  incremental live{4};
  live.add(3, {0, 2});
  for (std::uint32_t k = 0; k < 4; ++k)
    BOOST_TEST(live.shares(1)[k] == 0.25);
  BOOST_TEST(live.recorded().of(1).size() == 0U);
}

BOOST_AUTO_TEST_CASE(test_questions_are_held_at_the_truth_and_teach_who_is_right) {
  incremental live{2};
  for (std::size_t unit = 0; unit < 20; ++unit) {
    const auto truth = static_cast<std::uint32_t>(unit % 2);
    live.hold(unit, truth);
    live.add(unit, {0, truth});     // right
    live.add(unit, {1, 1 - truth}); // wrong, always
    BOOST_TEST(live.shares(unit)[truth] == 1.0);
  }
  live.add(20, {0, 0});
  live.add(20, {1, 1});
  BOOST_TEST(live.shares(20)[0] > 0.9);
  live.hold(0, unknown_label);
  BOOST_TEST(live.shares(0)[0] < 1.0);
  BOOST_TEST(live.shares(0)[0] > 0.5);
}

BOOST_AUTO_TEST_SUITE_END()
