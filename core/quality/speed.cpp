#include "core/quality/speed.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

namespace {

/// The middle half of a normal distribution is so many standard deviations wide.
constexpr double middle_half = 1.349;

/// Recorded times are often whole seconds; none is shorter than a hundredth of one.
double log_of(double seconds) { return std::log(std::max(seconds, 0.01)); }

} // namespace

void speed_monitor::observe(double seconds) {
  const auto value = log_of(seconds);
  quarter_.observe(value);
  median_.observe(value);
  three_quarters_.observe(value);
}

std::optional<double> speed_monitor::robust_z(double seconds) const {
  const auto width = three_quarters_.value() - quarter_.value();
  if (median_.count() < observations_min || width <= 0)
    return std::nullopt;
  return (log_of(seconds) - median_.value()) / (width / middle_half);
}

pace speed_monitor::pace_of(double seconds) const {
  const auto z = robust_z(seconds).value_or(0);
  if (z < -z_max)
    return pace::too_fast;
  return z > z_max ? pace::too_slow : pace::usual;
}

} // namespace holdfast::core::quality
