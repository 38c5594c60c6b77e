#pragma once

#include "core/quality/answers.hpp"
#include "core/quality/estimates.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

/// The engine under `dawid_skene`, its fast form, `one_coin` and `ibcc_vb`: expectation and
/// maximisation in turn. Source: A. Dempster, N. Laird, D. Rubin, "Maximum likelihood from
/// incomplete data via the EM algorithm", 1977.
namespace holdfast::core::quality {

/// One number for each contributor, label given and true label, in this order; the last varies
/// fastest, because a vote concerns all true labels at once.
struct confusion_table {
  std::uint32_t labels = 0;
  std::vector<double> cells;

  confusion_table() = default;
  confusion_table(std::size_t contributors, std::uint32_t label_count)
      : labels(label_count), cells(contributors * label_count * label_count, 0.0) {}

  double* of(const vote& given) { return cells.data() + offset(given); }
  const double* of(const vote& given) const { return cells.data() + offset(given); }

private:
  std::size_t offset(const vote& given) const {
    return (static_cast<std::size_t>(given.contributor) * labels + given.label) * labels;
  }
};

/// Greatest number of cells of a confusion table: 1 GiB.
inline constexpr std::size_t confusion_cells_max = std::size_t{1} << 27;

/// Whether the methods below can work on these answers.
bool fits_confusion_table(const answers& given);

/// What the engine has counted, and the parameters made of it.
struct em_model {
  std::vector<double> label_shares; ///< `pi_k`.
  confusion_table given_true;       ///< How likely the label is given when the other one is true.
  /// Of parameters that stand for a distribution: how far that is from what was believed before,
  /// in nats. Taken off the log-likelihood, which makes a lower bound of the evidence of it.
  double divergence = 0;
};

struct em_options {
  /// Their units are held at the truth. Empty, or one entry per unit.
  known_labels clamped;
  /// Where to begin; null for vote shares.
  const estimates* start = nullptr;
  std::uint32_t iterations_max = 100;
  /// An iteration after the first is the last when it raises the log-likelihood by less, per vote.
  double rise_min = 1e-6;
  /// Parameters are made as if each unit's likeliest label were certain; a tie of n labels counts
  /// 1/n for each. An iteration after the first is then the last when no unit has others in front
  /// than before; `rise_min` says nothing. What is found are the shares all the same, not 0 and 1.
  bool hard = false;
};

struct em_fit {
  estimates found;
  em_model model;
  std::vector<double> log_likelihoods; ///< After each iteration, less the model's divergence.

  double log_likelihood() const { return log_likelihoods.back(); }
  std::size_t iterations() const { return log_likelihoods.size(); }
};

/// Makes parameters of soft counts, in place: `label_shares` has the sum of the shares of each
/// label over all units, `given_true` their sum over the votes of each contributor for each label.
using maximise = std::function<void(em_model& counts, std::size_t units)>;

/// Requires `fits_confusion_table`.
em_fit run_em(const answers& given, const em_options& options, const maximise& step);

} // namespace holdfast::core::quality
