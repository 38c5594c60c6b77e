#pragma once

#include "core/decimal.hpp"

/// Whether an answer to a test question is right. Regular expressions are matched in documents/,
/// where the bounded matcher is.
namespace holdfast::core::quality {

/// How far a number may be off: by the greater of the two.
struct number_tolerance {
  decimal absolute;
  double relative = 0; ///< Of the truth.
};

/// By all digits: what a double would round together is as far apart as it is.
bool is_near(const decimal& answer, const decimal& truth, const number_tolerance& tolerance);

/// A rectangle by two opposite corners, in either order.
struct box {
  double x1 = 0;
  double y1 = 0;
  double x2 = 0;
  double y2 = 0;
};

/// Intersection over union: 1 for the same rectangle, 0 for ones that do not overlap or have no
/// area. Source: P. Jaccard, 1901.
double overlap_of(const box& a, const box& b);

} // namespace holdfast::core::quality
