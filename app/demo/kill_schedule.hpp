#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace holdfast::app::demo {

/// When the node is killed, and how long it takes until work goes on.
///
///   waiting ──enough acknowledged──► killed ──node_is_up and work goes on──► waiting
///
/// Work goes on with an assignment that is granted after the kill, or with a judgment that is
/// acknowledged after the node is up again: on a small set everybody may hold their last assignment
/// when it dies. Where all judgments were acknowledged before that, there is nothing to go on with.
///
/// The kill happens on the thread that reports the judgment, so that it hits the node at exactly
/// that point, with requests under way. Safe to use from any thread.
class kill_schedule {
public:
  /// Kills `count` times, spread evenly over `judgments`. `kill` must only send the signal.
  kill_schedule(std::uint32_t count, std::uint64_t judgments, std::function<void()> kill);

  void judgment_acknowledged(std::uint64_t acknowledged);

  /// An assignment was granted by the node at `granted_at`. One that was granted before the kill
  /// and arrives after it does not count.
  void assignment_granted(core::instant granted_at);

  /// True once for each kill: the caller starts the node again.
  bool take_killed();
  void node_is_up();
  /// Whether the node is killed and not up again yet, also when nobody works any more.
  bool is_away() const;

  std::uint32_t kills() const;
  /// Whether every kill is done and work has gone on after it.
  bool finished() const;
  /// From each kill to where work goes on.
  std::vector<core::duration> recoveries() const;

private:
  void kill_if_due();
  void recover();

  const std::uint64_t judgments_;
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> thresholds_; ///< Ascending.
  std::function<void()> kill_;
  std::uint32_t kills_ = 0;
  bool to_restart_ = false; ///< Nobody has taken the kill yet.
  bool up_ = true;
  bool recovered_ = true;
  std::uint64_t acknowledged_ = 0;
  core::instant killed_at_{};
  std::vector<core::duration> recoveries_;
};

} // namespace holdfast::app::demo
