// Every method against the figures of an independent implementation (data/expected.json), on
// recorded jobs with known truth. A30 to A33.

#include "core/quality/dawid_skene.hpp"
#include "core/quality/incremental.hpp"
#include "core/quality/method.hpp"
#include "core/quality/one_coin.hpp"
#include "core/quality/refit.hpp"
#include "core/quality/voting.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <map>
#include <string>
#include <vector>

using namespace holdfast;
using core::quality::method;

namespace {

struct expectation {
  method what;
  bool with_test_questions;
};

const std::map<std::string, expectation> ours{
    {"mv", {method::majority, false}},
    {"wawa", {method::wawa, false}},
    {"wawa_soft", {method::wawa_soft, false}},
    {"ds_mle", {method::dawid_skene_mle, false}},
    {"ds_map", {method::dawid_skene_map, false}},
    {"fds", {method::fast_dawid_skene, false}},
    {"onecoin_mle", {method::one_coin_mle, false}},
    {"onecoin_map", {method::one_coin, false}},
    {"ibcc_vb", {method::ibcc_vb, false}},
    {"glad", {method::glad, false}},
    {"mv_nongold", {method::majority, true}},
    {"trust_linear_nongold", {method::weighted, true}},
    {"trust_logodds_nongold", {method::weighted_log_odds, true}},
    {"ds_map_gold_nongold", {method::dawid_skene_map, true}},
    {"onecoin_map_gold_nongold", {method::one_coin, true}},
};

void check(const std::string& where, const nlohmann::json& expected, const expectation& which,
           const documents::labelled_set& set) {
  BOOST_TEST_CONTEXT(where) {
    const auto questions =
        which.with_test_questions ? set.test_questions : core::quality::known_labels{};
    const auto result = aggregate_by(which.what, set.named.given, questions);
    const auto right =
        accuracy_of(result.found, which.with_test_questions ? set.held_back : set.truth);
    const double tolerance = expected.at("tol");
    BOOST_TEST(right.units == expected.at("n").get<std::size_t>());
    BOOST_TEST(std::abs(right.shared - expected.at("acc").get<double>()) <= tolerance);
    BOOST_TEST(std::abs(right.lowest - expected.at("acc_lowest").get<double>()) <= tolerance);
    if (!expected.contains("ll")) { // of `glad` the file has none
      BOOST_TEST(result.log_likelihood.has_value() == (which.what == method::glad));
      return;
    }
    BOOST_REQUIRE(result.log_likelihood.has_value());
    const double likelihood = expected.at("ll");
    const double relative = expected.at("ll_rel_tol");
    BOOST_TEST(std::abs(*result.log_likelihood - likelihood) <= relative * std::abs(likelihood));
    BOOST_TEST(result.iterations == expected.at("iters").get<std::uint32_t>());
  }
}

} // namespace

BOOST_AUTO_TEST_SUITE(methods)

BOOST_AUTO_TEST_CASE(every_method_reaches_the_published_figures) {
  const auto expected = test::expected_figures();
  BOOST_REQUIRE(expected.size() == std::size(test::sets_with_truth));
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    std::size_t checked = 0;
    for (const auto& [key, figures] : expected.at(name).at("algos").items()) {
      BOOST_REQUIRE_MESSAGE(ours.count(key) == 1, "no method of ours reaches " << key);
      check(std::string{name} + " " + key, figures, ours.at(key), set);
      ++checked;
    }
    BOOST_TEST(checked == ours.size());
  }
}

BOOST_AUTO_TEST_CASE(sets_have_the_published_size) {
  const auto expected = test::expected_figures();
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto& meta = expected.at(name).at("meta");
    BOOST_TEST(set.named.units.size() == meta.at("tasks").get<std::size_t>(), name);
    BOOST_TEST(set.named.contributors.size() == meta.at("workers").get<std::size_t>(), name);
    BOOST_TEST(set.named.given.votes.size() == meta.at("answers").get<std::size_t>(), name);
    BOOST_TEST((set.named.labels == meta.at("labels").get<std::vector<std::string>>()), name);
  }
}

BOOST_AUTO_TEST_CASE(hard_assignments_end_where_no_label_changes) {
  using namespace core::quality;
  for (const auto* name : test::sets_with_truth) {
    const auto given = test::recorded_set(name).named.given;
    const auto fit = fast_dawid_skene(given, {});
    em_options once_more;
    once_more.start = &fit.found;
    once_more.iterations_max = 1;
    const auto again = fast_dawid_skene(given, once_more);
    BOOST_TEST(again.log_likelihood() == fit.log_likelihood(), name);
    BOOST_TEST((again.found.shares == fit.found.shares), name);
    BOOST_TEST(unsure_part(fit.found, 1) > 0, name); // shares stay shares, not 0 and 1
  }
}

BOOST_AUTO_TEST_CASE(without_a_prior_nobody_is_infallible) {
  using namespace core::quality;
  answers given;
  given.labels = 2;
  given.contributors = 3; // the last has said nothing
  for (std::uint32_t unit = 0; unit < 4; ++unit) {
    given.votes.push_back({0, unit % 2});
    given.votes.push_back({1, 1 - unit % 2});
    given.begins.push_back(given.votes.size());
  }
  const auto fit = one_coin_mle(given, em_options{{0, 1, 0, 1}});
  BOOST_TEST(std::isfinite(fit.log_likelihood()));
  const auto accuracy_of_contributor = [&](std::uint32_t who) {
    return fit.model.given_true.of({who, 0})[0];
  };
  BOOST_TEST(accuracy_of_contributor(0) == 1 - 1e-10);
  BOOST_TEST(accuracy_of_contributor(1) == 1e-10);
  BOOST_TEST(accuracy_of_contributor(2) == 0.5);
}

BOOST_AUTO_TEST_CASE(selection_by_test_questions_is_never_far_behind_the_majority) {
  double gained = 0;
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto& given = set.named.given;
    const auto selected = aggregate_by(method::gold_selected, given, set.test_questions);
    const auto plain = aggregate_by(method::majority, given, set.test_questions);
    const auto gain = accuracy_of(selected.found, set.held_back).shared
                      - accuracy_of(plain.found, set.held_back).shared;
    BOOST_TEST(gain >= -0.008, name << " loses " << -gain);
    gained += gain;
  }
  BOOST_TEST(gained / 4 >= 0.038);
}

BOOST_AUTO_TEST_CASE(selection_takes_what_test_questions_show) {
  const auto chosen = [](const char* name) {
    const auto set = test::recorded_set(name);
    return most_accurate_on(set.named.given, set.test_questions);
  };
  BOOST_TEST((chosen("zencrowd_us") == method::one_coin));     // Dawid-Skene loses four points here
  BOOST_TEST((chosen("bluebird") == method::dawid_skene_map)); // one-coin loses 18
}

BOOST_AUTO_TEST_CASE(units_of_test_questions_are_held_at_the_truth) {
  const auto set = test::recorded_set("cf_amt");
  for (const auto& row : core::quality::method_descriptions()) {
    const auto result = aggregate_by(row.what, set.named.given, set.test_questions);
    for (std::size_t unit = 0; unit < set.truth.size(); ++unit)
      if (set.test_questions[unit] != core::quality::unknown_label)
        BOOST_TEST(result.found.of(unit)[set.truth[unit]] == 1.0, std::string{row.name});
  }
}

// Who says what nobody else can confirm is taken for anybody; their own vote confirms nothing.
BOOST_AUTO_TEST_CASE(agreement_is_with_the_others) {
  using namespace core::quality;
  answers given;
  given.labels = 2;
  given.contributors = 4; // the last has judged alone
  given.votes = {{0, 0}, {1, 0}, {2, 1}, {0, 1}, {1, 1}, {3, 1}};
  given.begins = {0, 3, 5, 6};
  const std::vector<double> weights{0.75, 0.75, 0, 2.0 / 3};
  BOOST_TEST(agreement_with_others(given) == weights, boost::test_tools::per_element());
  BOOST_TEST(wawa_soft(given).of(0)[0] == 1.0);
}

// A live step refits, so the order in which its judgments came in is gone in the end.
BOOST_AUTO_TEST_CASE(incremental_ends_with_a_look_at_all_judgments) {
  using namespace core::quality;
  const auto set = test::recorded_set("zencrowd_us");
  incremental live{set.named.given.labels};
  for (std::size_t unit = 0; unit < set.named.units.size(); ++unit) {
    live.hold(unit, set.test_questions[unit]);
    for (const auto& one : set.named.given.of(unit))
      live.add(unit, one);
  }
  live.adopt(refit_of({live.recorded(), live.held()}).found);
  const auto whole = aggregate_by(method::incremental, set.named.given, set.test_questions);
  const auto after = live.found();
  for (std::size_t i = 0; i < after.shares.size(); ++i)
    BOOST_TEST(std::abs(after.shares[i] - whole.found.shares[i]) < 1e-9);
}

BOOST_AUTO_TEST_CASE(methods_that_iterate_end_where_they_are_told) {
  using namespace core::quality;
  const auto given = test::recorded_set("bluebird").named.given;
  for (const auto& row : method_descriptions()) {
    if (row.what == method::gold_selected)
      continue;
    const auto usual = aggregate_by(row.what, given, {});
    if (usual.iterations == 0)
      continue;
    const auto one = aggregate_by(row.what, given, {}, {1, -1, {}});
    BOOST_TEST(one.iterations == 1U, std::string{row.name});
    if (row.what == method::fast_dawid_skene)
      continue; // which ends when no label changes
    const auto patient = aggregate_by(row.what, given, {}, {105, -1e9, {}});
    BOOST_TEST(patient.iterations == 105U, std::string{row.name});
  }
}

BOOST_AUTO_TEST_CASE(methods_are_found_by_every_name_they_have) {
  using core::quality::method_named;
  for (const auto& row : core::quality::method_descriptions())
    BOOST_TEST((method_named(row.name) == row.what));
  for (const auto& row : core::quality::method_aliases())
    BOOST_TEST((method_named(row.name) == row.what), std::string{row.name});
  for (const auto& [key, which] : ours) // without what they say of test questions
    BOOST_TEST((method_named(test::method_of_key(key)) == which.what), key);
  BOOST_TEST((method_named("map") == method::dawid_skene_map));
  BOOST_TEST((method_named("mle") == method::dawid_skene_mle));
  BOOST_TEST((method_named("dawid_skene") == method::dawid_skene_map));
  BOOST_TEST(!method_named("Majority"));
}

BOOST_AUTO_TEST_SUITE_END()
