#include "core/fields/categories.hpp"
#include "core/fields/shares.hpp"
#include "core/fields/step_items.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace holdfast::core::fields {

namespace {

/// Which of the two a judgment of a pair prefers.
enum class preference : std::uint8_t { first, second, neither, unknown };

/// The labels of the rule name the first, the second and, where there is a third, neither of the
/// two; without labels judgments name the item itself.
struct pair_labels {
  std::string first;
  std::string second;
  std::string neither;

  pair_labels(const field_rule& rule, const compared_pair& pair)
      : first(rule.labels.size() < 2 ? pair.first : rule.labels[0]),
        second(rule.labels.size() < 2 ? pair.second : rule.labels[1]),
        neither(rule.labels.size() < 3 ? std::string{} : rule.labels[2]) {}

  preference of(const value& said) const {
    const auto* label = std::get_if<std::string>(&said);
    if (label == nullptr)
      return preference::unknown;
    if (*label == first)
      return preference::first;
    if (*label == second)
      return preference::second;
    return !neither.empty() && *label == neither ? preference::neither : preference::unknown;
  }
};

bool compares(const compared_pair& pair) {
  return !pair.first.empty() && !pair.second.empty() && pair.first != pair.second;
}

/// The answer about a pair of items whose strengths the step has found. Where these are equal the
/// unit's own votes decide, then the least lot.
void decide_by_strength(const pair_labels& labels, double first, double second,
                        const std::vector<given_value>& given, found_value& found) {
  const auto ahead = std::log(first / second);
  auto first_wins = ahead > 0;
  found.tied = 1;
  if (std::abs(ahead) < share_grain) {
    found.tied = 2;
    std::vector<label_claim> claims;
    for (const auto& one : given)
      if (const auto said = labels.of(one.said);
          said == preference::first || said == preference::second)
        add_vote(claims, said == preference::first ? labels.first : labels.second, one.weight,
                 one.lot);
    std::uint32_t tied = 0;
    first_wins = claims.empty() || claims[leading_claim(claims, tied)].label == labels.first;
  }
  found.answer = first_wins ? labels.first : labels.second;
  found.confidence = (first_wins ? first : second) / (first + second);
}

} // namespace

step_found combine_pairs_step(const field_rule& rule, std::uint32_t units,
                              std::uint32_t contributors, const std::vector<step_value>& given,
                              const std::vector<compared_pair>& pairs) {
  const auto all = values_by_unit(units, given);
  step_found found;
  found.units.resize(units);
  for (std::uint32_t unit = 0; unit < units; ++unit)
    if (!all[unit].given.empty())
      found.units[unit] = combine_categories(rule, all[unit].given);
  const auto compared = std::min<std::size_t>(units, pairs.size());
  if (!uses_a_scale(rule.method) || compared == 0)
    return found;

  item_numbers items;
  for (std::size_t unit = 0; unit < compared; ++unit)
    if (compares(pairs[unit])) {
      items.add(pairs[unit].first);
      items.add(pairs[unit].second);
    }
  items.finish();
  std::vector<comparison> comparisons;
  comparisons.reserve(given.size());
  for (std::size_t unit = 0; unit < compared; ++unit) {
    if (!compares(pairs[unit]))
      continue;
    const pair_labels labels{rule, pairs[unit]};
    const auto first = items.of(pairs[unit].first);
    const auto second = items.of(pairs[unit].second);
    for (std::size_t i = 0; i < all[unit].given.size(); ++i) {
      const auto& one = all[unit].given[i];
      const auto who = all[unit].contributors[i];
      switch (labels.of(one.said)) {
      case preference::first:
        comparisons.push_back({first, second, who, one.weight});
        break;
      case preference::second:
        comparisons.push_back({second, first, who, one.weight});
        break;
      case preference::neither:
        comparisons.push_back({first, second, who, one.weight / 2});
        comparisons.push_back({second, first, who, one.weight / 2});
        break;
      case preference::unknown:
        break;
      }
    }
  }
  auto scale = scale_by(rule.method, items.count(), contributors, comparisons);
  for (std::size_t unit = 0; unit < compared; ++unit)
    if (compares(pairs[unit]) && !all[unit].given.empty())
      decide_by_strength({rule, pairs[unit]}, scale.strengths[items.of(pairs[unit].first)],
                         scale.strengths[items.of(pairs[unit].second)], all[unit].given,
                         found.units[unit]);
  return with_scale(std::move(found), std::move(scale), items.names());
}

} // namespace holdfast::core::fields
