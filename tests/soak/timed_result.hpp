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

  /// Answers that follow from a commit: so many in each second of a part of the run.
  void commits(int from, int to, int per_second) {
    for (int second = from; second < to; ++second)
      for (int i = 0; i < per_second; ++i)
        result.clients.requests.push_back(
            {at(second + 0.9 * i / per_second), 1, core::errc::none, 1, true});
  }

  soak_result result;
};

} // namespace holdfast::soak
