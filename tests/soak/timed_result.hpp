#pragma once

#include "bench/soak/soak_result.hpp"

#include <chrono>

namespace holdfast::soak {

/// What came of a run of three nodes with a lease of two seconds, to be filled in.
struct timed_result {
  explicit timed_result(core::duration load_time) {
    result.plan.request.load_time = load_time;
    result.plan.request.lease_time = std::chrono::seconds{2};
    result.plan.request.nodes = 3;
    result.begun = clock::now();
    result.ended = result.begun + load_time;
  }

  /// Seconds after its beginning.
  clock::time_point at(double second) const {
    return result.begun
           + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>{second});
  }

  soak_result result;
};

} // namespace holdfast::soak
