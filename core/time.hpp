#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast::core {

/// Every span of time in Holdfast. Microseconds, because that is what PostgreSQL stores.
using duration = std::chrono::microseconds;

/// A point on the database's clock (UTC). Nodes add a measured offset to their monotonic clock, so
/// a step of the wall clock never moves a deadline.
using instant = std::chrono::time_point<std::chrono::system_clock, duration>;

/// Microseconds since the Unix epoch: the form instants have on the wire and in SQL parameters.
inline std::int64_t to_micros(instant at) { return at.time_since_epoch().count(); }
inline instant from_micros(std::int64_t micros) { return instant{duration{micros}}; }

} // namespace holdfast::core
