#pragma once

#include "core/quality/expectation.hpp"

namespace holdfast::core::quality {

/// What is assumed about a contributor before their first vote.
enum class prior {
  none,     ///< Maximum likelihood.
  diagonal, ///< Maximum a posteriori: right more often than wrong, each mistake possible.
};

/// Estimates the true labels together with a confusion matrix of each contributor. Source: A.
/// Dawid, A. Skene, "Maximum likelihood estimation of observer error-rates using the EM algorithm",
/// 1979. Needs many votes of each contributor; with few it may fall behind the majority.
em_fit dawid_skene(const answers& given, prior assumed, const em_options& options);

/// The same with hard assignments: the likeliest label of a unit counts as certain when confusion
/// matrices are made, and it is done when no unit changes its label. A
/// tie of n labels counts 1/n for each, as nothing but their names could choose one. Begins with
/// the majority. Takes fewer iterations on most sets, and finds a poorer optimum. Source: V. Sinha,
/// S. Rao, V. Balasubramanian, "Fast Dawid-Skene: a fast vote aggregation scheme for sentiment
/// classification", 2018.
em_fit fast_dawid_skene(const answers& given, em_options options);

/// The pseudo-counts of `prior::diagonal`: what each label, each cell of a confusion matrix, and
/// besides each cell of its diagonal begins with.
inline constexpr double prior_label = 1;
inline constexpr double prior_cell = 0.5;
inline constexpr double prior_diagonal = 2;

} // namespace holdfast::core::quality
