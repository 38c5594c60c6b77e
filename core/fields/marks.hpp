#pragma once

#include "core/fields/found_value.hpp"
#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <string>
#include <vector>

/// Objects on images: boxes, points, polygons. No value here is `absent`; an empty list says that
/// there is no object.
namespace holdfast::core::fields {

/// The objects that more than `rule.share` of the weight drew, from left to right. Marks of several
/// people are one object by `cluster_marks`; a box is the weighted median of its marks by side, a
/// point by coordinate, a polygon the mark that is most like the others. `confidence` is the least
/// of what is certain about each object, drawn by most or not: the greater of the share that drew
/// it and the share that did not, and the share of its label; of an empty answer it is the share
/// that drew nothing. At least one value.
found_value combine_marks(const field_rule& rule, const std::vector<given_value>& given);

/// F1 of the greatest one-to-one matching of marks that are the same object and have the same
/// label; 1 for two empty lists.
double likeness_of_marks(const field_rule& rule, const value& a, const value& b);

/// Whether each mark of either has its counterpart in the other.
bool marks_agree(const field_rule& rule, const value& a, const value& b);

/// The reason why the marks cannot be a truth; empty where it can.
std::string degenerate_marks(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
