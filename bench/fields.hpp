#pragma once

#include "bench/results.hpp"

namespace holdfast::bench {

/// What it costs on one core to combine a million judgments about a field, by kind and method.
void measure_fields(results& out);

} // namespace holdfast::bench
