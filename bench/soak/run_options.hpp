#pragma once

#include "core/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::soak {

struct load_options {
  std::uint64_t seed = 1;
  double enqueues_per_second = 40; ///< Requests, each of up to ten tasks, by an open loop.
  double units_per_second = 10;    ///< By an open loop.
  std::uint32_t producers = 2;
  std::uint32_t workers = 12; ///< So many that those who wait for one node hold up no other.
  std::uint32_t contributors = 3;
  core::duration deadline = std::chrono::minutes{1}; ///< Of each request, with all its tries.
};

/// A run as its command line has it.
struct run_options {
  std::uint64_t seed = 0;
  double minutes = 10;
  std::uint32_t nodes = 3;
  double lease_seconds = 2;
  bool lazy_disk = false;
  bool keep = false;
  bool scorecard = false;          ///< A run for each of `scorecard_runs`, `minutes` long.
  std::vector<std::string> faults; ///< Names; none: all.
  load_options load;
  std::string program;      ///< Of the nodes. Empty: the one that was built with the harness.
  std::string upgrade_from; ///< Empty: there is one version only.
  std::string out = "soak";
  std::vector<std::string> total; ///< Files with verdicts to be added up, in place of a run.
};

/// Reads a command line. An exit status when there is nothing to run: help was asked for, or there
/// is a mistake, and it has been said.
std::optional<int> read_options(int argc, const char* const* argv, run_options& options);

/// The command that runs the same again: whatever is not as it is by itself is named. Where it
/// writes to, and whether it keeps its logs, changes nothing and is left out.
std::string command_of(const run_options& options);

} // namespace holdfast::soak
