#include "core/quality/one_coin.hpp"

#include "core/quality/trust.hpp"

#include <algorithm>

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
  double votes = 0;
  double right = 0;
  for (std::size_t i = 0; i < labels * labels; ++i) {
    votes += cells[i];
    right += i / labels == i % labels ? cells[i] : 0;
  }
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

} // namespace

em_fit one_coin(const answers& given, const em_options& options) {
  return fit_coins(given, options, with_prior);
}

em_fit one_coin_mle(const answers& given, const em_options& options) {
  return fit_coins(given, options, without_prior);
}

} // namespace holdfast::core::quality
