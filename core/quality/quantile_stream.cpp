#include "core/quality/quantile_stream.hpp"

#include "core/invariant.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::core::quality {

quantile_stream::quantile_stream(double share) : share_(share) {
  HOLDFAST_INVARIANT(share > 0 && share < 1, "a quantile is between least and greatest");
}

void quantile_stream::observe(double value) {
  if (count_ < heights_.size()) {
    heights_[count_++] = value;
    std::sort(heights_.begin(), heights_.begin() + static_cast<std::ptrdiff_t>(count_));
    return;
  }
  ++count_;
  heights_.front() = std::min(heights_.front(), value);
  heights_.back() = std::max(heights_.back(), value);
  for (std::size_t marker = 1; marker < 5; ++marker)
    if (marker == 4 || value < heights_[marker])
      places_[marker] += 1;
  const auto last = static_cast<double>(count_ - 1);
  const std::array<double, 5> wanted{1, 1 + last * share_ / 2, 1 + last * share_,
                                     1 + last * (1 + share_) / 2, 1 + last};
  for (std::size_t marker = 1; marker < 4; ++marker) {
    const auto behind = wanted[marker] - places_[marker];
    const auto room_above = places_[marker + 1] - places_[marker];
    const auto room_below = places_[marker] - places_[marker - 1];
    if (!(behind >= 1 && room_above > 1) && !(behind <= -1 && room_below > 1))
      continue;
    const auto step = behind > 0 ? 1.0 : -1.0;
    const auto height = parabolic(marker, step);
    const bool between = heights_[marker - 1] < height && height < heights_[marker + 1];
    heights_[marker] = between ? height : linear(marker, step);
    places_[marker] += step;
  }
}

double quantile_stream::parabolic(std::size_t marker, double step) const {
  const auto above = places_[marker + 1] - places_[marker];
  const auto below = places_[marker] - places_[marker - 1];
  const auto rise_above = (heights_[marker + 1] - heights_[marker]) / above;
  const auto rise_below = (heights_[marker] - heights_[marker - 1]) / below;
  return heights_[marker]
         + step / (above + below) * ((below + step) * rise_above + (above - step) * rise_below);
}

double quantile_stream::linear(std::size_t marker, double step) const {
  const auto other = step > 0 ? marker + 1 : marker - 1;
  return heights_[marker]
         + step * (heights_[other] - heights_[marker]) / (places_[other] - places_[marker]);
}

double quantile_stream::value() const {
  if (count_ == 0)
    return 0;
  if (count_ > heights_.size())
    return heights_[2];
  const auto rank = std::ceil(share_ * static_cast<double>(count_)) - 1;
  return heights_[static_cast<std::size_t>(std::max(0.0, rank))];
}

} // namespace holdfast::core::quality
