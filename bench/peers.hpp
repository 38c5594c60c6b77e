#pragma once

#include "bench/results.hpp"

#include <string>

namespace holdfast::bench {

/// Lets the job queues of bench/peers (Graphile Worker, pg-boss) do on the same server what
/// `live_tasks` and `processed_tasks` did, and compares. They are installed from npm into a folder
/// of the build. Without Node.js it says so and measures nothing; throws when they fail.
void measure_peers(const std::string& conninfo, int seconds, results& out);

} // namespace holdfast::bench
