#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Orders of items, the best first. An item that a ranking leaves out stands behind those that it
/// names, beside the others that it leaves out. No value here is `absent`.
namespace holdfast::core::fields {

/// The order of all items that somebody named, by `rule.method`: `borda` or `bradley_terry` from
/// the pairs of the unit. `confidence` is the mean over all pairs of items of the share (Borda) or
/// the probability (Bradley-Terry) of their order. Items that are as good stand in the order of the
/// contributor with the least lot who tells them apart. At least one value.
found_value combine_rankings(const field_rule& rule, const std::vector<given_value>& given);

/// 1 minus the share of pairs of items that are in another order; a pair that only one of the two
/// rankings orders counts half.
double likeness_of_rankings(const field_rule& rule, const value& a, const value& b);

/// Whether both are the same order of the same items.
bool rankings_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the ranking cannot be a truth; empty where it can.
std::string degenerate_rankings(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
