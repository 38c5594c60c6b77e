#include "core/quality/matchers.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

namespace {

double area_of(const box& b) { return std::abs(b.x2 - b.x1) * std::abs(b.y2 - b.y1); }

/// The length two ranges share.
double shared_length(double a1, double a2, double b1, double b2) {
  const auto from = std::max(std::min(a1, a2), std::min(b1, b2));
  const auto to = std::min(std::max(a1, a2), std::max(b1, b2));
  return std::max(0.0, to - from);
}

} // namespace

bool is_near(const decimal& answer, const decimal& truth, const number_tolerance& tolerance) {
  const auto apart = decimal::distance(answer, truth);
  return apart <= tolerance.absolute
         || (tolerance.relative > 0
             && apart.nearest() <= tolerance.relative * std::abs(truth.nearest()));
}

double overlap_of(const box& a, const box& b) {
  const auto shared = shared_length(a.x1, a.x2, b.x1, b.x2) * shared_length(a.y1, a.y2, b.y1, b.y2);
  const auto either = area_of(a) + area_of(b) - shared;
  return either > 0 ? shared / either : 0;
}

} // namespace holdfast::core::quality
