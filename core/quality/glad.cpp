#include "core/quality/glad.hpp"

#include "core/invariant.hpp"
#include "core/quality/orderless_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace holdfast::core::quality {

namespace {

constexpr double prior_mean = 1;

/// How often a maximisation climbs all abilities and then the ease of all units.
constexpr int rounds_per_iteration = 5;

/// Longest Newton step, and how often one that loses height is halved.
constexpr double step_max = 1;
constexpr int halvings_max = 30;

/// Of a height, relative. At the top steps are so short that heights differ by less: to refuse one
/// for that would stop a climb where the order of its sums happens to.
constexpr double rounding = 1e-13;

double chance_of(double log_odds) { return 1 / (1 + std::exp(-log_odds)); }

/// The logarithm of `chance_of`.
double log_chance_of(double log_odds) {
  return std::min(log_odds, 0.0) - std::log1p(std::exp(-std::abs(log_odds)));
}

/// A function of one parameter at one place, with its derivatives.
struct height {
  double value = 0;
  double slope = 0;
  double curvature = 0;
};

/// The prior's part.
height prior_at(double parameter) {
  const auto off = parameter - prior_mean;
  return {-off * off / 2, -off, -1};
}

/// One Newton step uphill from `from`, or a step along the slope where the hill is hollow; halved
/// until it loses nothing but rounding.
template <class HeightAt>
double climbed(double from, const HeightAt& at) {
  const auto here = at(from);
  const auto enough = here.value - rounding * (1 + std::abs(here.value));
  auto step = here.curvature < 0 ? -here.slope / here.curvature : here.slope;
  step = std::clamp(step, -step_max, step_max);
  for (int i = 0; i < halvings_max; ++i, step /= 2)
    if (at(from + step).value >= enough)
      return from + step;
  return from;
}

class glad_run {
public:
  glad_run(const answers& given, const glad_options& options)
      : given_(given),
        options_(options),
        unit_of_(given.votes.size()),
        right_(given.votes.size()),
        votes_of_(given.contributors),
        log_wrong_labels_(std::log(std::max(1.0, given.labels - 1.0))) {
    fit_.found = {given.units(), given.labels};
    fit_.abilities.assign(given.contributors, prior_mean);
    fit_.ease.assign(given.units(), prior_mean);
    for (std::size_t unit = 0; unit < given.units(); ++unit)
      for (auto i = given.begins[unit]; i < given.begins[unit + 1]; ++i) {
        unit_of_[i] = unit;
        votes_of_[given.votes[i].contributor].push_back(i);
      }
  }

  glad_fit run() {
    expect();
    const auto enough = options_.rise_min * static_cast<double>(given_.votes.size());
    auto& seen = fit_.log_posteriors;
    while (seen.size() < options_.iterations_max) {
      for (int round = 0; round < rounds_per_iteration; ++round)
        climb();
      fit_.log_likelihoods.push_back(expect());
      seen.push_back(fit_.log_likelihoods.back() + log_prior());
      if (seen.size() > 1 && seen.back() - seen[seen.size() - 2] < enough)
        break;
    }
    return std::move(fit_);
  }

private:
  double log_odds_of(std::size_t vote) const {
    return fit_.abilities[given_.votes[vote].contributor] * std::exp(fit_.ease[unit_of_[vote]]);
  }

  /// The shares of each unit, and how likely each vote is right. Returns the log-likelihood.
  double expect() {
    double log_likelihood = 0;
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      auto* shares = fit_.found.of(unit);
      std::fill(shares, shares + given_.labels, 0.0);
      // As if every vote were wrong; the votes for a label then say by how much it is more.
      double all_wrong = -std::log(static_cast<double>(given_.labels));
      for (auto i = given_.begins[unit]; i < given_.begins[unit + 1]; ++i) {
        const auto log_odds = log_odds_of(i);
        const auto wrong = log_chance_of(-log_odds) - log_wrong_labels_;
        all_wrong += wrong;
        shares[given_.votes[i].label] += log_chance_of(log_odds) - wrong;
      }
      const auto most = *std::max_element(shares, shares + given_.labels);
      const auto sum = orderless_sum(
          given_.labels, [&](std::size_t label) { return std::exp(shares[label] - most); });
      log_likelihood += all_wrong + most + std::log(sum);
      normalise_logs(shares, given_.labels);
      even_out_ties(shares, given_.labels);
      if (!options_.clamped.empty())
        hold_at(shares, given_.labels, options_.clamped[unit]);
      for (auto i = given_.begins[unit]; i < given_.begins[unit + 1]; ++i)
        right_[i] = shares[given_.votes[i].label];
    }
    return log_likelihood;
  }

  /// Adds what a vote is expected to say of its log-odds of being right, which `by` and `bend` are
  /// the first and second derivative of.
  void add_vote(std::size_t vote, double log_odds, double by, double bend, height& sum) const {
    const auto chance = chance_of(log_odds);
    // The log-odds are the logarithm of the chance less that of the other one.
    sum.value += right_[vote] * log_odds + log_chance_of(-log_odds);
    sum.slope += (right_[vote] - chance) * by;
    sum.curvature += (right_[vote] - chance) * bend - chance * (1 - chance) * by * by;
  }

  void climb() {
    for (std::size_t who = 0; who < votes_of_.size(); ++who)
      fit_.abilities[who] = climbed(fit_.abilities[who], [&](double ability) {
        auto sum = prior_at(ability);
        for (const auto vote : votes_of_[who]) {
          const auto scale = std::exp(fit_.ease[unit_of_[vote]]);
          add_vote(vote, ability * scale, scale, 0, sum);
        }
        return sum;
      });
    for (std::size_t unit = 0; unit < given_.units(); ++unit)
      fit_.ease[unit] = climbed(fit_.ease[unit], [&](double ease) {
        auto sum = prior_at(ease);
        for (auto i = given_.begins[unit]; i < given_.begins[unit + 1]; ++i) {
          const auto log_odds = fit_.abilities[given_.votes[i].contributor] * std::exp(ease);
          add_vote(i, log_odds, log_odds, log_odds, sum);
        }
        return sum;
      });
  }

  double log_prior() const {
    double sum = 0;
    for (const auto* parameters : {&fit_.abilities, &fit_.ease})
      for (const auto one : *parameters)
        sum += prior_at(one).value;
    return sum;
  }

  const answers& given_;
  const glad_options& options_;
  std::vector<std::size_t> unit_of_;               ///< By vote.
  std::vector<double> right_;                      ///< By vote: how likely it is.
  std::vector<std::vector<std::size_t>> votes_of_; ///< By contributor.
  double log_wrong_labels_;
  glad_fit fit_;
};

} // namespace

glad_fit glad(const answers& given, const glad_options& options) {
  HOLDFAST_INVARIANT(given.units() > 0, "the caller asks first");
  HOLDFAST_INVARIANT(options.iterations_max > 0, "an estimate takes an iteration");
  HOLDFAST_INVARIANT(options.clamped.empty() || options.clamped.size() == given.units(),
                     "the caller has one entry per unit");
  return glad_run{given, options}.run();
}

} // namespace holdfast::core::quality
