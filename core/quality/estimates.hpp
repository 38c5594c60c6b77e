#pragma once

#include "core/quality/answers.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace holdfast::core::quality {

/// How likely a method takes each label of each unit to be the true one.
struct estimates {
  std::uint32_t labels = 0;
  std::vector<double> shares; ///< By unit, then label; those of a unit add up to 1.

  estimates() = default;
  estimates(std::size_t unit_count, std::uint32_t label_count);

  std::size_t units() const { return labels == 0 ? 0 : shares.size() / labels; }
  double* of(std::size_t unit) { return shares.data() + unit * labels; }
  const double* of(std::size_t unit) const { return shares.data() + unit * labels; }
};

/// Shares that differ by no more are tied: less than any single vote makes, more than rounding
/// does.
inline constexpr double tie_width = 1e-9;

/// The answer of a unit.
struct consensus {
  std::uint32_t label = 0; ///< The likeliest; of several, the first in label order.
  double confidence = 0;   ///< Its share.
  std::uint32_t tied = 1;  ///< How many labels are as likely, itself included.
};

consensus consensus_of(const double* shares, std::uint32_t labels);

/// How often estimates are right about the units whose true label is known.
struct accuracy {
  double shared = 0;     ///< A tie of n labels with the true one among them counts 1/n.
  double lowest = 0;     ///< A tie counts for its first label.
  std::size_t units = 0; ///< Whose truth is known; without any the figures are 0.
};

accuracy accuracy_of(const estimates& found, const known_labels& truth);

/// The part of the units whose answer has less than `confidence_min`.
double unsure_part(const estimates& found, double confidence_min);

/// Gives each of the labels that are tied for the greatest share their mean. Methods that iterate
/// do so each time: where only rounding tells labels apart, nothing may come of it.
void even_out_ties(double* shares, std::uint32_t labels);

/// Makes `truth` certain; leaves the shares as they are when no contributor could have said it.
void hold_at(double* shares, std::uint32_t labels, std::uint32_t truth);

/// Turns sums of logarithms into shares, in place: the greatest is taken out first, so that nothing
/// overflows.
void normalise_logs(double* logs, std::uint32_t labels);

} // namespace holdfast::core::quality
