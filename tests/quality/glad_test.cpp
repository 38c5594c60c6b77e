// Abilities of contributors and difficulties of units. A30

#include "core/quality/glad.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace {

/// Contributor i says `said[unit][i]`.
answers answers_of(const std::vector<std::vector<std::uint32_t>>& said, std::uint32_t labels) {
  answers given;
  given.labels = labels;
  for (const auto& unit : said) {
    std::uint32_t who = 0;
    for (const auto label : unit)
      given.votes.push_back({who++, label});
    given.contributors = std::max(given.contributors, who);
    given.begins.push_back(given.votes.size());
  }
  return given;
}

} // namespace

BOOST_AUTO_TEST_SUITE(abilities_and_difficulties)

BOOST_AUTO_TEST_CASE(the_posterior_never_falls) {
  for (const auto* name : test::sets_with_truth) {
    const auto fit = glad(test::recorded_set(name).named.given, {{}, 12, -1e9});
    BOOST_TEST(fit.log_posteriors.size() == 12U);
    for (std::size_t i = 1; i < fit.log_posteriors.size(); ++i)
      BOOST_TEST(fit.log_posteriors[i] >= fit.log_posteriors[i - 1] - 1e-7,
                 name << ", iteration " << i);
  }
}

// One vote says the same of any contributor and unit: each label is as likely to be given.
BOOST_AUTO_TEST_CASE(a_single_vote_has_the_likelihood_of_chance) {
  const auto fit = glad(answers_of({{2}, {0}, {1}}, 3), {});
  BOOST_TEST(fit.log_likelihoods.back() == -3 * std::log(3.0), boost::test_tools::tolerance(1e-12));
}

// Where everything is known, no ability and no ease could be better: the slopes of the paper are 0.
BOOST_AUTO_TEST_CASE(it_ends_at_the_top) {
  const auto set = test::recorded_set("bluebird");
  const auto& given = set.named.given;
  const auto fit = glad(given, {set.truth, 100, -1e9});
  std::vector<double> slopes(given.contributors);
  for (std::size_t who = 0; who < slopes.size(); ++who)
    slopes[who] = 1 - fit.abilities[who];
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    const auto scale = std::exp(fit.ease[unit]);
    auto slope = 1 - fit.ease[unit];
    for (const auto& one : given.of(unit)) {
      const auto ability = fit.abilities[one.contributor];
      const auto off =
          (one.label == set.truth[unit] ? 1 : 0) - 1 / (1 + std::exp(-ability * scale));
      slopes[one.contributor] += off * scale;
      slope += off * ability * scale;
    }
    BOOST_TEST(std::abs(slope) < 1e-6, "unit " << unit);
  }
  for (std::size_t who = 0; who < slopes.size(); ++who)
    BOOST_TEST(std::abs(slopes[who]) < 1e-6, "contributor " << who);
}

BOOST_AUTO_TEST_CASE(contributor_who_is_always_wrong_tells_the_other_label) {
  // The last contributor is wrong on all test questions, and alone on the unit without one.
  auto given = answers_of({{0, 0, 1}, {1, 1, 0}, {0, 0, 1}, {1, 1, 0}, {0, 0, 1}, {1, 1, 0}}, 2);
  given.votes.push_back({2, 0});
  given.begins.push_back(given.votes.size());
  const auto fit = glad(given, {{0, 1, 0, 1, 0, 1, unknown_label}, 100, 1e-6});
  BOOST_TEST(fit.abilities[0] > 0);
  BOOST_TEST(fit.abilities[2] < 0);
  BOOST_TEST(fit.found.of(6)[1] > 0.5);
}

BOOST_AUTO_TEST_CASE(units_that_the_able_disagree_on_are_hard) {
  const auto fit =
      glad(answers_of({{0, 0, 0, 0}, {1, 1, 1, 1}, {0, 0, 1, 1}, {1, 1, 1, 1}}, 2), {});
  for (const std::size_t easy : {0, 1, 3})
    BOOST_TEST(fit.ease[easy] > fit.ease[2]);
}

BOOST_AUTO_TEST_SUITE_END()
