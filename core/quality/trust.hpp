#pragma once

#include "core/quality/answers.hpp"

#include <cstdint>
#include <vector>

/// What test questions say about a contributor.
namespace holdfast::core::quality {

/// What is assumed before the first test question, in questions: four right, two wrong.
inline constexpr double prior_right = 4;
inline constexpr double prior_wrong = 2;

/// The test questions a contributor has answered in one step.
struct test_record {
  std::uint32_t right = 0;
  std::uint32_t asked = 0;
};

/// A contributor's accuracy as a Beta distribution.
struct trust {
  double right = prior_right; ///< Its first parameter.
  double wrong = prior_wrong; ///< Its second.

  double mean() const { return right / (right + wrong); }
  /// What the accuracy is below with chance `p`.
  double quantile(double p) const;
  /// How likely the accuracy is below `threshold`.
  double chance_below(double threshold) const;
};

/// Trust after `record`, from what `before` assumed.
trust trust_after(const trust& before, const test_record& record);

/// What trust was after `asked` test questions, when all that is known beside is its mean.
trust trust_of(double mean, std::uint32_t asked);

/// What the accuracy of somebody is below with a chance of 5 %: what is shown beside the mean.
inline double low(const trust& of) { return of.quantile(0.05); }

/// The record of each contributor on the units of `given` whose truth is known.
std::vector<test_record> test_records(const answers& given, const known_labels& truth);

/// The mean trust of each contributor, from what `before` assumes of anybody.
std::vector<double> mean_trust(const std::vector<test_record>& records, const trust& before = {});

} // namespace holdfast::core::quality
