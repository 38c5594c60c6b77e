#pragma once

#include "bench/results.hpp"

namespace holdfast::bench {

/// How honest confidence is, and how many judgments stopping rules save, on the jobs in data/. The
/// same on every machine. Throws when one of them cannot be read.
void replay_recorded_jobs(results& out);

} // namespace holdfast::bench
