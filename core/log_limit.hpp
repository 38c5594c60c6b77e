#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace holdfast::core {

/// Bounds log lines that others can cause as often as they like: one line a second for each key,
/// such as the name of a peer, with a count of those that were left out. Time is an argument. Safe
/// to use from several threads.
class log_limit {
public:
  using clock = std::chrono::steady_clock;

  static constexpr auto pause = std::chrono::seconds{1};
  /// Keys that are told apart, because a stranger may choose them. Further ones share one line a
  /// second until a key has been silent for a `pause`.
  static constexpr std::size_t keys_max = 256;

  /// The number of lines of this key that were left out since its last one; empty when this one is
  /// to be left out, too.
  std::optional<std::uint64_t> admit(const std::string& key, clock::time_point now) {
    const std::lock_guard lock{mutex_};
    auto& recent = recent_of(key, now);
    if (now < recent.next) {
      ++recent.left_out;
      return std::nullopt;
    }
    recent.next = now + pause;
    return std::exchange(recent.left_out, 0);
  }

private:
  struct counted {
    clock::time_point next{};
    std::uint64_t left_out = 0; ///< Since the last one.
  };

  counted& recent_of(const std::string& key, clock::time_point now) {
    if (const auto known = by_key_.find(key); known != by_key_.end())
      return known->second;
    if (by_key_.size() >= keys_max)
      forget_silent(now);
    return by_key_.size() < keys_max ? by_key_[key] : further_;
  }

  /// Forgets the keys that have had no line for a `pause`. Keys that still owe a count of lines
  /// are kept for one more, so that the count is not lost while the flood goes on.
  void forget_silent(clock::time_point now) {
    for (auto at = by_key_.begin(); at != by_key_.end();) {
      const auto& known = at->second;
      const bool silent = now >= known.next + (known.left_out > 0 ? pause : clock::duration{});
      at = silent ? by_key_.erase(at) : std::next(at);
    }
  }

  std::mutex mutex_;
  std::map<std::string, counted> by_key_;
  counted further_; ///< Of all keys beyond `keys_max`.
};

} // namespace holdfast::core
