#pragma once

#include "bench/results.hpp"

namespace holdfast::bench {

/// Measures the cost on one core of combining a million judgments about a field, by kind and
/// method.
void measure_fields(results& out);

} // namespace holdfast::bench
