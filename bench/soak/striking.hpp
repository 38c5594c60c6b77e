#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/struck_fault.hpp"
#include "core/time.hpp"

#include <functional>

namespace holdfast::soak {

/// The parts of the nemesis that each fault uses.
struct striking {
  cluster& nodes;
  struck_fault& struck;
  std::function<void()> rest;                     ///< A moment.
  std::function<void(core::duration)> wait_until; ///< Since the fault began.
  std::function<void()> await_hosts;              ///< Until every shard has a host that runs.

  /// Until the fault has lasted for as long as planned.
  void wait() const { wait_until(struck.planned.lasts); }
};

} // namespace holdfast::soak
