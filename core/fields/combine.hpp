#pragma once

#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::core::fields {

/// What one contributor said, and how much they were trusted.
struct given_value {
  value said;
  double weight = 1;     ///< Above 0; 1 for everybody where the step does not weigh by trust.
  std::uint64_t lot = 0; ///< Of the contributor on this unit: the least lot settles a tie.
};

/// How sure one part of an answer is: an option, a label, a mark, a span.
struct part_support {
  std::string name; ///< Of an option or label; empty of marks and spans, which go by place.
  double share = 0; ///< Of the weight of those who said something about the field.
  std::uint32_t votes = 0;
  /// Of marks and spans: what share of the weight of those who marked it gave it this label.
  double label_share = 1;
};

/// An interval of numbers that holds so much of the weight.
struct number_interval {
  double low = 0;
  double high = 0;
};

/// The answer of one unit about one field.
struct found_value {
  value answer;                      ///< `absent` where nobody said anything, and of `none`.
  double confidence = 0;             ///< 0 to 1; how it comes about is a matter of the kind.
  std::uint32_t votes = 0;           ///< How many said something.
  std::uint32_t tied = 1;            ///< How many answers were as good, this one included.
  std::vector<part_support> support; ///< In label order; of marks and spans in that of the answer.
  std::optional<number_interval> half;   ///< number: holds half of the weight.
  std::optional<number_interval> nearly; ///< number: holds 95 % of it.
};

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

/// What is wrong with a value as the truth of a test question or as an override: a box without
/// area, an option that does not exist, a label twice in a ranking. Empty: nothing. The sentence
/// continues "the answer …".
std::string degenerate(const field_rule& rule, const value& truth);

} // namespace holdfast::core::fields
