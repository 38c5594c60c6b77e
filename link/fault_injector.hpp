#pragma once

#include "link/frame_validator.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <random>

namespace holdfast::link {

/// Makes a network bad, for tests: an inlet or outlet that was given one asks it before it forwards
/// anything. No option leads here; only code can.
///
/// Connections are numbered from 1 in the order in which they were established; without a number
/// all are meant, also later ones. Safe to use from any thread.
class fault_injector {
public:
  using duration = std::chrono::steady_clock::duration;
  using scope = std::optional<std::uint64_t>;

  /// `seed` decides what is random.
  explicit fault_injector(std::uint64_t seed) : random_(seed) {}

  /// Closes what is open now.
  void cut(scope which = {});
  /// Each piece waits for a time between the two, evenly distributed.
  void delay(duration least, duration most, scope which = {});
  /// What one end sends arrives at this rate at most; 0 lifts it.
  void slow(std::uint64_t bytes_per_second, scope which = {});
  /// What one end sends stays on its way until `heal`.
  void hold(sender from, scope which = {});
  /// Ends `delay`, `slow` and `hold`.
  void heal();

  /// For links: a connection has begun; `close` may be called from any thread.
  std::uint64_t attach(std::function<void()> close);
  void detach(std::uint64_t connection);
  /// For links: how long `bytes` must wait; empty while they are held.
  std::optional<duration> pause_before(std::uint64_t connection, sender from, std::size_t bytes);

private:
  struct fault_set {
    duration delay_least{};
    duration delay_most{};
    std::uint64_t bytes_per_second = 0;
    bool held_of_dialer = false;
    bool held_of_listener = false;
  };

  fault_set& of(scope which) { return which ? single_[*which] : all_; }

  std::mutex mutex_;
  std::mt19937_64 random_;
  fault_set all_;
  std::map<std::uint64_t, fault_set> single_;
  std::map<std::uint64_t, std::function<void()>> open_;
  std::uint64_t last_ = 0;
};

} // namespace holdfast::link
