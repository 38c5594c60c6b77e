// Confidence that is right as often as it says.

#include "core/quality/calibration.hpp"
#include "core/quality/method.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <string>

using namespace holdfast;
using namespace core::quality;

namespace {

/// `units` estimates of two labels, each as sure of the first.
estimates sure(std::size_t units, double share) {
  estimates all{units, 2};
  for (std::size_t unit = 0; unit < units; ++unit) {
    all.of(unit)[0] = share;
    all.of(unit)[1] = 1 - share;
  }
  return all;
}

/// The first label is true for `right` units, the second for the others.
known_labels first_is_true_for(std::size_t right, std::size_t units) {
  known_labels truth(units, 1);
  std::fill(truth.begin(), truth.begin() + static_cast<std::ptrdiff_t>(right), 0);
  return truth;
}

double calibrated_error(method what, const documents::labelled_set& set) {
  const auto& given = set.named.given;
  const auto fit = fit_temperature(aggregate_by(what, given, {}).found, set.test_questions);
  const auto held = aggregate_by(what, given, set.test_questions).found;
  return expected_calibration_error(calibrated(held, fit), set.held_back);
}

} // namespace

BOOST_AUTO_TEST_SUITE(calibration_of_confidence)

BOOST_AUTO_TEST_CASE(a_few_test_questions_make_confidence_honest) {
  for (const auto* name : {"cf_amt", "sp_amt"}) {
    const auto set = test::recorded_set(name);
    for (const auto what :
         {method::majority, method::wawa, method::weighted, method::weighted_log_odds,
          method::dawid_skene_mle, method::dawid_skene_map, method::one_coin, method::incremental})
      BOOST_TEST(calibrated_error(what, set) <= 0.10, name << " " << std::string{name_of(what)});
  }
}

BOOST_AUTO_TEST_CASE(method_selected_by_test_questions_is_honest_on_every_set) {
  for (const auto* name : test::sets_with_truth) {
    const auto set = test::recorded_set(name);
    const auto what = most_accurate_on(set.named.given, set.test_questions);
    BOOST_TEST(calibrated_error(what, set) <= 0.10, name);
  }
}

BOOST_AUTO_TEST_CASE(raw_posteriors_are_too_sure) {
  const auto set = test::recorded_set("cf_amt");
  const auto raw = aggregate_by(method::dawid_skene_map, set.named.given, {}).found;
  BOOST_TEST(expected_calibration_error(raw, set.held_back) > 0.10);
}

BOOST_AUTO_TEST_CASE(too_much_certainty_is_cooled_to_what_was_right) {
  const auto fit = fit_temperature(sure(1000, 0.99), first_is_true_for(800, 1000));
  BOOST_TEST(fit.fitted_on == 1000U);
  BOOST_TEST(fit.temperature > 1);
  BOOST_TEST(calibrated(sure(1, 0.99), fit).of(0)[0] == 0.8, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(too_little_certainty_is_raised) {
  const auto fit = fit_temperature(sure(1000, 0.6), first_is_true_for(800, 1000));
  BOOST_TEST(fit.temperature < 1);
  BOOST_TEST(calibrated(sure(1, 0.6), fit).of(0)[0] == 0.8, boost::test_tools::tolerance(0.01));
}

BOOST_AUTO_TEST_CASE(ten_right_answers_do_not_make_certainty) {
  const auto fit = fit_temperature(sure(10, 0.9), first_is_true_for(10, 10));
  BOOST_TEST(calibrated(sure(1, 0.9), fit).of(0)[0] < 0.95);
}

BOOST_AUTO_TEST_CASE(without_test_questions_shares_stay_as_they_are) {
  const auto fit = fit_temperature(sure(3, 0.9), known_labels(3, unknown_label));
  BOOST_TEST(fit.fitted_on == 0U);
  BOOST_TEST((calibrated(sure(3, 0.999), fit).shares == sure(3, 0.999).shares));
  // A truth that nobody could have said teaches nothing about certainty.
  BOOST_TEST(fit_temperature(sure(3, 0.9), known_labels(3, unheard_label)).fitted_on == 0U);
}

BOOST_AUTO_TEST_CASE(the_likeliest_label_stays_the_likeliest) {
  const auto set = test::recorded_set("cf_amt");
  const auto raw = aggregate_by(method::dawid_skene_map, set.named.given, {}).found;
  const auto cooled = calibrated(raw, fit_temperature(raw, set.test_questions));
  for (std::size_t unit = 0; unit < raw.units(); ++unit)
    BOOST_TEST(consensus_of(raw.of(unit), raw.labels).label
               == consensus_of(cooled.of(unit), raw.labels).label);
}

BOOST_AUTO_TEST_CASE(calibration_error_is_the_distance_from_what_was_right) {
  BOOST_TEST(expected_calibration_error(sure(10, 0.95), first_is_true_for(7, 10)) == 0.25,
             boost::test_tools::tolerance(1e-12));
  BOOST_TEST(expected_calibration_error(sure(10, 1.0), first_is_true_for(10, 10)) == 0.0);
  BOOST_TEST(expected_calibration_error(sure(2, 0.9), known_labels(2, unknown_label)) == 0.0);
}

BOOST_AUTO_TEST_SUITE_END()
