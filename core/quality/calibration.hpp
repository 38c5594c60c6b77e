#pragma once

#include "core/quality/estimates.hpp"

#include <cstdint>

namespace holdfast::core::quality {

/// What makes shares as sure as they are right. Methods that take judgments to be independent are
/// far too sure of themselves: people find the same units hard.
struct calibration {
  /// Shares of 0.01 and more are raised to 1 / temperature, smaller ones count as 0.01 (of more
  /// than 50 labels as less), and they are made to add up to 1 again. The likeliest label stays the
  /// likeliest.
  double temperature = 1;
  std::uint32_t fitted_on = 0; ///< Test questions; with none the shares are uncalibrated.
};

inline constexpr double temperature_min = 0.1;
inline constexpr double temperature_max = 10;

/// The temperature that makes the log loss on the test questions least, within the bounds above.
/// `raw` must not have been held at their truth. Each question counts as if one more answer had
/// been right and one more wrong, so that a few questions without a mistake do not make certainty
/// of everything. Source: C. Guo et al., "On calibration of modern neural networks", 2017;
/// smoothing: J. Platt, "Probabilistic outputs for support vector machines", 1999.
calibration fit_temperature(const estimates& raw, const known_labels& test_questions);

estimates calibrated(estimates raw, const calibration& by);

/// Mean distance between confidence and share of right answers, over ten equal ranges of
/// confidence, weighted by units. Source: M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining well
/// calibrated probabilities using Bayesian binning", 2015. 0 when nothing is known.
double expected_calibration_error(const estimates& found, const known_labels& truth);

} // namespace holdfast::core::quality
