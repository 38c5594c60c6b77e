#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::core::fields {

/// The rankings of one unit, with numbers for items.
struct ranked_items {
  std::vector<std::string> items; ///< That somebody named: by the rule's labels, others by bytes.
  std::vector<std::uint32_t> people; ///< Places in the list of judgments, by lot.
  std::vector<std::vector<std::uint32_t>>
      places;                  ///< By person, by item: 0 is the best; an item
                               ///< that is left out is behind all that are named.
  std::vector<double> weights; ///< By person.
  double weight = 0;           ///< Of all.
};

ranked_items ranked_items_of(const field_rule& rule, const std::vector<given_value>& given);

/// By two items, as `first * items + second`: how sure it is, 0 to 1, that the first is the better
/// one.
using preferences = std::vector<double>;

/// The share of the weight that puts the first before the second; half of it where both are left
/// out.
preferences shares_of(const ranked_items& ranked);

/// The probabilities of Bradley and Terry between items of these strengths.
preferences probabilities_of(const std::vector<double>& strengths);

/// The items by falling `scores`; those with equal ones as the first person by lot has them who
/// tells them apart. `sure` says how sure each pair is.
found_value ordered_by(const ranked_items& ranked, const std::vector<double>& scores,
                       const preferences& sure);

/// The same by strengths of Bradley and Terry, which are equal when their logarithms are.
found_value ordered_by_strength(const ranked_items& ranked, const std::vector<double>& strengths);

/// By item, how many others it is before in the rankings, on average: the points of Borda over the
/// number of rankings.
std::vector<double> borda_points(const ranked_items& ranked, const preferences& shares);

} // namespace holdfast::core::fields
