#include "bench/soak/trends.hpp"

#include "bench/soak/figures.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <string>

namespace holdfast::soak {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t points_min = 5;
constexpr double hour = 3600;
/// Of a normal distribution, beyond which chance goes in one case of twenty.
constexpr double deviations = 1.96;
/// A sixth of a run, or ten minutes: caches fill.
constexpr int warm_up_share = 6;
constexpr core::duration warm_up_max = 10min;
/// Samples of so long are one point, their median: neighbours are much alike, and chance is to be
/// told from growth.
constexpr int point_share = 60;
constexpr core::duration point_max = 1min;

std::optional<double> value_of(const process_reading& reading, resource what) {
  switch (what) {
  case resource::memory:
    return reading.memory_mib;
  case resource::files:
    return reading.files;
  case resource::threads:
    return reading.threads;
  case resource::actors:
    return reading.actors;
  }
  return std::nullopt;
}

std::optional<trend> trend_of(const soak_result& r, resource what, std::size_t node) {
  const auto load_time = r.plan.request.load_time;
  const auto warm = seconds(std::min(warm_up_max, load_time / warm_up_share));
  const auto point = seconds(std::min(point_max, load_time / point_share));
  if (point <= 0)
    return std::nullopt;
  std::map<std::string, double> born;
  std::map<std::int64_t, std::vector<double>> points;
  for (const auto& sample : r.samples) {
    if (node >= sample.nodes.size() || !sample.nodes[node])
      continue;
    const auto at = seconds(sample.at - r.begun);
    const auto since = born.emplace(sample.nodes[node]->incarnation, at).first->second;
    const auto value = value_of(*sample.nodes[node], what);
    if (value && at >= warm && at <= seconds(load_time) && at >= since + point / 2)
      points[static_cast<std::int64_t>(at / point)].push_back(*value);
  }
  std::vector<std::pair<double, double>> medians;
  for (const auto& [number, values] : points)
    medians.emplace_back((static_cast<double>(number) + 0.5) * point, quantile(values, 0.5));
  return fit(medians);
}

} // namespace

std::optional<trend> fit(const std::vector<std::pair<double, double>>& points) {
  if (points.size() < points_min)
    return std::nullopt;
  std::vector<double> values;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < points.size(); ++i) {
    values.push_back(points[i].second);
    for (std::size_t j = 0; j < i; ++j)
      if (const auto apart = points[i].first - points[j].first; apart != 0)
        slopes.push_back((points[i].second - points[j].second) / apart * hour);
  }
  if (slopes.empty())
    return std::nullopt;
  std::sort(slopes.begin(), slopes.end());
  // How far rises and falls are out of balance where nothing grows, but in one case of twenty.
  const auto n = static_cast<double>(points.size());
  const auto by_chance = deviations * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
  const auto lower = (static_cast<double>(slopes.size()) - by_chance) / 2;
  return trend{quantile(slopes, 0.5), slopes[static_cast<std::size_t>(std::max(0.0, lower))],
               quantile(values, 0.5)};
}

std::optional<trend> worst_trend(const soak_result& r, resource what) {
  std::optional<trend> worst;
  for (std::size_t node = 0; node < r.plan.request.nodes; ++node)
    if (const auto one = trend_of(r, what, node);
        one && (!worst || one->at_least_per_hour > worst->at_least_per_hour))
      worst = one;
  return worst;
}

double most(const soak_result& r, resource what) {
  double found = 0;
  for (const auto& sample : r.samples)
    for (const auto& node : sample.nodes)
      if (node)
        found = std::max(found, value_of(*node, what).value_or(0));
  return found;
}

} // namespace holdfast::soak
