#pragma once

#include "bench/results.hpp"

namespace holdfast::bench {

/// What single decisions cost, in processor time, without actors and without a database.
void measure_code(results& out);

} // namespace holdfast::bench
