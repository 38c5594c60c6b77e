#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// One label of several, also the winner of a pair. No value here is `absent`.
namespace holdfast::core::fields {

/// The label with most weight; of several the one with most votes, then the one of the least lot.
/// `confidence` is its share of the weight. At least one value.
found_value combine_categories(const field_rule& rule, const std::vector<given_value>& given);

/// 1 for the same label, else 0.
double likeness_of_categories(const field_rule& rule, const value& a, const value& b);

/// Whether both are the same label.
bool categories_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the label cannot be a truth; empty where it can.
std::string degenerate_categories(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
