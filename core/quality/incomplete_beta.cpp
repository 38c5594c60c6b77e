#include "core/quality/incomplete_beta.hpp"

#include "core/invariant.hpp"

#include <cmath>

namespace holdfast::core::quality {

namespace {

/// The steps of the fraction grow with the square root of a and b: enough for a hundred million.
constexpr int steps_max = 20000;

/// Replaces a denominator of 0, as Lentz's method has it.
double not_zero(double value) { return std::abs(value) < 1e-300 ? 1e-300 : value; }

/// 1 / (1 + d1 / (1 + d2 / (1 + ...))) with the coefficients of 8.17.22.
double continued_fraction(double a, double b, double x) {
  double front = 1;
  double back = 1 / not_zero(1 - (a + b) * x / (a + 1));
  double value = back;
  for (int m = 1; m < steps_max; ++m) {
    const auto even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const auto odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double factor = 1;
    for (const auto coefficient : {even, odd}) {
      back = 1 / not_zero(1 + coefficient * back);
      front = not_zero(1 + coefficient / front);
      factor = back * front;
      value *= factor;
    }
    if (std::abs(factor - 1) < 1e-15)
      break;
  }
  return value;
}

} // namespace

double incomplete_beta(double a, double b, double x) {
  HOLDFAST_INVARIANT(a > 0 && b > 0 && x >= 0 && x <= 1, "counts and chances are what is given");
  if (x == 0 || x == 1)
    return x;
  const auto front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x)
                              + b * std::log1p(-x));
  // The fraction converges fast on this side of the mean only.
  if (x < (a + 1) / (a + b + 2))
    return front * continued_fraction(a, b, x) / a;
  return 1 - front * continued_fraction(b, a, 1 - x) / b;
}

double beta_quantile(double a, double b, double p) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) { // halving 1 so often leaves less than a double can tell
    const auto middle = (low + high) / 2;
    (incomplete_beta(a, b, middle) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

double binomial_tail(double successes, double trials, double p) {
  if (successes <= 0)
    return 1;
  return successes > trials ? 0 : incomplete_beta(successes, trials - successes + 1, p);
}

} // namespace holdfast::core::quality
