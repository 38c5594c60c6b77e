#pragma once

#include "core/time.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::core {

/// Whether a commit waits for those whom the commit before it has answered.
///
/// Callers who do one thing after the other part into two groups if it does not: one is being
/// answered while the other's changes are under way, and each commit holds half of what it could.
/// So the next commit is held up for a moment, shorter than a commit takes, and goes off as soon as
/// as many have come as were there. Where callers do not come back that soon (each request is
/// another one's), holding up is given up for a while, each time twice as long. As many strangers
/// may have come in that time; but these come during the commit, too, while those who share it
/// have nothing to ask. So it was worth it only if few wait when that commit is over.
///
/// The idea is that of `commit_delay` and `commit_siblings` of PostgreSQL, with both taken from
/// what was observed.
class rejoining {
public:
  /// At most `enough` changes are worth waiting for, and at most for `longest`. Zero of either
  /// means never to wait.
  rejoining(std::size_t enough, duration longest) : enough_(enough), longest_(longest) {}

  /// A commit that took `took` has just answered `answered` changes, and `waiting` others are there
  /// already. For how long the next commit is held up at most; zero when it is not.
  duration begin(std::size_t answered, std::size_t waiting, duration took);

  /// Whether the next commit is held up still, with `waiting` changes there.
  bool holds(std::size_t waiting) const { return waiting < wanted_; }

  /// The next commit begins with `waiting` changes, or the time is over. From that, and from the
  /// `begin` after it, it learns whether it was worth waiting.
  void end(std::size_t waiting);

private:
  void learn(bool worth_it);

  std::size_t enough_;
  duration longest_;
  std::size_t wanted_ = 0;     ///< Until so many are there; zero: nothing is held up.
  std::size_t before_ = 0;     ///< How many were there when the wait began.
  bool enough_came_ = false;   ///< In the last wait, after which no commit has ended yet.
  std::uint32_t in_vain_ = 0;  ///< Waits on end that were not worth it.
  std::uint32_t left_out_ = 0; ///< Waits still to leave out.
};

} // namespace holdfast::core
