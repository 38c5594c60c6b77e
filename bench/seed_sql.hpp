#pragma once

#include "bench/pgbench.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
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

/// What a session of pgbench does again and again.
enum class sql_work {
  assign, ///< One assignment, in one transaction.
  cycle,  ///< An assignment, then a judgment under it: two transactions of one statement each.
};

struct sql_load {
  std::size_t units = 0;
  std::uint32_t slots = 1; ///< Of each unit.
  std::size_t clients = 1;
  std::chrono::seconds duration{};
};

/// Fills the tables anew and lets pgbench run the variant on `conninfo` (host=… dbname=… user=…).
/// Throws with what pgbench printed when that fails.
pgbench_result run_variant(const sql_variant& variant, sql_work work, const std::string& conninfo,
                           const sql_load& load);

} // namespace holdfast::bench
