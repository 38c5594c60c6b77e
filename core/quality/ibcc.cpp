#include "core/quality/ibcc.hpp"

#include "core/quality/dawid_skene.hpp"
#include "core/quality/digamma.hpp"

#include <cmath>
#include <cstddef>

namespace holdfast::core::quality {

namespace {

/// What is counted of the outcomes of one choice, and believed of them before.
struct outcome_counts {
  double* first; ///< Counts in, geometric means of the chances out.
  std::size_t size;
  std::size_t stride;
  double prior;      ///< Pseudo-count of each outcome.
  std::size_t usual; ///< An outcome that has `prior_diagonal` besides; `size` for none.
};

/// Makes geometric means of the Dirichlet posterior. Returns how far it is from the prior: the
/// Kullback-Leibler divergence.
double learn(const outcome_counts& counts) {
  const auto before = [&](std::size_t i) {
    return counts.prior + (i == counts.usual ? prior_diagonal : 0);
  };
  double sum = 0;
  double sum_before = 0;
  for (std::size_t i = 0; i < counts.size; ++i) {
    sum += counts.first[i * counts.stride] + before(i);
    sum_before += before(i);
  }
  const auto of_sum = digamma(sum);
  auto divergence = std::lgamma(sum) - std::lgamma(sum_before);
  for (std::size_t i = 0; i < counts.size; ++i) {
    auto& cell = counts.first[i * counts.stride];
    const auto after = cell + before(i);
    const auto log_mean = digamma(after) - of_sum;
    divergence += std::lgamma(before(i)) - std::lgamma(after) + cell * log_mean;
    cell = std::exp(log_mean);
  }
  return divergence;
}

} // namespace

em_fit ibcc_vb(const answers& given, const em_options& options) {
  const auto step = [](em_model& counts, std::size_t) {
    const std::size_t labels = counts.given_true.labels;
    auto& cells = counts.given_true.cells;
    counts.divergence = learn({counts.label_shares.data(), labels, 1, prior_label, labels});
    for (std::size_t first = 0; first < cells.size(); first += labels * labels)
      for (std::size_t truth = 0; truth < labels; ++truth)
        counts.divergence +=
            learn({cells.data() + first + truth, labels, labels, prior_cell, truth});
  };
  return run_em(given, options, step);
}

} // namespace holdfast::core::quality
