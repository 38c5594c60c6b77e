#pragma once

#include "core/time.hpp"

#include <chrono>

/// The time as the demo sees and shows it.
namespace holdfast::app::demo {

/// The nodes' clocks follow the database's, which is this machine's.
inline core::instant wall_clock() {
  return std::chrono::time_point_cast<core::duration>(std::chrono::system_clock::now());
}

inline double seconds(core::duration span) { return std::chrono::duration<double>(span).count(); }

} // namespace holdfast::app::demo
