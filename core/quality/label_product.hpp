#pragma once

#include "core/quality/orderless_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace holdfast::core::quality {

/// The posterior of one unit as a product of likelihoods, one factor per vote. Kept as mantissa and
/// binary exponent: as exact as a sum of logarithms, without an exponential for each label.
///
/// `Labels` is their number where it is small enough to unroll the loops over it; 0 for any.
template <std::uint32_t Labels>
class label_product {
public:
  explicit label_product(std::uint32_t labels) : labels_(labels) {
    if constexpr (Labels == 0) {
      shares_.resize(labels);
      exponents_.resize(labels);
    }
  }

  /// Begins with the chances before any vote.
  void begin(const double* chances) {
    for (std::uint32_t k = 0; k < count(); ++k)
      shares_[k] = chances[k];
    factors_ = 0;
  }

  /// `likelihood[k]`: how likely this vote is when `k` is true. Not below 1e-18.
  void multiply(const double* likelihood) {
    for (std::uint32_t k = 0; k < count(); ++k)
      shares_[k] *= likelihood[k];
    if (++factors_ % factors_max == 0)
      take_out_exponents();
  }

  /// Writes the shares, which add up to 1; returns the logarithm of what they added up to before.
  double finish(double* shares) {
    const auto exponent = factors_ >= factors_max ? align() : 0;
    const auto sum = orderless_sum(count(), [this](std::size_t k) { return shares_[k]; });
    const auto scale = 1 / sum;
    for (std::uint32_t k = 0; k < count(); ++k)
      shares[k] = shares_[k] * scale;
    constexpr double ln_2 = 0.693147180559945309417232121458;
    return std::log(sum) + exponent * ln_2;
  }

private:
  /// 16 factors of 1e-18 are far above the least double, 2e-308.
  static constexpr std::size_t factors_max = 16;

  std::uint32_t count() const { return Labels == 0 ? labels_ : Labels; }

  void take_out_exponents() {
    if (factors_ == factors_max)
      std::fill(exponents_.begin(), exponents_.end(), 0);
    for (std::uint32_t k = 0; k < count(); ++k) {
      int exponent = 0;
      shares_[k] = std::frexp(shares_[k], &exponent);
      exponents_[k] += exponent;
    }
  }

  /// Brings all labels to the exponent of the greatest, which it returns.
  int align() {
    int most = std::numeric_limits<int>::min();
    for (std::uint32_t k = 0; k < count(); ++k)
      if (shares_[k] > 0)
        most = std::max(most, exponents_[k]);
    for (std::uint32_t k = 0; k < count(); ++k)
      shares_[k] = shares_[k] > 0 ? std::ldexp(shares_[k], exponents_[k] - most) : 0;
    return most;
  }

  /// In registers where the number of labels allows it.
  template <class T>
  using per_label = std::conditional_t<Labels == 0, std::vector<T>, std::array<T, Labels>>;

  std::uint32_t labels_;
  per_label<double> shares_{};
  per_label<int> exponents_{}; ///< Taken out of the shares.
  std::size_t factors_ = 0;    ///< Multiplied so far.
};

} // namespace holdfast::core::quality
