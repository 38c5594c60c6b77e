#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"

#include <cstdint>
#include <vector>

namespace holdfast::core::quality {

struct glad_options {
  /// Their units are held at the truth. Empty, or one entry per unit.
  known_labels clamped;
  std::uint32_t iterations_max = 100;
  /// An iteration after the first is the last when it raises the logarithm of the posterior by
  /// less, per vote.
  double rise_min = 1e-6;
};

/// A vote is right with the chance 1 / (1 + exp(-ability * exp(ease))).
struct glad_fit {
  estimates found;
  std::vector<double> abilities; ///< By contributor; below 0 of whoever is wrong more often.
  std::vector<double> ease;      ///< By unit.
  /// After each iteration, and the same with the logarithms of the priors' densities.
  std::vector<double> log_likelihoods;
  std::vector<double> log_posteriors;
};

/// Generative model of labels, abilities and difficulties: estimates the true labels together with
/// an ability of each contributor and the difficulty of each unit. Errors are taken to fall on the
/// other labels alike, and labels to be equally likely beforehand; ability and ease have normal
/// priors with mean 1 and variance 1, and begin with 1. Source: J. Whitehill, P. Ruvolo, T. Wu,
/// J. Bergsma, J. Movellan, "Whose vote should count more: optimal integration of labels from
/// labelers of unknown expertise", 2009. Each maximisation climbs abilities and ease in turn by
/// Newton steps that never lose height, in place of the paper's gradient ascent.
glad_fit glad(const answers& given, const glad_options& options);

} // namespace holdfast::core::quality
