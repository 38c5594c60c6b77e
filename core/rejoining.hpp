#pragma once

#include "core/time.hpp"

#include <cstddef>
#include <cstdint>

namespace holdfast::core {

/// Whether a commit waits for those whom the commit before it has answered.
///
/// Callers who do one thing after the other part into two groups if it does not: one is being
/// answered while the other's changes are under way, and each commit holds half of what it could.
/// So the next commit is held up for a moment, shorter than a commit takes. It goes off as soon as
/// as many have come as may be expected, or when it gets quiet: when nobody has followed the last
/// for half as long as the first took to come. Not every answer is followed by a change, and some
/// by several. Where nobody comes back that soon (each request is another one's), holding up is
/// given up for a while, each time twice as long. Strangers may come in that time, too; but of
/// these more come during the commit, which is longer, while those who share it have nothing to
/// ask. So it was worth it only if no more wait when that commit is over than had come in the wait
/// before it.
///
/// The idea is that of `commit_delay` and `commit_siblings` of PostgreSQL, with both taken from
/// what was observed.
class rejoining {
public:
  /// At most `enough` changes are worth waiting for, and at most for `longest`. Zero of either
  /// means never to wait.
  rejoining(std::size_t enough, duration longest);

  /// A commit that took `took` has just answered `answered` changes, and `waiting` others are there
  /// already. Until when from now the next commit is held up before `go_on` is to be asked; zero
  /// when it is not.
  duration begin(std::size_t answered, std::size_t waiting, duration took);

  /// Whether the next commit is held up still, with `waiting` changes there.
  bool holds(std::size_t waiting) const { return waiting < wanted_; }

  /// Whether `go_on` is asked so often that nobody should be woken by those who come.
  bool looks_often() const;

  /// That time is over, with `waiting` changes there, `passed` since `begin`. For how much longer
  /// the commit is held up before this is to be asked again; zero when no more.
  duration go_on(std::size_t waiting, duration passed);

  /// The next commit begins with `waiting` changes. From that, and from the `begin` after it, it
  /// learns whether it was worth waiting.
  void end(std::size_t waiting);

private:
  duration next_period(duration passed) const;
  void learn(bool worth_it);

  std::size_t enough_;
  duration longest_;
  std::size_t wanted_ = 0;     ///< Until so many are there; zero: nothing is held up.
  std::size_t before_ = 0;     ///< How many were there when the wait began.
  std::size_t seen_ = 0;       ///< How many were there when `go_on` was last asked.
  duration limit_{};           ///< Of this wait.
  duration last_came_{};       ///< When in it somebody was last seen to have come; zero: not yet.
  duration patience_;          ///< For how long nobody may come after that.
  std::size_t came_ = 0;       ///< In the last wait, after which no commit has ended yet.
  std::uint32_t in_vain_ = 0;  ///< Grows with waits that were not worth it.
  std::uint32_t left_out_ = 0; ///< Waits still to leave out.
};

} // namespace holdfast::core
