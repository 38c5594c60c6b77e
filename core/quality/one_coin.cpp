#include "core/quality/one_coin.hpp"

#include "core/quality/trust.hpp"

namespace holdfast::core::quality {

namespace {

/// The cells of one contributor: soft counts in, likelihoods out.
void make_coin(double* cells, std::size_t labels) {
  double votes = 0;
  double right = 0;
  for (std::size_t i = 0; i < labels * labels; ++i) {
    votes += cells[i];
    right += i / labels == i % labels ? cells[i] : 0;
  }
  const auto accuracy = (right + prior_right) / (votes + prior_right + prior_wrong);
  const auto mistake = labels > 1 ? (1 - accuracy) / static_cast<double>(labels - 1) : 0;
  for (std::size_t i = 0; i < labels * labels; ++i)
    cells[i] = i / labels == i % labels ? accuracy : mistake;
}

} // namespace

em_fit one_coin(const answers& given, const em_options& options) {
  const auto step = [](em_model& counts, std::size_t units) {
    for (auto& share : counts.label_shares)
      share /= static_cast<double>(units);
    const std::size_t labels = counts.given_true.labels;
    auto& cells = counts.given_true.cells;
    for (std::size_t first = 0; first < cells.size(); first += labels * labels)
      make_coin(cells.data() + first, labels);
  };
  return run_em(given, options, step);
}

} // namespace holdfast::core::quality
