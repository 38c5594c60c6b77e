#include "core/fields/categories.hpp"

#include "core/fields/shares.hpp"

#include <string>
#include <variant>

namespace holdfast::core::fields {

namespace {

const std::string* category_in(const value& v) { return std::get_if<std::string>(&v); }

} // namespace

found_value combine_categories(const field_rule& rule, const std::vector<given_value>& given) {
  std::vector<label_claim> claims;
  double all = 0;
  found_value found;
  for (const auto who : in_order_of_lots(given))
    if (const auto* label = category_in(given[who].said)) {
      add_vote(claims, *label, given[who].weight, given[who].lot);
      all += given[who].weight;
      ++found.votes;
    }
  if (claims.empty())
    return found;
  const auto leader = claims[leading_claim(claims, found.tied)];
  found.answer = leader.label;
  found.confidence = leader.weight / all;
  sort_by_labels(claims, rule.labels);
  for (const auto& one : claims)
    found.support.push_back({one.label, one.weight / all, one.votes});
  return found;
}

double likeness_of_categories(const field_rule& rule, const value& a, const value& b) {
  return categories_agree(rule, a, b) ? 1 : 0;
}

bool categories_agree(const field_rule& /*rule*/, const value& a, const value& b) {
  const auto* first = category_in(a);
  const auto* second = category_in(b);
  return first != nullptr && second != nullptr && *first == *second;
}

std::string degenerate_categories(const field_rule& rule, const value& truth) {
  const auto* label = category_in(truth);
  return label == nullptr ? "is not a label" : problem_of_label(rule.labels, *label);
}

} // namespace holdfast::core::fields
