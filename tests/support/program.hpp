#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

/// How a program ended and what it wrote.
struct program_end {
  int code = -1; ///< Exit code, or 128 + the signal; -1 when it had to be killed.
  std::string out;
  std::string err;
};

/// Runs `program` (a path) with `arguments` until it ends; kills it after `limit`. Its environment
/// is ours without what would configure Holdfast.
program_end run_program(const std::string& program, const std::vector<std::string>& arguments,
                        std::chrono::seconds limit);

} // namespace holdfast::test
