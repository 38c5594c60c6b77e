#pragma once

#include "bench/soak/soak_result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::soak {

/// What a run should have reached and did not, in words: each makes it red.
std::vector<std::string> missed_goals(const soak_result& result);

/// Something that has to have happened in a run that met what it should meet.
struct sometimes {
  std::string what;
  std::uint64_t times = 0;
  bool wanted = false; ///< By a fault that bit; without that it may be absent.
};

std::vector<sometimes> sometimes_of(const soak_result& result);

} // namespace holdfast::soak
