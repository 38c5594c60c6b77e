#pragma once

#include "core/quality/quantile_stream.hpp"

#include <cstdint>
#include <optional>

namespace holdfast::core::quality {

enum class pace { usual, too_fast, too_slow };

/// How long judgments of a step take, from grant to submission, and which take far less or more
/// than others. It flags, and never taints: on real data speed alone hardly tells good work from
/// bad.
class speed_monitor {
public:
  speed_monitor() : quarter_(0.25), median_(0.5), three_quarters_(0.75) {}

  void observe(double seconds);

  /// How many standard deviations of usual judgments the logarithm of `seconds` is away from the
  /// median: of the middle half, so that extremes do not hide one another. None before there are
  /// `observations_min`, or while the middle half took the same time.
  std::optional<double> robust_z(double seconds) const;

  pace pace_of(double seconds) const;

  static constexpr std::uint64_t observations_min = 30;
  /// Source: B. Iglewicz, D. Hoaglin, "How to detect and handle outliers", 1993.
  static constexpr double z_max = 3.5;

private:
  quantile_stream quarter_;
  quantile_stream median_;
  quantile_stream three_quarters_;
};

} // namespace holdfast::core::quality
