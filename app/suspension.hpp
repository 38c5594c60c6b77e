#pragma once

#include "core/time.hpp"

namespace holdfast::app {

/// How long this machine has been suspended since it started; a virtual machine is while its host
/// keeps it from running. Linux has two clocks that differ by that: CLOCK_BOOTTIME counts it,
/// CLOCK_MONOTONIC, which timers and the actors go by, does not.
core::duration time_suspended();

} // namespace holdfast::app
