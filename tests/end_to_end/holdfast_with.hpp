#pragma once

#include "tests/support/program.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace holdfast::test {

/// Runs the program itself with these arguments, for a minute at most.
inline program_end holdfast_with(const std::vector<std::string>& arguments) {
  return run_program(HOLDFAST_BINARY, arguments, std::chrono::seconds{60});
}

} // namespace holdfast::test
