#include "core/quality/one_coin.hpp"

#include "core/invariant.hpp"
#include "core/quality/label_product.hpp"
#include "core/quality/orderless_sum.hpp"
#include "core/quality/trust.hpp"

#include <algorithm>
#include <utility>

namespace holdfast::core::quality {

namespace {

/// Without a prior nobody is infallible, or always wrong: a single vote would then be proof.
constexpr double least_chance = 1e-10;

/// Of so many votes, with so many of them right.
using accuracy_rule = double (*)(double votes, double right);

double with_prior(double votes, double right) {
  return (right + prior_right) / (votes + prior_right + prior_wrong);
}

/// Whoever has said nothing multiplies nothing, so that any accuracy does.
double without_prior(double votes, double right) {
  return std::clamp(votes > 0 ? right / votes : 0.5, least_chance, 1 - least_chance);
}

/// The cells of one contributor: soft counts in, likelihoods out.
void make_coin(double* cells, std::size_t labels, accuracy_rule rule) {
  const auto votes = orderless_sum(labels * labels, [cells](std::size_t i) { return cells[i]; });
  const auto right =
      orderless_sum(labels, [&](std::size_t label) { return cells[label * (labels + 1)]; });
  const auto accuracy = rule(votes, right);
  const auto mistake = labels > 1 ? (1 - accuracy) / static_cast<double>(labels - 1) : 0;
  for (std::size_t i = 0; i < labels * labels; ++i)
    cells[i] = i / labels == i % labels ? accuracy : mistake;
}

em_fit fit_coins(const answers& given, const em_options& options, accuracy_rule rule) {
  const auto step = [rule](em_model& counts, std::size_t units) {
    for (auto& share : counts.label_shares)
      share /= static_cast<double>(units);
    const std::size_t labels = counts.given_true.labels;
    auto& cells = counts.given_true.cells;
    for (std::size_t first = 0; first < cells.size(); first += labels * labels)
      make_coin(cells.data() + first, labels, rule);
  };
  return run_em(given, options, step);
}

/// Expectation and maximisation as `run_em` has them, in memory that grows with contributors and
/// not with what they may have said.
class coin_run {
public:
  coin_run(const answers& given, const em_options& options)
      : given_(given),
        options_(options),
        votes_(given.contributors, 0.0),
        right_(given.contributors, 0.0),
        label_sums_(given.labels, 0.0),
        likelihood_(given.labels, 0.0) {
    fit_.found = {given.units(), given.labels};
    for (const auto& one : given.votes)
      votes_[one.contributor] += 1;
  }

  coin_fit run() {
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      const auto votes = given_.of(unit);
      for (const auto& one : votes)
        fit_.found.of(unit)[one.label] += 1.0 / static_cast<double>(votes.size());
      settle(unit);
    }
    const auto enough = options_.rise_min * static_cast<double>(given_.votes.size());
    while (fit_.iterations < options_.iterations_max) {
      maximise_coins();
      const auto before = std::exchange(fit_.log_likelihood, expect());
      if (++fit_.iterations > 1 && fit_.log_likelihood - before < enough)
        break;
    }
    return std::move(fit_);
  }

private:
  void maximise_coins() {
    fit_.label_shares = label_sums_;
    for (auto& share : fit_.label_shares)
      share /= static_cast<double>(given_.units());
    fit_.accuracies.clear();
    for (std::uint32_t who = 0; who < given_.contributors; ++who)
      fit_.accuracies.push_back(with_prior(votes_[who], right_[who]));
  }

  double expect() {
    std::fill(label_sums_.begin(), label_sums_.end(), 0.0);
    std::fill(right_.begin(), right_.end(), 0.0);
    label_product<0> product{given_.labels};
    double log_likelihood = 0;
    for (std::size_t unit = 0; unit < given_.units(); ++unit) {
      product.begin(fit_.label_shares.data());
      for (const auto& one : given_.of(unit)) {
        const auto accuracy = fit_.accuracies[one.contributor];
        std::fill(likelihood_.begin(), likelihood_.end(),
                  given_.labels > 1 ? (1 - accuracy) / (given_.labels - 1.0) : 0);
        likelihood_[one.label] = accuracy;
        product.multiply(likelihood_.data());
      }
      log_likelihood += product.finish(fit_.found.of(unit));
      settle(unit);
    }
    return log_likelihood;
  }

  void settle(std::size_t unit) {
    auto* shares = fit_.found.of(unit);
    even_out_ties(shares, given_.labels);
    if (!options_.clamped.empty())
      hold_at(shares, given_.labels, options_.clamped[unit]);
    for (std::uint32_t k = 0; k < given_.labels; ++k)
      label_sums_[k] += shares[k];
    for (const auto& one : given_.of(unit))
      right_[one.contributor] += shares[one.label];
  }

  const answers& given_;
  const em_options& options_;
  std::vector<double> votes_;      ///< By contributor.
  std::vector<double> right_;      ///< The same, as far as is believed.
  std::vector<double> label_sums_; ///< Over all units.
  std::vector<double> likelihood_; ///< Of one vote, for use at once.
  coin_fit fit_;
};

} // namespace

coin_fit one_coin_by_accuracy(const answers& given, const em_options& options) {
  HOLDFAST_INVARIANT(given.units() > 0 && options.iterations_max > 0 && !options.hard
                         && options.start == nullptr,
                     "the caller has answers, and begins with the votes");
  HOLDFAST_INVARIANT(options.clamped.empty() || options.clamped.size() == given.units(),
                     "the caller has one entry per unit");
  return coin_run{given, options}.run();
}

em_fit one_coin(const answers& given, const em_options& options) {
  return fit_coins(given, options, with_prior);
}

em_fit one_coin_mle(const answers& given, const em_options& options) {
  return fit_coins(given, options, without_prior);
}

} // namespace holdfast::core::quality
