#pragma once

#include "bench/results.hpp"

#include <string>

namespace holdfast::bench {

/// The store alone, without actors, on the database at `conninfo`: transactions of growing size, of
/// grants, and of tasks that are made and leased while as many others end.
void store_batches(const std::string& conninfo, int seconds, results& out);

} // namespace holdfast::bench
