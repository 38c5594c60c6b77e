#include "core/fields/pairs.hpp"

#include "core/fields/shares.hpp"

#include <string>
#include <variant>

namespace holdfast::core::fields {

namespace {

const std::string* label_in(const value& v) { return std::get_if<std::string>(&v); }

} // namespace

found_value combine_pairs(const field_rule& rule, const std::vector<given_value>& given) {
  std::vector<label_claim> claims;
  double all = 0;
  found_value found;
  for (const auto who : in_order_of_lots(given))
    if (const auto* label = label_in(given[who].said)) {
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

double likeness_of_pairs(const field_rule& rule, const value& a, const value& b) {
  return pairs_agree(rule, a, b) ? 1 : 0;
}

bool pairs_agree(const field_rule& /*rule*/, const value& a, const value& b) {
  const auto* first = label_in(a);
  const auto* second = label_in(b);
  return first != nullptr && second != nullptr && *first == *second;
}

std::string degenerate_pairs(const field_rule& rule, const value& truth) {
  const auto* label = label_in(truth);
  return label == nullptr ? "is not a label" : problem_of_label(rule.labels, *label);
}

} // namespace holdfast::core::fields
