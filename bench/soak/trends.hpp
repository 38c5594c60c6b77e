#pragma once

#include "bench/soak/soak_result.hpp"

#include <optional>
#include <utility>
#include <vector>

namespace holdfast::soak {

/// A straight line through points, by least squares.
struct trend {
  double per_hour = 0;
  double error_per_hour = 0; ///< The standard error of that.
  double median = 0;         ///< Of the values.

  /// What it grows by an hour, beyond what chance explains.
  double surely_per_hour() const { return per_hour - 2 * error_per_hour; }
};

/// Through (seconds, value); empty when there are too few.
std::optional<trend> fit(const std::vector<std::pair<double, double>>& points);

/// What of a process.
enum class resource { memory, files, threads, actors };

/// Of the node on which it grows most, over the load without its beginning. A node that is started
/// again goes on with the same line: what grows with the run is meant, not with a process that is
/// still getting warm, so the first moments of each process are left out. Empty when the run was
/// too short or nothing is known.
std::optional<trend> worst_trend(const soak_result& result, resource what);

/// The most that any node had of it.
double most(const soak_result& result, resource what);

} // namespace holdfast::soak
