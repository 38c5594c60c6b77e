#pragma once

#include "core/fields/found_value.hpp"

#include <string>
#include <vector>

namespace holdfast::core::fields {

/// The consensus of `given` by the rule's method, which does not look at the step. Depends neither
/// on the order of `given` nor on what labels are called (ties go by lot).
found_value combine(const field_rule& rule, const std::vector<given_value>& given);

/// How like two values are, 0 to 1: equal categories 1; sets by Jaccard; numbers 1 within
/// tolerance, else 0; ordinals 1 minus the distance over the length of the scale; texts 1 minus the
/// edit distance over the length of the longer; marks and spans F1 of one-to-one matches; rankings
/// from Kendall's distance. Two absent values are alike, an absent one and another are not. Of
/// `none` 0.
double likeness(const field_rule& rule, const value& a, const value& b);

/// Whether two values count as the same answer: what votes, test questions and agreement go by.
/// One notion of equality for all of them. Marks and spans: every one has its counterpart.
bool agree(const field_rule& rule, const value& a, const value& b);

/// The reason why a value cannot be the truth of a test question or an override: a box without
/// area, an option that does not exist, a label twice in a ranking. Empty: nothing. The sentence
/// continues "the answer …".
std::string degenerate(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
