#pragma once

#include "core/quality/expectation.hpp"

namespace holdfast::core::quality {

/// Bayesian classifier combination with independent contributors, by variational Bayes: the model
/// of `dawid_skene` with its prior, but nobody's confusion matrix is taken to be the likeliest one;
/// the posterior is that of all matrices that may be. So contributors with few votes weigh less.
/// Begins with the vote shares. Source: H.-C. Kim, Z. Ghahramani, "Bayesian classifier
/// combination", 2012; E. Simpson, S. Roberts, I. Psorakis, A. Smith, "Dynamic Bayesian combination
/// of multiple imperfect classifiers", 2013.
///
/// `log_likelihoods` of the fit are the lower bound of the evidence that this raises. The model's
/// numbers are geometric means under the posterior, which add up to less than 1.
em_fit ibcc_vb(const answers& given, const em_options& options);

} // namespace holdfast::core::quality
