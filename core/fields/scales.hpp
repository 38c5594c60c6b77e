#pragma once

#include "core/fields/rule.hpp"
#include "core/fields/step_values.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Scales on which items stand by how often they won comparisons.
namespace holdfast::core::fields {

/// Somebody preferred one item to another; items and contributors are numbers from 0.
struct comparison {
  std::uint32_t winner = 0;
  std::uint32_t loser = 0;
  std::uint32_t contributor = 0;
  double weight = 1;
};

struct found_scale {
  std::vector<double> strengths;    ///< By item: above 0; all add up to 1.
  std::vector<double> contributors; ///< By contributor: how reliable, 0 to 1; may be empty.
  std::uint32_t iterations = 0;
};

/// The strengths under which the comparisons are most likely, where the first of two wins with the
/// probability `first / (first + second)`.
///
/// Each item also wins and loses `scale_prior` comparisons against an item of strength 1, so that
/// one that is never beaten has a finite strength, and items that nobody compared have a common
/// scale. Weights count by their ratio to the mean weight.
///
/// Sources: R. A. Bradley, M. E. Terry, "Rank analysis of incomplete block designs", 1952; D. R.
/// Hunter, "MM algorithms for generalized Bradley-Terry models", 2004; M. E. J. Newman, "Efficient
/// computation of rankings from pairwise comparisons", 2023, for the iteration and the prior.
found_scale bradley_terry(std::uint32_t items, const std::vector<comparison>& comparisons);

/// The same where a contributor, by a reliability of their own, sees the order as it is and else
/// sees it reversed: 1 is always right by the scale, 1/2 says nothing. Before their first
/// comparison everybody counts as right in 4 of 6, as in `one_coin` of core/quality. By expectation
/// and maximisation, at most 500 rounds, of a million comparisons and more 60.
///
/// Source: X. Chen, P. N. Bennett, K. Collins-Thompson, E. Horvitz, "Pairwise ranking aggregation
/// in a crowdsourced setting", 2013.
found_scale noisy_bradley_terry(std::uint32_t items, std::uint32_t contributors,
                                const std::vector<comparison>& comparisons);

/// Comparisons that each item wins and loses against an item of strength 1.
inline constexpr double scale_prior = 0.1;

/// The best first; of items that are as strong the one that sorts first.
std::vector<item_score> scale_of(const std::vector<std::string>& names,
                                 const std::vector<double>& strengths);

/// `combine_step` of a pairwise field. With `pairs` and a method that looks at the step the answer
/// of a unit is the stronger of its two items by the scale of the step, and its confidence the
/// probability that this one wins; a third label of the rule says that both are as good, which is
/// half a win of each. Else each unit is by itself.
step_found combine_pairs_step(const field_rule& rule, std::uint32_t units,
                              std::uint32_t contributors, const std::vector<step_value>& given,
                              const std::vector<compared_pair>& pairs = {});

/// `combine_step` of a ranking. Each unit has an order of its own, because the same name may mean
/// another item in another unit; reliabilities of contributors are those of the step, and the scale
/// takes equal names for the same item.
step_found combine_rankings_step(const field_rule& rule, std::uint32_t units,
                                 std::uint32_t contributors, const std::vector<step_value>& given);

} // namespace holdfast::core::fields
