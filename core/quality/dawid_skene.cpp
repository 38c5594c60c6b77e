#include "core/quality/dawid_skene.hpp"

#include "core/quality/orderless_sum.hpp"

#include <algorithm>

namespace holdfast::core::quality {

namespace {

/// Without a prior a label never given would be impossible for ever; so it gets this much.
constexpr double least_count = 1e-10;

/// What each cell begins with where votes are counted whole.
constexpr double fast_prior_cell = 0.01;

/// Makes each contributor's cells conditional on the true label.
void normalise_rows(confusion_table& table) {
  const auto labels = table.labels;
  for (std::size_t first = 0; first < table.cells.size();
       first += static_cast<std::size_t>(labels) * labels)
    for (std::uint32_t truth = 0; truth < labels; ++truth) {
      auto* cell = table.cells.data() + first + truth;
      const auto sum =
          orderless_sum(labels, [&](std::size_t label) { return cell[label * labels]; });
      for (std::uint32_t label = 0; label < labels; ++label)
        cell[static_cast<std::size_t>(label) * labels] /= sum;
    }
}

void add_prior(confusion_table& table, prior assumed) {
  const std::size_t labels = table.labels;
  for (std::size_t i = 0; i < table.cells.size(); ++i) {
    auto& cell = table.cells[i];
    if (assumed == prior::none)
      cell = std::max(cell, least_count);
    else
      cell += prior_cell + (i / labels % labels == i % labels ? prior_diagonal : 0);
  }
}

} // namespace

em_fit dawid_skene(const answers& given, prior assumed, const em_options& options) {
  const auto step = [assumed](em_model& counts, std::size_t units) {
    const auto extra = assumed == prior::none ? 0.0 : prior_label;
    const auto total = static_cast<double>(units) + extra * counts.given_true.labels;
    for (auto& share : counts.label_shares)
      share = (share + extra) / total;
    add_prior(counts.given_true, assumed);
    normalise_rows(counts.given_true);
  };
  return run_em(given, options, step);
}

em_fit fast_dawid_skene(const answers& given, em_options options) {
  options.hard = true;
  const auto step = [](em_model& counts, std::size_t units) {
    for (auto& share : counts.label_shares)
      share /= static_cast<double>(units);
    for (auto& cell : counts.given_true.cells)
      cell += fast_prior_cell;
    normalise_rows(counts.given_true);
  };
  return run_em(given, options, step);
}

} // namespace holdfast::core::quality
