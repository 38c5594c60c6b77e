#pragma once

#include "bench/results.hpp"

#include <string>

namespace holdfast::bench {

/// Whether the time that an answer takes tells test questions from units: asks and submissions of
/// sixteen contributors at a node, on the database at `conninfo`.
void same_timing(const std::string& conninfo, int seconds, results& out);

} // namespace holdfast::bench
