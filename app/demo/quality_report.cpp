#include "app/demo/quality_report.hpp"

#include <algorithm>
#include <cmath>

namespace holdfast::app::demo {

std::uint64_t quality_report::spammers_removed() const {
  return static_cast<std::uint64_t>(
      std::count_if(removed.begin(), removed.end(), [](const auto& one) { return one.spammer; }));
}

double quality_report::calibration_error() const {
  double distance = 0;
  std::uint64_t units = 0;
  for (const auto& bin : calibration) {
    // Both as sums over the units of the bin.
    distance +=
        std::abs(bin.confidence * static_cast<double>(bin.units) - static_cast<double>(bin.right));
    units += bin.units;
  }
  return units == 0 ? 0 : distance / static_cast<double>(units);
}

} // namespace holdfast::app::demo
