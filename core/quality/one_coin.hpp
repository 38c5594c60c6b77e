#pragma once

#include "core/quality/expectation.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::core::quality {

/// Estimates the true labels together with one accuracy of each contributor, whose errors are taken
/// to fall on the other labels alike. Source: A. Dawid, A. Skene, 1979, with one parameter in place
/// of the matrix; see Y. Zhang et al., "Spectral methods meet EM", 2016. Needs fewer votes than
/// `dawid_skene`, and errs where contributors lean to one label.
em_fit one_coin(const answers& given, const em_options& options);

/// What `one_coin` finds, with one number for each contributor where that has a confusion matrix.
struct coin_fit {
  estimates found;
  std::vector<double> label_shares; ///< How likely each label is anywhere.
  std::vector<double> accuracies;   ///< By contributor.
  double log_likelihood = 0;
  std::uint32_t iterations = 0;
};

/// The same for any number of contributors and labels: it needs no confusion table. Rounding aside
/// it finds the same. `options` as there, without `start` and `hard`.
coin_fit one_coin_by_accuracy(const answers& given, const em_options& options);

/// The same without a prior. Whoever has been right about all their few units is then taken to be
/// all but infallible.
em_fit one_coin_mle(const answers& given, const em_options& options);

} // namespace holdfast::core::quality
