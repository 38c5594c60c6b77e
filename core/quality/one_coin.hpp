#pragma once

#include "core/quality/expectation.hpp"

namespace holdfast::core::quality {

/// Estimates the true labels together with one accuracy of each contributor, whose errors are taken
/// to fall on the other labels alike. Source: A. Dawid, A. Skene, 1979, with one parameter in place
/// of the matrix; see Y. Zhang et al., "Spectral methods meet EM", 2016. Needs fewer votes than
/// `dawid_skene`, and errs where contributors lean to one label.
em_fit one_coin(const answers& given, const em_options& options);

/// The same without a prior. Whoever has been right about all their few units is then taken to be
/// all but infallible.
em_fit one_coin_mle(const answers& given, const em_options& options);

} // namespace holdfast::core::quality
