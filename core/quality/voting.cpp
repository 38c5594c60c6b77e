#include "core/quality/voting.hpp"

#include "core/invariant.hpp"
#include "core/quality/trust.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace holdfast::core::quality {

namespace {

/// Vote shares; of a unit without votes every label has the same.
void count(const vote_range& votes, std::uint32_t labels, double* shares) {
  std::fill(shares, shares + labels, votes.size() == 0 ? 1.0 / labels : 0.0);
  for (const auto& one : votes)
    shares[one.label] += 1.0 / static_cast<double>(votes.size());
}

void weigh(const vote_range& votes, const std::vector<double>& weights, std::uint32_t labels,
           double* shares) {
  double total = 0;
  for (const auto& one : votes) {
    shares[one.label] += weights[one.contributor];
    total += weights[one.contributor];
  }
  if (total <= 0)
    return count(votes, labels, shares);
  for (std::uint32_t label = 0; label < labels; ++label)
    shares[label] /= total;
}

/// How much each contributor agreed, of so much that they could have.
std::vector<double> means_or_trust(std::vector<double> agreed, const std::vector<double>& total) {
  for (std::size_t who = 0; who < agreed.size(); ++who)
    agreed[who] = total[who] > 0 ? agreed[who] / total[who] : trust{}.mean();
  return agreed;
}

} // namespace

estimates majority(const answers& given) {
  estimates result{given.units(), given.labels};
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    count(given.of(unit), given.labels, result.of(unit));
  return result;
}

estimates weighted(const answers& given, const std::vector<double>& trust) {
  HOLDFAST_INVARIANT(trust.size() == given.contributors, "the caller has one trust for each");
  estimates result{given.units(), given.labels};
  for (std::size_t unit = 0; unit < given.units(); ++unit)
    weigh(given.of(unit), trust, given.labels, result.of(unit));
  return result;
}

estimates weighted_log_odds(const answers& given, const std::vector<double>& accuracies) {
  HOLDFAST_INVARIANT(accuracies.size() == given.contributors, "the caller has one for each");
  std::vector<double> weights;
  weights.reserve(accuracies.size());
  const auto wrong_labels = std::max(1.0, static_cast<double>(given.labels) - 1);
  for (const auto accuracy : accuracies) {
    const auto p = std::clamp(accuracy, 0.001, 0.999);
    weights.push_back(std::log(p * wrong_labels / (1 - p)));
  }
  estimates result{given.units(), given.labels};
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    auto* shares = result.of(unit);
    for (const auto& one : given.of(unit))
      shares[one.label] += weights[one.contributor];
    normalise_logs(shares, given.labels);
  }
  return result;
}

estimates wawa(const answers& given) { return weighted(given, agreement_with_majority(given)); }

std::vector<double> agreement_with_majority(const answers& given) {
  const auto leaders = majority(given);
  std::vector<double> agreed(given.contributors, 0.0);
  std::vector<double> total(given.contributors, 0.0);
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    const auto* shares = leaders.of(unit);
    const auto leading = consensus_of(shares, given.labels);
    for (const auto& one : given.of(unit)) {
      total[one.contributor] += 1;
      // Each of several in front is the majority as likely as the others.
      agreed[one.contributor] +=
          shares[one.label] >= leading.confidence - tie_width ? 1.0 / leading.tied : 0;
    }
  }
  return means_or_trust(std::move(agreed), total);
}

estimates wawa_soft(const answers& given) { return weighted(given, agreement_with_others(given)); }

std::vector<double> agreement_with_others(const answers& given) {
  std::vector<double> agreed(given.contributors, 0.0);
  std::vector<double> total(given.contributors, 0.0);
  std::vector<double> said(given.labels);
  for (std::size_t unit = 0; unit < given.units(); ++unit) {
    const auto votes = given.of(unit);
    if (votes.size() < 2)
      continue;
    std::fill(said.begin(), said.end(), 0.0);
    for (const auto& one : votes)
      said[one.label] += 1;
    for (const auto& one : votes) {
      total[one.contributor] += 1;
      agreed[one.contributor] += (said[one.label] - 1) / (static_cast<double>(votes.size()) - 1);
    }
  }
  return means_or_trust(std::move(agreed), total);
}

} // namespace holdfast::core::quality
