#pragma once

#include "bench/results.hpp"

namespace holdfast::bench {

/// What aggregation costs on one core, on made-up answers, and what it is worth on recorded ones.
void measure_quality(results& out);

} // namespace holdfast::bench
