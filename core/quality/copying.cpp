#include "core/quality/copying.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

namespace holdfast::core::quality {

namespace {

/// How unlikely `shared` or more are under a Poisson distribution; an upper bound far out in the
/// tail, where the first term is all that matters.
double poisson_tail(std::uint32_t shared, double mean) {
  if (shared == 0)
    return 1;
  mean = std::max(mean, 1e-9);
  auto term = std::exp(shared * std::log(mean) - mean - std::lgamma(shared + 1.0));
  double sum = 0;
  for (auto k = shared; term > sum * 1e-15 && k < shared + 1000; ++k) {
    sum += term;
    term *= mean / (k + 1);
  }
  return std::min(1.0, sum);
}

class comparison {
public:
  comparison(const answers& given, const copy_rule& rule)
      : given_(given),
        rule_(rule),
        counts_(given.labels),
        votes_(given.contributors, 0.0),
        rates_(given.contributors, 0.0) {
    measure_rates();
    for (std::size_t unit = 0; unit < given.units(); ++unit)
      compare(unit);
  }

  std::vector<suspected_copy> flagged() {
    std::size_t looked_at = 0;
    for (const auto& [pair, seen] : pairs_)
      looked_at += seen.units >= rule_.units_min ? 1 : 0;
    std::vector<suspected_copy> result;
    for (auto& [pair, seen] : pairs_) {
      if (seen.units < rule_.units_min)
        continue;
      seen.chance =
          std::min(1.0, poisson_tail(seen.shared, seen.expected) * static_cast<double>(looked_at));
      if (seen.chance < rule_.chance_max)
        result.push_back(seen);
    }
    std::sort(result.begin(), result.end(),
              [](const auto& a, const auto& b) { return a.chance < b.chance; });
    return result;
  }

private:
  void count(std::size_t unit) {
    std::fill(counts_.begin(), counts_.end(), 0U);
    for (const auto& one : given_.of(unit))
      ++counts_[one.label];
  }

  /// How often each contributor disagrees with the majority of the others, and all together do.
  void measure_rates() {
    double disagreed = 0;
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      count(unit);
      for (const auto& one : given_.of(unit)) {
        --counts_[one.label];
        const auto most = *std::max_element(counts_.begin(), counts_.end());
        const auto against = counts_[one.label] < most;
        ++counts_[one.label];
        votes_[one.contributor] += 1;
        rates_[one.contributor] += against ? 1 : 0;
        disagreed += against ? 1 : 0;
      }
    }
    for (std::size_t who = 0; who < rates_.size(); ++who)
      rates_[who] = (rates_[who] + 1) / (votes_[who] + 2);
    mean_rate_ = (disagreed + 1) / (static_cast<double>(given_.votes.size()) + 2);
  }

  void compare(std::size_t unit) {
    count(unit);
    const auto votes = given_.of(unit);
    const auto compared = compared_of(votes);
    for (auto a = compared.begin(); a != compared.end(); ++a)
      for (auto b = a + 1; b != compared.end(); ++b) {
        --counts_[a->label];
        --counts_[b->label];
        compare(*a, *b, static_cast<double>(votes.size() - 2));
        ++counts_[a->label];
        ++counts_[b->label];
      }
  }

  std::vector<vote> compared_of(const vote_range& votes) const {
    std::vector<vote> all{votes.begin(), votes.end()};
    if (all.size() <= rule_.compared_max)
      return all;
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rule_.compared_max),
                     all.end(), [&](const vote& a, const vote& b) {
                       return std::tie(votes_[b.contributor], a.contributor)
                              < std::tie(votes_[a.contributor], b.contributor);
                     });
    all.resize(rule_.compared_max);
    return all;
  }

  /// `counts_` has the votes of the others.
  void compare(const vote& a, const vote& b, double others) {
    const auto leader = static_cast<std::uint32_t>(std::max_element(counts_.begin(), counts_.end())
                                                   - counts_.begin());
    if (counts_[leader] < rule_.majority_min)
      return;
    auto& seen = pairs_[std::minmax(a.contributor, b.contributor)];
    std::tie(seen.first, seen.second) = std::minmax(a.contributor, b.contributor);
    ++seen.units;
    seen.shared += a.label == b.label && a.label != leader && counts_[a.label] < counts_[leader];
    // Contested: the share of the others against their leader, as if one more pair had voted by the
    // mean rate.
    const auto against = others - counts_[leader];
    const auto contested = (against + 2 * mean_rate_) / (others + 2);
    const auto scale = contested / mean_rate_;
    seen.expected += std::min(0.95, rates_[a.contributor] * scale)
                     * std::min(0.95, rates_[b.contributor] * scale) * same_label(leader, against);
  }

  /// How likely two who disagree with the leader give the same label.
  double same_label(std::uint32_t leader, double against) const {
    const auto wrong = static_cast<double>(counts_.size()) - 1;
    double same = 0;
    for (std::uint32_t label = 0; label < counts_.size(); ++label) {
      if (label == leader)
        continue;
      const auto share = (counts_[label] + 1 / wrong) / (against + 1);
      same += share * share;
    }
    return same;
  }

  const answers& given_;
  copy_rule rule_;
  std::vector<std::uint32_t> counts_;
  std::vector<double> votes_; ///< By contributor.
  std::vector<double> rates_; ///< The same.
  double mean_rate_ = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, suspected_copy> pairs_;
};

} // namespace

std::vector<suspected_copy> suspected_copies(const answers& given, const copy_rule& rule) {
  if (given.labels < 2)
    return {};
  return comparison{given, rule}.flagged();
}

} // namespace holdfast::core::quality
