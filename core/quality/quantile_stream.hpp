#pragma once

#include <array>
#include <cstdint>

namespace holdfast::core::quality {

/// One quantile of a stream, in the memory of five numbers. Source: R. Jain, I. Chlamtac, "The P²
/// algorithm for dynamic calculation of quantiles and histograms without storing observations",
/// 1985.
class quantile_stream {
public:
  /// `share` of the observations are below the quantile.
  explicit quantile_stream(double share);

  void observe(double value);
  std::uint64_t count() const { return count_; }
  /// Exact up to five observations; 0 without any.
  double value() const;

private:
  double parabolic(std::size_t marker, double step) const;
  double linear(std::size_t marker, double step) const;

  double share_;
  std::uint64_t count_ = 0;
  std::array<double, 5> heights_{};
  std::array<double, 5> places_{1, 2, 3, 4, 5};
};

} // namespace holdfast::core::quality
