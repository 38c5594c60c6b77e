#pragma once

#include "bench/results.hpp"

#include <string>

namespace holdfast::bench {

/// Lets the job queues of bench/peers do what `live_tasks` and `processed_tasks` did, each on a
/// server of its own that has nothing else to keep in order, and compares. They are installed from
/// npm into a folder of the build. Without Node.js it says so and measures nothing; throws when
/// they fail.
void measure_peers(const std::string& graphile_worker, const std::string& pg_boss, int seconds,
                   results& out);

} // namespace holdfast::bench
