#include "app/demo/kill_schedule.hpp"

#include "app/demo/clock.hpp"

#include <utility>

namespace holdfast::app::demo {

namespace {

/// How far the node's idea of the time may be off ours. A node takes longer than that to start, so
/// no assignment granted after a kill is missed.
constexpr auto clock_error_max = std::chrono::milliseconds{50};

} // namespace

kill_schedule::kill_schedule(std::uint32_t count, std::uint64_t judgments,
                             std::function<void()> kill)
    : judgments_(judgments), kill_(std::move(kill)) {
  for (std::uint64_t i = 1; i <= count; ++i)
    thresholds_.push_back(judgments * i / (std::uint64_t{count} + 1));
}

void kill_schedule::kill_if_due() {
  if (!up_ || !recovered_ || kills_ == thresholds_.size() || acknowledged_ < thresholds_[kills_])
    return;
  to_restart_ = true;
  up_ = false;
  recovered_ = false;
  ++kills_;
  killed_at_ = wall_clock();
  kill_();
}

void kill_schedule::judgment_acknowledged(std::uint64_t acknowledged) {
  const std::lock_guard lock{mutex_};
  acknowledged_ = acknowledged;
  // While the node is away, it is the answer to what the node did before.
  if (up_ && !recovered_)
    recover();
  else
    kill_if_due();
}

void kill_schedule::recover() {
  recovered_ = true;
  recoveries_.push_back(wall_clock() - killed_at_);
  kill_if_due(); // answers that were on their way may have passed the next threshold meanwhile
}

void kill_schedule::assignment_granted(core::instant granted_at) {
  const std::lock_guard lock{mutex_};
  // Before the node is known to be up: contributors may find it sooner than its parent does.
  if (recovered_ || granted_at < killed_at_ + clock_error_max)
    return;
  recover();
}

bool kill_schedule::take_killed() {
  const std::lock_guard lock{mutex_};
  return std::exchange(to_restart_, false);
}

void kill_schedule::node_is_up() {
  const std::lock_guard lock{mutex_};
  up_ = true;
  if (!recovered_ && acknowledged_ >= judgments_)
    recover();
  else
    kill_if_due();
}

bool kill_schedule::is_away() const {
  const std::lock_guard lock{mutex_};
  return !up_;
}

std::uint32_t kill_schedule::kills() const {
  const std::lock_guard lock{mutex_};
  return kills_;
}

bool kill_schedule::finished() const {
  const std::lock_guard lock{mutex_};
  return kills_ == thresholds_.size() && up_ && recovered_;
}

std::vector<core::duration> kill_schedule::recoveries() const {
  const std::lock_guard lock{mutex_};
  return recoveries_;
}

} // namespace holdfast::app::demo
