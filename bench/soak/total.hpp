#pragma once

#include "bench/results.hpp"

#include <string>
#include <vector>

namespace holdfast::soak {

/// The verdict of a run, as `verdict_json` made it, and the file that has it.
struct verdict_file {
  std::string name;
  std::string text;
};

/// How many faults a scorecard asks for in all runs together, and late results in them.
inline constexpr double kills_wanted = 500;
inline constexpr double freezes_wanted = 200;
inline constexpr double late_results_wanted = 200;

/// Adds up several runs: `total.*`, and the rows 6 to 8 of the scorecard, which ask for more faults
/// than one run has. Shares of distributions are those of all samples together. `command` makes the
/// same total again. Throws `std::runtime_error` with the file's name when one is no verdict, or is
/// there twice.
std::vector<bench::figure> total_figures(const std::vector<verdict_file>& verdicts,
                                         const std::string& command);

} // namespace holdfast::soak
