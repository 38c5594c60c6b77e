// How many judgments a unit needs, and what that costs in accuracy on recorded jobs.

#include "core/quality/overlap_replay.hpp"
#include "core/quality/stopping.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

using namespace holdfast;
using namespace core::quality;

namespace {

constexpr std::uint32_t fixed = 5;
constexpr std::uint64_t seeds = 10;

const stopping_rule dynamic{2, 5, 0.9, false};
const stopping_rule curtailed{1, 5, {}, true};

bool enough_of(const stopping_rule& rule, const std::vector<std::uint32_t>& labels,
               double confidence) {
  std::vector<vote> votes;
  for (const auto label : labels)
    votes.push_back({static_cast<std::uint32_t>(votes.size()), label});
  return enough(rule, {votes.data(), votes.data() + votes.size()}, 3, confidence);
}

struct mean_figures {
  double saved = 0;
  double gain = 0; ///< In accuracy over the majority of five.
};

mean_figures replayed(const documents::labelled_set& set, const stopping_rule& rule) {
  mean_figures sum;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto played = replay(set.named.given, rule, set.test_questions, fixed, seed);
    sum.saved += played.saved() / seeds;
    sum.gain += (accuracy_of(played.found, set.held_back).shared
                 - accuracy_of(played.fixed, set.held_back).shared)
                / seeds;
  }
  return sum;
}

} // namespace

BOOST_AUTO_TEST_SUITE(stopping)

BOOST_AUTO_TEST_CASE(a_fixed_number_is_asked_for_whatever_the_votes_say) {
  const stopping_rule three{3, 3, {}, false};
  BOOST_TEST(!enough_of(three, {0, 0}, 1));
  BOOST_TEST(enough_of(three, {0, 1, 2}, 0.4));
}

BOOST_AUTO_TEST_CASE(confidence_stops_between_least_and_most) {
  BOOST_TEST(!enough_of(dynamic, {0}, 0.99));
  BOOST_TEST(!enough_of(dynamic, {0, 0}, 0.8999));
  BOOST_TEST(enough_of(dynamic, {0, 0}, 0.9));
  BOOST_TEST(enough_of(dynamic, {0, 1, 0, 1, 2}, 0.5));
}

BOOST_AUTO_TEST_CASE(curtailing_stops_when_the_leader_cannot_be_caught) {
  BOOST_TEST(!enough_of(curtailed, {0, 0}, 0));
  BOOST_TEST(enough_of(curtailed, {0, 0, 0}, 0));
  BOOST_TEST(!enough_of(curtailed, {0, 1, 0}, 0));
  BOOST_TEST(enough_of(curtailed, {0, 1, 0, 0}, 0));
  // Two to one with one to come may still be a tie.
  BOOST_TEST(!enough_of(curtailed, {0, 1, 2, 0}, 0));
}

BOOST_AUTO_TEST_CASE(curtailing_never_changes_the_majority) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto played = replay(set.named.given, curtailed, {}, fixed, 1);
    BOOST_TEST(played.saved() > 0.2, name);
    for (std::size_t unit = 0; unit < set.truth.size(); ++unit) {
      const auto ours = consensus_of(played.found.of(unit), played.found.labels);
      const auto all = consensus_of(played.fixed.of(unit), played.fixed.labels);
      BOOST_TEST_REQUIRE((ours.label == all.label && ours.tied == all.tied));
    }
  }
}

// Each set with every tenth known unit as a test question, which contributors answer first.
BOOST_AUTO_TEST_CASE(stopping_by_confidence_saves_a_third_and_loses_nothing) {
  double saved = 0;
  for (const auto* name : test::sets_with_truth) {
    const auto mean = replayed(test::recorded_set(name), dynamic);
    BOOST_TEST(mean.gain >= -0.01, name << " loses " << -mean.gain);
    saved += mean.saved / 4;
  }
  BOOST_TEST(saved >= 0.35);
}

BOOST_AUTO_TEST_CASE(a_seed_is_a_replay) {
  const auto set = test::recorded_set("bluebird");
  const auto once = replay(set.named.given, dynamic, set.test_questions, fixed, 3);
  const auto again = replay(set.named.given, dynamic, set.test_questions, fixed, 3);
  const auto other = replay(set.named.given, dynamic, set.test_questions, fixed, 4);
  BOOST_TEST((once.found.shares == again.found.shares && once.judgments == again.judgments));
  BOOST_TEST((once.found.shares != other.found.shares));
}

BOOST_AUTO_TEST_CASE(a_fixed_five_is_the_majority_of_five) {
  const auto set = test::recorded_set("cf_amt");
  const auto played = replay(set.named.given, {5, 5, {}, false}, {}, fixed, 1);
  BOOST_TEST(played.judgments == 1500U);
  BOOST_TEST(played.saved() == 0.0);
  BOOST_TEST((played.found.shares == played.fixed.shares));
}

BOOST_AUTO_TEST_CASE(units_with_fewer_recorded_judgments_use_what_there_is) {
  const auto set = test::recorded_set("zencrowd_us");
  const auto played = replay(set.named.given, {20, 20, {}, false}, {}, 20, 1);
  BOOST_TEST(played.judgments == set.named.given.votes.size());
}

BOOST_AUTO_TEST_SUITE_END()
