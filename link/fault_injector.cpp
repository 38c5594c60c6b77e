#include "link/fault_injector.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast::link {

void fault_injector::cut(scope which) {
  std::vector<std::function<void()>> closed;
  {
    const std::lock_guard lock{mutex_};
    for (const auto& [number, close] : open_)
      if (!which || *which == number)
        closed.push_back(close);
  }
  for (const auto& close : closed) // unlocked: it may detach at once
    close();
}

void fault_injector::delay(duration least, duration most, scope which) {
  const std::lock_guard lock{mutex_};
  of(which).delay_least = least;
  of(which).delay_most = most;
}

void fault_injector::slow(std::uint64_t bytes_per_second, scope which) {
  const std::lock_guard lock{mutex_};
  of(which).bytes_per_second = bytes_per_second;
}

void fault_injector::hold(sender from, scope which) {
  const std::lock_guard lock{mutex_};
  (from == sender::dialer ? of(which).held_of_dialer : of(which).held_of_listener) = true;
}

void fault_injector::heal() {
  const std::lock_guard lock{mutex_};
  all_ = {};
  single_.clear();
}

std::uint64_t fault_injector::attach(std::function<void()> close) {
  const std::lock_guard lock{mutex_};
  open_[++last_] = std::move(close);
  return last_;
}

void fault_injector::detach(std::uint64_t connection) {
  const std::lock_guard lock{mutex_};
  open_.erase(connection);
}

std::optional<fault_injector::duration>
fault_injector::pause_before(std::uint64_t connection, sender from, std::size_t bytes) {
  const std::lock_guard lock{mutex_};
  const auto own = single_.find(connection);
  duration pause{};
  for (const auto* faults : {&all_, own == single_.end() ? nullptr : &own->second}) {
    if (faults == nullptr)
      continue;
    if (from == sender::dialer ? faults->held_of_dialer : faults->held_of_listener)
      return std::nullopt;
    if (faults->delay_most > duration{})
      pause += duration{std::uniform_int_distribution<duration::rep>{
          faults->delay_least.count(), faults->delay_most.count()}(random_)};
    if (faults->bytes_per_second > 0)
      pause += std::chrono::duration_cast<duration>(std::chrono::duration<double>{
          static_cast<double>(bytes) / static_cast<double>(faults->bytes_per_second)});
  }
  return pause;
}

} // namespace holdfast::link
