#pragma once

#include "bench/soak/soak_result.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace holdfast::soak {

/// How values grow with time: the median of the slopes between any two points, by Theil and Sen.
/// Unlike least squares it does not follow what comes for a while and goes again, such as what
/// gathers in an outage.
/// @see P. K. Sen, Estimates of the regression coefficient based on Kendall's tau, 1968
struct trend {
  double per_hour = 0;
  double at_least_per_hour = 0; ///< The lower end of the interval that it is in by 95 %.
  double median = 0;            ///< Of the values.
};

/// Of points (seconds, value); empty when there are too few.
std::optional<trend> fit(const std::vector<std::pair<double, double>>& points);

/// What of a process.
enum class resource { memory, files, threads, actors };

/// Of the node on which it grows most, over the load without its beginning. A node that is started
/// again goes on with the same points: what grows with the run is meant, not with a process that is
/// still getting warm, so the first moments of each process are left out. Empty when the run was
/// too short or nothing is known.
std::optional<trend> worst_trend(const soak_result& result, resource what);

/// The most that any node had of it.
double most(const soak_result& result, resource what);

} // namespace holdfast::soak
