#include "core/fields/whole_step.hpp"

#include "core/fields/combine.hpp"

#include "core/fields/options.hpp"
#include "core/fields/ordinals.hpp"
#include "core/fields/scales.hpp"

namespace holdfast::core::fields {

step_found combine_step(const field_rule& rule, std::uint32_t units, std::uint32_t contributors,
                        const std::vector<step_value>& given,
                        const std::vector<compared_pair>& pairs) {
  if (rule.kind == field_kind::pairwise)
    return combine_pairs_step(rule, units, contributors, given, pairs);
  if (rule.kind == field_kind::ranking)
    return combine_rankings_step(rule, units, contributors, given);
  if (rule.method == field_method::one_coin_options)
    return combine_options_step(rule, units, contributors, given);
  if (rule.method == field_method::dawid_skene_ordinal)
    return combine_ordinals_step(rule, units, contributors, given);
  std::vector<std::vector<given_value>> of(units);
  for (const auto& one : given)
    of[one.unit].push_back({one.said, one.weight, one.lot});
  step_found found;
  for (const auto& values : of)
    found.units.push_back(combine(rule, values));
  return found;
}

} // namespace holdfast::core::fields
