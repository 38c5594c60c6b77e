#pragma once

#include "core/placement.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

/// Which history a server writes. A promotion or a recovery to a point in time begins a timeline
/// with a higher number; servers that were copies of one another differ in nothing else.
struct server_place {
  std::string origin; ///< The system identifier, and the database in it.
  std::uint32_t timeline = 0;
};

/// Reads `cluster_view::server`; none of what has another form.
std::optional<server_place> server_place_in(std::string_view text);

/// The highest marks that a node has seen. Each of them only grows as long as the database forgets
/// nothing: a takeover raises the epoch and keeps the rest, and a new generation raises all.
class seen_history {
public:
  /// Compares `view` with all that was seen before; `written` are the marks of what this node's
  /// writers had committed before it asked for the view. Answers what the database has forgotten,
  /// in words for people; empty when it has forgotten nothing.
  std::string look(const cluster_view& view, const shard_marks& written);

  /// Why nothing may be decided by `view`, in words for people: it comes from a server in whose
  /// place another one was promoted, so that what is committed there is on a history that has
  /// ended. Empty when it does not. A generation that began later than all that were seen (after
  /// `holdfast restored`) says that the older history goes on after all.
  std::string replaced(const cluster_view& view) const;

  const shard_marks& marks() const { return marks_; }
  std::uint64_t generation() const { return generation_; }

private:
  shard_marks marks_;
  std::uint64_t generation_ = 0;
  std::map<std::string, std::uint32_t> timelines_; ///< The highest, by `server_place::origin`.
  std::optional<instant> generation_began_;        ///< The latest beginning of one.
};

} // namespace holdfast::core
