#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/struck_fault.hpp"

#include <functional>
#include <vector>

namespace holdfast::soak {

/// Carries a plan out, on the thread that the processes belong to. `between` is called every few
/// milliseconds; when it returns false, no further fault begins.
std::vector<struck_fault> strike(cluster& nodes, const soak_plan& plan, clock::time_point start,
                                 const std::function<bool()>& between);

} // namespace holdfast::soak
