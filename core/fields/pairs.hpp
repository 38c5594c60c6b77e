#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Which of two is the better one. No value here is `absent`.
namespace holdfast::core::fields {

/// The label with most weight; of several the one with most votes, then the one of the least lot.
/// At least one value.
found_value combine_pairs(const field_rule& rule, const std::vector<given_value>& given);

/// 1 for the same label, else 0.
double likeness_of_pairs(const field_rule& rule, const value& a, const value& b);

/// Whether both name the same label.
bool pairs_agree(const field_rule& rule, const value& a, const value& b);

/// What is wrong with the label as a truth; empty: nothing.
std::string degenerate_pairs(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
