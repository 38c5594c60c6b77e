#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::bench {

/// One way to assign units by SQL alone, as the design that Holdfast started from describes it.
struct sql_variant {
  std::string name;
  std::string index;     ///< The best index for the statement.
  std::string statement; ///< One assignment, for pgbench.
};

/// The variants worth comparing with: the statement as written, and with `slots_taken`.
std::vector<sql_variant> sql_variants();

struct sql_result {
  double assignments_per_second = 0;
  double p50_millis = 0;
  double p99_millis = 0;
};

/// Fills a table of `units` units with `slots` slots each, and lets pgbench run the variant with
/// `clients` sessions on `connection` (host=… dbname=… user=…). Throws with what pgbench printed
/// when that fails.
sql_result run_variant(const sql_variant& variant, const std::string& conninfo, std::size_t units,
                       std::uint32_t slots, std::size_t clients, std::chrono::seconds duration);

} // namespace holdfast::bench
