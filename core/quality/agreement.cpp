#include "core/quality/agreement.hpp"

#include <numeric>

namespace holdfast::core::quality {

namespace {

/// Votes for each label, and how many there are.
struct tally {
  explicit tally(std::uint32_t labels) : of_label(labels, 0.0) {}

  std::vector<double> of_label;
  double total = 0;

  void count(const vote_range& votes) {
    for (const auto& one : votes)
      of_label[one.label] += 1;
    total += static_cast<double>(votes.size());
  }

  /// How many ordered pairs of votes are equal.
  double equal_pairs() const {
    return std::accumulate(of_label.begin(), of_label.end(), 0.0,
                           [](double sum, double n) { return sum + n * (n - 1); });
  }

  double pairs() const { return total * (total - 1); }
};

std::optional<double> beyond_chance(double observed, double expected) {
  if (expected >= 1)
    return std::nullopt;
  return (observed - expected) / (1 - expected);
}

} // namespace

std::optional<double> krippendorff_alpha(const answers& given) {
  tally all{given.labels};
  double equal = 0; // coincidences on the diagonal
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    if (given.of(unit).size() < 2)
      continue;
    tally here{given.labels};
    here.count(given.of(unit));
    all.count(given.of(unit));
    equal += here.equal_pairs() / (here.total - 1);
  }
  if (all.total < 2)
    return std::nullopt;
  return beyond_chance(equal / all.total, all.equal_pairs() / all.pairs());
}

std::optional<double> pairwise_agreement(const answers& given) {
  double sum = 0;
  double units = 0;
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    if (given.of(unit).size() < 2)
      continue;
    tally here{given.labels};
    here.count(given.of(unit));
    sum += here.equal_pairs() / here.pairs();
    units += 1;
  }
  return units > 0 ? std::optional{sum / units} : std::nullopt;
}

std::optional<double> fleiss_kappa(const answers& given) {
  const auto observed = pairwise_agreement(given);
  if (!observed)
    return std::nullopt;
  tally all{given.labels};
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    if (given.of(unit).size() >= 2)
      all.count(given.of(unit));
  double expected = 0;
  for (const auto n : all.of_label)
    expected += n / all.total * (n / all.total);
  return beyond_chance(*observed, expected);
}

std::optional<double> cohen_kappa(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs,
                                  std::uint32_t labels) {
  if (pairs.empty())
    return std::nullopt;
  std::vector<double> first(labels, 0.0);
  std::vector<double> second(labels, 0.0);
  double equal = 0;
  for (const auto& [a, b] : pairs) {
    first[a] += 1;
    second[b] += 1;
    equal += a == b ? 1 : 0;
  }
  const auto total = static_cast<double>(pairs.size());
  double expected = 0;
  for (std::uint32_t label = 0; label < labels; ++label)
    expected += first[label] / total * (second[label] / total);
  return beyond_chance(equal / total, expected);
}

} // namespace holdfast::core::quality
