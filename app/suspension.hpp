#pragma once

#include "core/time.hpp"

namespace holdfast::app {

/// How long this machine's kernel has suspended it since it started. Linux has two clocks that
/// differ by that: CLOCK_BOOTTIME counts it, CLOCK_MONOTONIC, which timers and the actors go by,
/// does not. A virtual machine that its host pauses may know nothing of it: both clocks stand still
/// then.
core::duration time_suspended();

} // namespace holdfast::app
