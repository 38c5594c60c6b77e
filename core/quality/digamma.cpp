#include "core/quality/digamma.hpp"

#include "core/invariant.hpp"

#include <cmath>

namespace holdfast::core::quality {

double digamma(double x) {
  HOLDFAST_INVARIANT(x > 0, "the caller has a positive number");
  // The series below is good from 10 on.
  double before = 0;
  for (; x < 10; x += 1)
    before -= 1 / x;
  const auto square = 1 / (x * x);
  double series = 0;
  for (const auto coefficient :
       {-691.0 / 32760, 1.0 / 132, -1.0 / 240, 1.0 / 252, -1.0 / 120, 1.0 / 12})
    series = square * (series + coefficient);
  return before + std::log(x) - 0.5 / x - series;
}

} // namespace holdfast::core::quality
