#pragma once

#include "core/time.hpp"

#include <chrono>
#include <mutex>
#include <optional>

namespace holdfast::client {

/// The clock of the cluster, by which leases end, as far as this process knows it. That clock is
/// the clock of the database. The wall clock of this machine may be wrong by any time; so each time
/// that a node tells is tied to the steady clock, which only measures how long something takes.
///
/// A node says its time somewhere between the moments at which it was asked and its answer came:
/// that leaves a range, and of several the narrowest counts. Safe to use from several threads.
class node_clock {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// A node that was asked at `asked` has answered at `answered` that it is `said`.
  void note(time_point asked, time_point answered, core::instant said);

  /// Whether it is worth asking again at `now`: nothing is known, or it is old, or vague.
  bool wants_to_ask(time_point now) const;

  /// The last moment here at which it is surely not later than `at` there; none when nothing is
  /// known. So a lease that ends at `at` is held until then.
  std::optional<time_point> not_after(core::instant at) const;

  /// The time of the cluster at `now`, as far as it is known; none when nothing is known.
  std::optional<core::instant> at(time_point now) const;

private:
  /// The time there at the steady clock's zero lies between these.
  struct range {
    core::duration least{};
    core::duration most{};
  };
  range widened(time_point now) const;

  mutable std::mutex mutex_;
  std::optional<range> known_;
  time_point noted_at_{};
};

} // namespace holdfast::client
