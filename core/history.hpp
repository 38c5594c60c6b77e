#pragma once

#include "core/placement.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

/// Whether the database still knows what it has committed: one that was promoted from an
/// asynchronous standby, or restored from a copy, may not (docs/adr/0076).
namespace holdfast::core {

/// How far a shard has come, as somebody has seen it committed.
struct shard_mark {
  epoch at = 0;
  std::uint64_t batches = 0;
  event_seq events = 0;
};

using shard_marks = std::map<shard_id, shard_mark>;

/// The highest marks that a node has seen. Each of them only grows as long as the database forgets
/// nothing: a takeover raises the epoch and keeps the rest, and a new generation raises all.
class seen_history {
public:
  /// Compares `view` with all that was seen before; `written` are the marks of what this node's
  /// writers had committed before it asked for the view. Answers what the database has forgotten,
  /// in words for people; empty when it has forgotten nothing.
  std::string look(const cluster_view& view, const shard_marks& written);

  const shard_marks& marks() const { return marks_; }
  std::uint64_t generation() const { return generation_; }

private:
  shard_marks marks_;
  std::uint64_t generation_ = 0;
};

} // namespace holdfast::core
