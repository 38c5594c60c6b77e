#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace holdfast::core::quality {

/// The sum of `at(0)` to `at(count - 1)`, finite numbers: the same to the last bit in whatever
/// order they are. Sums over labels are made so, because labels are in the order of their names.
/// Rounding by that order would decide between labels that nothing else tells apart, and methods
/// that iterate make more of it each time.
///
/// Adds whole multiples of the greatest number's last bits, of which a sum of integers loses none.
template <class At>
double orderless_sum(std::size_t count, const At& at) {
  if (count == 2)
    return at(0) + at(1); // which is the same as at(1) + at(0)
  double most = 0;
  for (std::size_t i = 0; i < count; ++i)
    most = std::max(most, std::abs(at(i)));
  int exponent = 0;
  std::frexp(most, &exponent);
  // Two to the power of more does not fit into a double; of numbers as small a few bits are lost.
  const auto scale = std::ldexp(1.0, std::min(-exponent, 1000));
  int bits = 62; // of each number, so that their sum fits into 63
  for (auto left = count; left > 1; left = (left + 1) / 2)
    --bits;
  const auto grains = static_cast<double>(std::int64_t{1} << bits);
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < count; ++i)
    sum += static_cast<std::int64_t>(at(i) * scale * grains);
  return static_cast<double>(sum) / grains / scale;
}

} // namespace holdfast::core::quality
