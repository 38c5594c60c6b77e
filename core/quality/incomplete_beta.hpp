#pragma once

namespace holdfast::core::quality {

/// The regularised incomplete beta function `I_x(a, b)`: how likely a Beta(a, b) value is at most
/// `x`. Requires a, b > 0 and x from 0 to 1; good to about twelve digits. Source: NIST Digital
/// Library of Mathematical Functions, 8.17.22, evaluated by Lentz's method (1976). Thirty lines are
/// less than what Boost.Math would bring into core; the tests hold them against it.
double incomplete_beta(double a, double b, double x);

/// The `x` with `I_x(a, b) = p`, for p from 0 to 1.
double beta_quantile(double a, double b, double p);

/// How likely `successes` or more of `trials` are, each with chance `p`. Source: the same, 8.17.5.
double binomial_tail(double successes, double trials, double p);

} // namespace holdfast::core::quality
