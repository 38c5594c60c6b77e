#include "core/quality/ibcc.hpp"

#include "core/quality/dawid_skene.hpp"
#include "core/quality/digamma.hpp"
#include "core/quality/orderless_sum.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

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
/// Kullback-Leibler divergence. `terms` is for use at once.
double learn(const outcome_counts& counts, std::vector<double>& terms) {
  const auto before = [&](std::size_t i) {
    return counts.prior + (i == counts.usual ? prior_diagonal : 0);
  };
  const auto after = [&](std::size_t i) { return counts.first[i * counts.stride] + before(i); };
  const auto sum = orderless_sum(counts.size, after);
  const auto sum_before = orderless_sum(counts.size, before);
  const auto of_sum = digamma(sum);
  terms.resize(counts.size);
  for (std::size_t i = 0; i < counts.size; ++i) {
    auto& cell = counts.first[i * counts.stride];
    const auto log_mean = digamma(after(i)) - of_sum;
    terms[i] = std::lgamma(before(i)) - std::lgamma(after(i)) + cell * log_mean;
    cell = std::exp(log_mean);
  }
  const auto divergence = orderless_sum(counts.size, [&](std::size_t i) { return terms[i]; });
  return std::lgamma(sum) - std::lgamma(sum_before) + divergence;
}

} // namespace

em_fit ibcc_vb(const answers& given, const em_options& options) {
  const auto step = [terms = std::vector<double>{}](em_model& counts, std::size_t) mutable {
    const std::size_t labels = counts.given_true.labels;
    auto& cells = counts.given_true.cells;
    counts.divergence = learn({counts.label_shares.data(), labels, 1, prior_label, labels}, terms);
    for (std::size_t first = 0; first < cells.size(); first += labels * labels)
      for (std::size_t truth = 0; truth < labels; ++truth)
        counts.divergence +=
            learn({cells.data() + first + truth, labels, labels, prior_cell, truth}, terms);
  };
  return run_em(given, options, step);
}

} // namespace holdfast::core::quality
