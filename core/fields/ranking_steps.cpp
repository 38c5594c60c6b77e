#include "core/fields/ranked_items.hpp"
#include "core/fields/rankings.hpp"
#include "core/fields/step_items.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::core::fields {

namespace {

/// A pair of items for each preference that a ranking expresses. `number_of` gives an item's number
/// on the scale.
template <class NumberOf>
void add_comparisons(const ranked_items& ranked, const std::vector<std::uint32_t>& contributors,
                     const NumberOf& number_of, std::vector<comparison>& comparisons) {
  const auto count = static_cast<std::uint32_t>(ranked.items.size());
  for (std::size_t who = 0; who < ranked.places.size(); ++who)
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = 0; b < count; ++b)
        if (ranked.places[who][a] < ranked.places[who][b])
          comparisons.push_back(
              {number_of(a), number_of(b), contributors[ranked.people[who]], ranked.weights[who]});
}

/// What a step by Borda's points makes of items: their mean points over all units.
std::vector<double> summed_points(const std::vector<ranked_items>& ranked,
                                  const item_numbers& items) {
  std::vector<double> points(items.count());
  double sum = 0;
  for (const auto& unit : ranked) {
    const auto of_unit = borda_points(unit, shares_of(unit));
    for (std::size_t i = 0; i < of_unit.size(); ++i) {
      points[items.of(unit.items[i])] += of_unit[i];
      sum += of_unit[i];
    }
  }
  for (auto& one : points)
    one /= sum > 0 ? sum : 1;
  return points;
}

/// The orders of units where reliabilities are those of the step: an item of one unit is none of
/// another, so that only contributors connect them.
found_scale order_all(const std::vector<ranked_items>& ranked, const std::vector<unit_values>& all,
                      std::uint32_t contributors, std::vector<found_value>& units) {
  std::vector<comparison> comparisons;
  std::vector<std::uint32_t> begins{0};
  for (std::size_t unit = 0; unit < ranked.size(); ++unit) {
    const auto begin = begins.back();
    add_comparisons(
        ranked[unit], all[unit].contributors, [&](std::uint32_t item) { return begin + item; },
        comparisons);
    begins.push_back(begin + static_cast<std::uint32_t>(ranked[unit].items.size()));
  }
  auto found = noisy_bradley_terry(begins.back(), contributors, comparisons);
  for (std::size_t unit = 0; unit < ranked.size(); ++unit)
    if (!all[unit].given.empty())
      units[unit] = ordered_by_strength(ranked[unit], {found.strengths.begin() + begins[unit],
                                                       found.strengths.begin() + begins[unit + 1]});
  return found;
}

} // namespace

step_found combine_rankings_step(const field_rule& rule, std::uint32_t units,
                                 std::uint32_t contributors, const std::vector<step_value>& given) {
  const auto all = values_by_unit(units, given);
  std::vector<ranked_items> ranked;
  item_numbers items;
  for (const auto& unit : all) {
    ranked.push_back(ranked_items_of(rule, unit.given));
    for (const auto& item : ranked.back().items)
      items.add(item);
  }
  items.finish();

  step_found found;
  found.units.resize(units);
  if (rule.method == field_method::noisy_bradley_terry)
    found.contributors = order_all(ranked, all, contributors, found.units).contributors;
  else
    for (std::uint32_t unit = 0; unit < units; ++unit)
      if (!all[unit].given.empty())
        found.units[unit] = combine_rankings(rule, all[unit].given);

  found_scale scale;
  if (uses_a_scale(rule.method)) {
    std::vector<comparison> comparisons;
    for (std::uint32_t unit = 0; unit < units; ++unit)
      add_comparisons(
          ranked[unit], all[unit].contributors,
          [&](std::uint32_t item) { return items.of(ranked[unit].items[item]); }, comparisons);
    scale = scale_by(rule.method, items.count(), contributors, comparisons);
  } else {
    scale.strengths = summed_points(ranked, items);
  }
  return with_scale(std::move(found), std::move(scale), items.names());
}

} // namespace holdfast::core::fields
