#pragma once

#include "core/ids.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>

/// What keeps a node from doing harm, and how often it had to.
namespace holdfast::msg {

/// Asks a node what its guards have done. Answered by `guard_status`.
struct get_guard_status {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(get_guard_status, x.version)

/// All numbers since the node's start.
struct guard_status {
  bool fenced = false;        ///< Its lease may have run out: it decides nothing.
  core::instant fenced_since; ///< Database time; 0 while it is not fenced.
  std::string why;            ///< What kept it from renewing its lease; of the last fence.
  std::uint64_t fences = 0;   ///< How often it fenced itself.
  /// Commits whose outcome was not known when the connection broke around them, and what was found
  /// out: they were written, they were not (and then came in another try, or were refused), or
  /// nobody can know any more because another node hosts the shard. The rest is still open.
  std::uint64_t in_doubt = 0;
  std::uint64_t found_committed = 0;
  std::uint64_t found_not_committed = 0;
  std::uint64_t never_found = 0;
  std::uint64_t stale_writes =
      0; ///< Changes that the database refused: their shard was taken over.
  std::uint64_t peers_slowed = 0; ///< Pauses in reading from peers that sent more than they may.
};
HOLDFAST_WIRE(guard_status, x.fenced, x.fenced_since, x.why, x.fences, x.in_doubt,
              x.found_committed, x.found_not_committed, x.never_found, x.stale_writes,
              x.peers_slowed)

} // namespace holdfast::msg
