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

/// The same with all counts that there can be, in tables as wide as they come: what `incremental`
/// is held to. It estimates from scratch, by its own arithmetic, whatever the step is told.
class dense_aggregator {
public:
  dense_aggregator(std::uint32_t labels, std::size_t units, std::size_t voters)
      : labels_(labels),
        votes_(units),
        shares_(units, std::vector<double>(labels, 1.0 / labels)),
        truths_(units, unknown_label),
        sums_(labels, 0.0),
        cells_(voters, std::vector<double>(std::size_t{labels} * labels, 0.0)) {}

  void add(std::size_t unit, const vote& given) {
    for (const auto& one : votes_[unit])
      if (one.contributor == given.contributor)
        return;
    change(unit, [&] { votes_[unit].push_back(given); });
  }

  void withdraw(std::size_t unit, std::uint32_t who) {
    auto& votes = votes_[unit];
    for (std::size_t i = 0; i < votes.size(); ++i)
      if (votes[i].contributor == who)
        return change(unit, [&] { votes.erase(votes.begin() + static_cast<std::ptrdiff_t>(i)); });
  }

  void hold(std::size_t unit, std::uint32_t truth) {
    change(unit, [&] { truths_[unit] = truth; });
  }

  /// As if all were told anew with these shares.
  void adopt(const estimates& found) {
    for (std::size_t unit = 0; unit < votes_.size(); ++unit)
      deposit(unit, -1);
    for (std::size_t unit = 0; unit < votes_.size(); ++unit) {
      if (!votes_[unit].empty())
        shares_[unit].assign(found.of(unit), found.of(unit) + labels_);
      deposit(unit, 1);
    }
  }

  const std::vector<double>& shares(std::size_t unit) const { return shares_[unit]; }

private:
  template <class Change>
  void change(std::size_t unit, Change what) {
    deposit(unit, -1);
    what();
    estimate(unit);
    deposit(unit, 1);
  }

  void deposit(std::size_t unit, int sign) {
    if (votes_[unit].empty())
      return;
    counted_ += sign;
    for (std::uint32_t k = 0; k < labels_; ++k) {
      const auto share = sign * std::nearbyint(shares_[unit][k] * (1 << 30)) / (1 << 30);
      sums_[k] += share;
      for (const auto& one : votes_[unit])
        cells_[one.contributor][std::size_t{one.label} * labels_ + k] += share;
    }
  }

  void estimate(std::size_t unit) {
    auto& found = shares_[unit];
    if (truths_[unit] < labels_) {
      found.assign(labels_, 0.0);
      found[truths_[unit]] = 1;
      return;
    }
    std::vector<double> logs(labels_);
    for (std::uint32_t k = 0; k < labels_; ++k) {
      logs[k] = std::log((sums_[k] + prior_label) / (counted_ + prior_label * labels_));
      for (const auto& one : votes_[unit]) {
        const auto& cells = cells_[one.contributor];
        double row = 0;
        for (std::uint32_t label = 0; label < labels_; ++label)
          row += cells[std::size_t{label} * labels_ + k];
        const auto seen = cells[std::size_t{one.label} * labels_ + k];
        logs[k] += std::log((seen + prior_cell + (one.label == k ? prior_diagonal : 0))
                            / (row + prior_cell * labels_ + prior_diagonal));
      }
    }
    normalise_logs(logs.data(), labels_);
    found = logs;
  }

  std::uint32_t labels_;
  std::vector<std::vector<vote>> votes_;
  std::vector<std::vector<double>> shares_;
  known_labels truths_;
  std::vector<double> sums_;
  std::vector<std::vector<double>> cells_;
  double counted_ = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(incremental_aggregation)

// Only labels that somebody has given are kept, and nobody can tell.
BOOST_AUTO_TEST_CASE(estimates_do_not_depend_on_judgments_dropped_from_memory) {
  constexpr std::size_t units = 12;
  constexpr std::uint32_t voters = 8;
  for (const std::uint32_t labels : {1U, 2U, 7U, 60U})
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      test::random_source random{seed};
      incremental live{labels};
      dense_aggregator dense{labels, units, voters};
      for (std::size_t unit = 0; unit < units; ++unit)
        live.hold(unit, unknown_label); // so that both have all units
      const auto any_label = [&] { return static_cast<std::uint32_t>(random.below(labels)); };
      for (int round = 0; round < 400; ++round) {
        const auto unit = static_cast<std::size_t>(random.below(units));
        const vote given{static_cast<std::uint32_t>(random.below(voters)), any_label()};
        switch (random.below(12)) {
        case 0:
        case 1:
          live.withdraw(unit, given.contributor);
          dense.withdraw(unit, given.contributor);
          break;
        case 2: {
          const auto truth = random.below(2) == 0 ? any_label() : unknown_label;
          live.hold(unit, truth);
          dense.hold(unit, truth);
          break;
        }
        case 3: {
          const auto found = live.found();
          live.adopt(found);
          dense.adopt(found);
          break;
        }
        default:
          live.add(unit, given);
          dense.add(unit, given);
        }
        for (std::size_t one = 0; one < units; ++one)
          for (std::uint32_t k = 0; k < labels; ++k)
            if (std::abs(live.shares(one)[k] - dense.shares(one)[k]) > 1e-7)
              BOOST_FAIL("seed " << seed << ", " << labels << " labels, round " << round);
      }
    }
}

// Of what is beyond the bound nothing is learnt, and all else is exact: also what is taken out.
BOOST_AUTO_TEST_CASE(beyond_its_memory_a_live_step_learns_nothing_of_contributors) {
  constexpr std::uint32_t labels = 4;
  incremental full{labels, 3 * labels}; // a row for each of three labels given
  incremental roomy{labels};
  for (std::size_t unit = 0; unit < 10; ++unit)
    for (std::uint32_t who = 0; who < 3; ++who) {
      full.add(unit, {who, who});
      roomy.add(unit, {who, who});
    }
  BOOST_TEST(greatest_difference(full.found(), roomy.found()) == 0);
  // A fourth person is always right, and that is not known of them.
  for (std::size_t unit = 20; unit < 40; ++unit)
    for (auto* one : {&full, &roomy}) {
      one->hold(unit, 3);
      one->add(unit, {3, 3});
    }
  full.add(50, {3, 3});
  roomy.add(50, {3, 3});
  BOOST_TEST(full.shares(50)[3] < roomy.shares(50)[3] - 0.01);
  BOOST_TEST(full.shares(50)[3] > 0.25);
  for (auto* one : {&full, &roomy}) {
    for (std::size_t unit = 20; unit < 40; ++unit) {
      one->withdraw(unit, 3);
      one->hold(unit, unknown_label);
    }
    one->withdraw(50, 3);
    one->add(60, {0, 0});
  }
  for (std::uint32_t k = 0; k < labels; ++k)
    BOOST_TEST(full.shares(60)[k] == roomy.shares(60)[k]);
  // When all is made anew there is room for others.
  for (auto* one : {&full, &roomy}) {
    for (std::size_t unit = 0; unit < 10; ++unit)
      one->withdraw(unit, 1);
    one->adopt(one->found());
    for (std::size_t unit = 70; unit < 80; ++unit) {
      one->hold(unit, 3);
      one->add(unit, {3, 3});
    }
    one->add(80, {3, 3});
  }
  for (std::size_t unit = 70; unit <= 80; ++unit)
    for (std::uint32_t k = 0; k < labels; ++k)
      BOOST_TEST(full.shares(unit)[k] == roomy.shares(unit)[k]);
}

// 257 times 256 counts of each were 5 GB here.
BOOST_AUTO_TEST_CASE(a_step_with_hundreds_of_labels_and_many_contributors_fits_into_memory) {
  incremental live{256};
  for (std::uint32_t who = 0; who < 10'000; ++who)
    for (std::uint32_t i = 0; i < 2; ++i)
      live.add(who % 100, {who, (who + i) % 256});
  BOOST_TEST(live.found().units() == 100U);
}

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
