#pragma once

#include "core/fields/rule.hpp"
#include "core/fields/value.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::core::fields {

/// One contributor's value, and how much they were trusted.
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

} // namespace holdfast::core::fields
