#include "core/quality/calibration.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace holdfast::core::quality {

namespace {

/// Smaller shares count as this one. Methods that are certain beyond it mean no more by that, and
/// vote shares are 0 where a posterior would be small; without it one wrong label that nobody gave
/// would decide the temperature of all. Of many labels it is less, so that the greatest share is
/// always above it.
double least_share(std::uint32_t labels) { return std::min(0.01, 0.5 / labels); }

/// The shares of `raw` at another temperature.
void cool(const double* raw, std::uint32_t labels, double temperature, double* shares) {
  const auto least = least_share(labels);
  for (std::uint32_t label = 0; label < labels; ++label)
    shares[label] = std::log(std::max(raw[label], least)) / temperature;
  normalise_logs(shares, labels);
}

/// How many test questions there are that some label can be right on.
std::uint32_t usable(const known_labels& test_questions, std::uint32_t labels) {
  return static_cast<std::uint32_t>(
      std::count_if(test_questions.begin(), test_questions.end(),
                    [&](std::uint32_t truth) { return truth < labels; }));
}

double log_loss(const estimates& raw, const known_labels& test_questions, double temperature) {
  const auto questions = static_cast<double>(usable(test_questions, raw.labels));
  const auto right = (questions + 1) / (questions + 2);
  const auto wrong = (1 - right) / std::max(1.0, raw.labels - 1.0);
  std::vector<double> shares(raw.labels);
  double loss = 0;
  for (std::size_t unit = 0; unit < raw.units(); ++unit) {
    if (test_questions[unit] >= raw.labels)
      continue;
    cool(raw.of(unit), raw.labels, temperature, shares.data());
    for (std::uint32_t label = 0; label < raw.labels; ++label) {
      const auto target = label == test_questions[unit] ? right : wrong;
      loss -= target * std::log(std::max(shares[label], 1e-300));
    }
  }
  return loss;
}

} // namespace

calibration fit_temperature(const estimates& raw, const known_labels& test_questions) {
  HOLDFAST_INVARIANT(test_questions.size() == raw.units(), "the caller has one entry per unit");
  calibration result;
  result.fitted_on = usable(test_questions, raw.labels);
  if (result.fitted_on == 0)
    return result;
  // The loss is convex in 1 / temperature, so it falls and then rises in its logarithm, too.
  const auto golden = (std::sqrt(5.0) - 1) / 2;
  double low = std::log(temperature_min);
  double high = std::log(temperature_max);
  for (int i = 0; i < 60; ++i) {
    const auto left = high - golden * (high - low);
    const auto right = low + golden * (high - low);
    if (log_loss(raw, test_questions, std::exp(left))
        <= log_loss(raw, test_questions, std::exp(right)))
      high = right;
    else
      low = left;
  }
  result.temperature = std::exp((low + high) / 2);
  return result;
}

estimates calibrated(estimates raw, const calibration& by) {
  if (by.fitted_on == 0)
    return raw;
  for (std::size_t unit = 0; unit < raw.units(); ++unit)
    cool(raw.of(unit), raw.labels, by.temperature, raw.of(unit));
  return raw;
}

double expected_calibration_error(const estimates& found, const known_labels& truth) {
  HOLDFAST_INVARIANT(truth.size() == found.units(), "the caller has one entry per unit");
  constexpr std::size_t ranges = 10;
  std::array<double, ranges> surplus{}; // confidence less right answers
  double units = 0;
  for (std::size_t unit = 0; unit < truth.size(); ++unit) {
    if (truth[unit] == unknown_label)
      continue;
    const auto answer = consensus_of(found.of(unit), found.labels);
    const auto range = std::min(ranges - 1, static_cast<std::size_t>(answer.confidence * ranges));
    const bool right =
        truth[unit] < found.labels && found.of(unit)[truth[unit]] >= answer.confidence - tie_width;
    surplus[range] += answer.confidence - (right ? 1.0 / answer.tied : 0.0);
    units += 1;
  }
  double error = 0;
  for (const auto of_range : surplus)
    error += std::abs(of_range);
  return units > 0 ? error / units : 0;
}

} // namespace holdfast::core::quality
