#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace holdfast::bench {

struct pgbench_result {
  double per_second = 0; ///< Runs of the script.
  double p50_millis = 0;
  double p99_millis = 0;
};

/// Carries out `schema`, then lets `clients` sessions of pgbench run `script` again and again on
/// `conninfo` (host=… dbname=… user=…). Throws with what psql or pgbench printed when that fails.
pgbench_result run_pgbench(const std::string& conninfo, const std::string& schema,
                           const std::string& script, std::size_t clients,
                           std::chrono::seconds duration);

} // namespace holdfast::bench
