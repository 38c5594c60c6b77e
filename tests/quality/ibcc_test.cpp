// Bayesian classifier combination by variational Bayes. A30

#include "core/quality/digamma.hpp"
#include "core/quality/ibcc.hpp"
#include "tests/quality/recorded_sets.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>

using namespace holdfast;
using namespace core::quality;

namespace tt = boost::test_tools;

BOOST_AUTO_TEST_SUITE(variational_bayes)

BOOST_AUTO_TEST_CASE(digamma_has_its_known_values) {
  const auto euler = 0.57721566490153286061;
  BOOST_TEST(digamma(1) == -euler, tt::tolerance(1e-14));
  BOOST_TEST(digamma(0.5) == -euler - 2 * std::log(2.0), tt::tolerance(1e-14));
  BOOST_TEST(digamma(11) == 2.9289682539682539 - euler, tt::tolerance(1e-14)); // 1 + 1/2 + ... 1/10
  for (const auto x : {1e-3, 0.3, 4.5, 9.5, 1e3, 1e7})
    BOOST_TEST(digamma(x + 1) - digamma(x) == 1 / x, tt::tolerance(x < 100 ? 1e-12 : 1e-6));
}

// By hand: the label has two of three pseudo-votes, so its means are exp(psi(2) - psi(3)) and
// exp(psi(1) - psi(3)); what was said has 3.5 of 4 if it is true, else 0.5 of 3.
BOOST_AUTO_TEST_CASE(one_vote_is_read_as_all_matrices_that_may_be_read_it) {
  answers given;
  given.labels = 2;
  given.contributors = 1;
  given.votes = {{0, 0}};
  given.begins = {0, 1};
  em_options once;
  once.iterations_max = 1;
  const auto fit = ibcc_vb(given, once);
  BOOST_TEST(fit.model.label_shares[0] == std::exp(-0.5), tt::tolerance(1e-12));
  BOOST_TEST(fit.model.label_shares[1] == std::exp(-1.5), tt::tolerance(1e-12));
  BOOST_TEST(fit.found.of(0)[0] == 1 / (1 + std::exp(-56.0 / 15)), tt::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(the_bound_never_falls) {
  for (const auto* name : test::sets_with_truth) {
    const auto given = test::recorded_set(name).named.given;
    em_options patient;
    patient.rise_min = -1; // no stop before the hundredth
    const auto fit = ibcc_vb(given, patient);
    BOOST_TEST(fit.iterations() == 100U);
    const auto rounding = 1e-12 * std::abs(fit.log_likelihood());
    for (std::size_t i = 1; i < fit.iterations(); ++i)
      BOOST_TEST(fit.log_likelihoods[i] >= fit.log_likelihoods[i - 1] - rounding,
                 name << ", iteration " << i);
    BOOST_TEST(fit.log_likelihood() > fit.log_likelihoods.front());
  }
}

BOOST_AUTO_TEST_SUITE_END()
