#include "core/quality/estimates.hpp"

#include "core/invariant.hpp"
#include "core/quality/orderless_sum.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

estimates::estimates(std::size_t unit_count, std::uint32_t label_count)
    : labels(label_count), shares(unit_count * label_count, 0.0) {}

consensus consensus_of(const double* shares, std::uint32_t labels) {
  HOLDFAST_INVARIANT(labels > 0, "whoever has an answer has a label");
  const auto most = *std::max_element(shares, shares + labels);
  consensus result{0, 0, 0};
  for (auto label = labels; label-- > 0;)
    if (shares[label] >= most - tie_width) {
      result.label = label;
      ++result.tied;
    }
  result.confidence = shares[result.label];
  return result;
}

accuracy accuracy_of(const estimates& found, const known_labels& truth) {
  HOLDFAST_INVARIANT(truth.size() == found.units(), "the caller has one entry per unit");
  accuracy result;
  for (std::size_t unit = 0; unit < truth.size(); ++unit) {
    if (truth[unit] == unknown_label)
      continue;
    ++result.units;
    if (truth[unit] == unheard_label)
      continue;
    const auto answer = consensus_of(found.of(unit), found.labels);
    result.lowest += answer.label == truth[unit] ? 1.0 : 0.0;
    const auto most = *std::max_element(found.of(unit), found.of(unit) + found.labels);
    if (found.of(unit)[truth[unit]] >= most - tie_width)
      result.shared += 1.0 / answer.tied;
  }
  if (result.units > 0) {
    result.shared /= static_cast<double>(result.units);
    result.lowest /= static_cast<double>(result.units);
  }
  return result;
}

double unsure_part(const estimates& found, double confidence_min) {
  if (found.units() == 0)
    return 0;
  double unsure = 0;
  for (std::size_t unit = 0; unit < found.units(); ++unit)
    unsure += consensus_of(found.of(unit), found.labels).confidence < confidence_min ? 1 : 0;
  return unsure / static_cast<double>(found.units());
}

void even_out_ties(double* shares, std::uint32_t labels) {
  const auto front = consensus_of(shares, labels);
  if (front.tied == 1)
    return;
  const auto least = *std::max_element(shares, shares + labels) - tie_width;
  const auto of_front = [&](std::size_t label) {
    return shares[label] >= least ? shares[label] : 0.0;
  };
  const auto share = orderless_sum(labels, of_front) / front.tied;
  for (std::uint32_t label = 0; label < labels; ++label)
    if (shares[label] >= least)
      shares[label] = share;
}

void hold_at(double* shares, std::uint32_t labels, std::uint32_t truth) {
  if (truth >= labels)
    return;
  std::fill(shares, shares + labels, 0.0);
  shares[truth] = 1;
}

void normalise_logs(double* logs, std::uint32_t labels) {
  const auto most = *std::max_element(logs, logs + labels);
  for (std::uint32_t label = 0; label < labels; ++label)
    logs[label] = std::exp(logs[label] - most);
  const auto sum = orderless_sum(labels, [logs](std::size_t label) { return logs[label]; });
  for (std::uint32_t label = 0; label < labels; ++label)
    logs[label] /= sum;
}

} // namespace holdfast::core::quality
