#pragma once

#include <cstdio>
#include <cstdlib>

/// The demands of a fuzz target beyond that nothing crashes.
namespace holdfast::fuzz {

/// Ends the program, which keeps the input, unless `holds`.
inline void demand(bool holds, const char* what) {
  if (holds)
    return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

} // namespace holdfast::fuzz
