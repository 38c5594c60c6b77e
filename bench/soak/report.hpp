#pragma once

#include "bench/soak/checker.hpp"
#include "bench/soak/plan.hpp"
#include "bench/soak/struck_fault.hpp"

#include <string>
#include <utility>
#include <vector>

namespace holdfast::soak {

/// Memory of all nodes, in MiB, at one time.
struct memory_sample {
  clock::time_point at;
  std::vector<double> nodes;
};

/// All that came of a soak.
struct soak_result {
  soak_plan plan;
  /// Kinds of faults that this machine cannot be made to have, and why: none of them is planned.
  std::vector<std::pair<fault_kind, std::string>> left_out;
  std::string command;
  bool two_versions = false; ///< Nodes are upgraded and rolled back.
  clock::time_point begun;
  clock::time_point ended;
  std::vector<struck_fault> faults;
  client_history clients;
  checked check;
  std::vector<memory_sample> memory;
  std::vector<std::string> broken_invariants; ///< By `verify`, live and at the end.
  std::uint32_t verified = 0;                 ///< How often the live database was verified.
  bool quiet = false;                         ///< All work was finished in the end.
};

/// Why a run proves nothing, although nothing was wrong.
std::vector<std::string> void_reasons(const soak_result& result);
/// Everything that was wrong.
std::vector<std::string> violations(const soak_result& result);

/// The verdict as JSON: `green`, `red` or `void`, with every figure.
std::string verdict_json(const soak_result& result);
/// The same for people, with plots, as one file.
std::string report_html(const soak_result& result);

} // namespace holdfast::soak
