#pragma once

#include "bench/soak/final_state.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/lost_commits.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::soak {

struct checked {
  std::vector<std::string> violations; ///< At most a hundred of each kind, in words.
  std::uint64_t lost = 0;              ///< Acknowledged, and not there.
  /// The same, but the database itself had lost it: a copy without it took the database's place.
  std::uint64_t excused = 0;
  /// Two results of one task acknowledged, or two rows of what was handed in once.
  std::uint64_t doubled = 0;
  std::uint64_t from_nowhere = 0; ///< There, and never handed in, or refused.
  std::uint64_t stale_attempted = 0;
  std::uint64_t stale_refused = 0; ///< Others were answered too late, or not at all.
  std::uint64_t stale_accepted = 0;
};

/// Compares what clients were told with what is stored (A9, I-12, I-13; I-3 for stale results).
/// Excuses the acknowledgements of commits in `losses`, and no others.
/// Pure: tests/soak proves with planted mistakes that it sees them.
checked check(const client_history& clients, const final_state& stored,
              const std::vector<lost_commits>& losses = {});

} // namespace holdfast::soak
