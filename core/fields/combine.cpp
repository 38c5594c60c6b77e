#include "core/fields/combine.hpp"

#include "core/fields/categories.hpp"
#include "core/fields/marks.hpp"
#include "core/fields/numbers.hpp"
#include "core/fields/options.hpp"
#include "core/fields/ordinals.hpp"
#include "core/fields/phrases.hpp"
#include "core/fields/rankings.hpp"
#include "core/fields/spans.hpp"
#include "core/invariant.hpp"

#include <algorithm>
#include <cstddef>

namespace holdfast::core::fields {

namespace {

/// The functions of a kind. They see no `absent` value.
struct kind_rules {
  found_value (*combine)(const field_rule&, const std::vector<given_value>&);
  double (*likeness)(const field_rule&, const value&, const value&);
  bool (*agree)(const field_rule&, const value&, const value&);
  std::string (*degenerate)(const field_rule&, const value&);
};

kind_rules rules_of(field_kind kind) {
  switch (kind) {
  case field_kind::category:
    return {combine_categories, likeness_of_categories, categories_agree, degenerate_categories};
  case field_kind::set:
    return {combine_options, likeness_of_options, options_agree, degenerate_options};
  case field_kind::number:
    return {combine_numbers, likeness_of_numbers, numbers_agree, degenerate_numbers};
  case field_kind::ordinal:
    return {combine_ordinals, likeness_of_ordinals, ordinals_agree, degenerate_ordinals};
  case field_kind::text:
    return {combine_phrases, likeness_of_phrases, phrases_agree, degenerate_phrases};
  case field_kind::boxes:
  case field_kind::points:
  case field_kind::polygons:
    return {combine_marks, likeness_of_marks, marks_agree, degenerate_marks};
  case field_kind::spans:
    return {combine_spans, likeness_of_spans, spans_agree, degenerate_spans};
  case field_kind::pairwise:
    return rules_of(field_kind::category);
  case field_kind::ranking:
    return {combine_rankings, likeness_of_rankings, rankings_agree, degenerate_rankings};
  case field_kind::none:
    break;
  }
  HOLDFAST_INVARIANT(false, "what is never compared has no rules");
}

} // namespace

found_value combine(const field_rule& rule, const std::vector<given_value>& given) {
  const auto votes = std::count_if(given.begin(), given.end(),
                                   [](const given_value& one) { return !is_absent(one.said); });
  if (votes == 0)
    return {};
  if (rule.kind == field_kind::none) {
    found_value found;
    found.votes = static_cast<std::uint32_t>(votes);
    return found;
  }
  const auto rules = rules_of(rule.kind);
  if (static_cast<std::size_t>(votes) == given.size())
    return rules.combine(rule, given); // without a copy, which is dear of texts
  std::vector<given_value> there;
  for (const auto& one : given)
    if (!is_absent(one.said))
      there.push_back(one);
  return rules.combine(rule, there);
}

double likeness(const field_rule& rule, const value& a, const value& b) {
  if (rule.kind == field_kind::none)
    return 0;
  if (is_absent(a) || is_absent(b))
    return is_absent(a) && is_absent(b) ? 1 : 0;
  return rules_of(rule.kind).likeness(rule, a, b);
}

bool agree(const field_rule& rule, const value& a, const value& b) {
  if (rule.kind == field_kind::none)
    return false;
  if (is_absent(a) || is_absent(b))
    return is_absent(a) && is_absent(b);
  return rules_of(rule.kind).agree(rule, a, b);
}

std::string degenerate(const field_rule& rule, const value& truth) {
  if (rule.kind == field_kind::none)
    return "is of a field that is never compared";
  if (is_absent(truth))
    return rule.optional ? "" : "is missing";
  return rules_of(rule.kind).degenerate(rule, truth);
}

} // namespace holdfast::core::fields
