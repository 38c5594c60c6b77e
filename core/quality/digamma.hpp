#pragma once

namespace holdfast::core::quality {

/// The logarithmic derivative of the gamma function; `x` > 0. To about fourteen digits. Source:
/// NIST Digital Library of Mathematical Functions, 5.5.2 and 5.11.2.
double digamma(double x);

} // namespace holdfast::core::quality
