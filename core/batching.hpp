#pragma once

#include "core/change.hpp"
#include "core/time.hpp"

#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::core {

/// When the writer commits and what may go together. A batch is whatever gathered while the
/// previous commit was under way, and in a moment after it (`rejoining`), so one request alone
/// waits for nothing and a thousand share one commit.
struct batching_limits {
  std::size_t batch_max =
      500; ///< Writes per batch; beyond it only latency grows (POSTGRES knee at 100 to 500).
  std::size_t high_water =
      20000;             ///< Queued writes at which new requests are refused with `overloaded`.
  duration rejoin_max{}; ///< How long a commit waits for those just answered; zero: never.
};

/// The rows that changes of one batch have touched. Two changes that touch the same lease or the
/// same unit row may not share a batch, because a batch is applied kind by kind, not change by
/// change.
class batch_footprint {
public:
  /// Adds the rows of `c` unless one is taken already; then nothing is added and false is returned.
  bool admit(const change& c);
  void clear() { rows_.clear(); }
  bool empty() const { return rows_.empty(); }

private:
  std::unordered_set<std::size_t> rows_;
};

/// Number of rows that a change writes, its events together counting as one: the unit of
/// `batching_limits`.
std::size_t weight(const change& c);

/// How a refused batch of `size` changes is cut to find the guilty one: two non-empty ranges
/// [first, last). The caller commits them in order and cuts again what is still refused; a range of
/// one is the culprit.
std::pair<std::pair<std::size_t, std::size_t>, std::pair<std::size_t, std::size_t>>
bisect(std::size_t first, std::size_t last);

} // namespace holdfast::core
