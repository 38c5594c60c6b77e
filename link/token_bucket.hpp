#pragma once

#include <algorithm>
#include <chrono>

namespace holdfast::link {

/// A rate: `burst` at once, then `per_second`. Time is an argument.
class token_bucket {
public:
  using clock = std::chrono::steady_clock;

  /// Starts full. Both above 0.
  token_bucket(double per_second, double burst)
      : per_second_(per_second), burst_(burst), tokens_(burst) {}

  /// How long until there is a token; 0 when there is one now.
  clock::duration wait(clock::time_point now) {
    refill(now);
    if (tokens_ >= 1)
      return clock::duration::zero();
    const std::chrono::duration<double> missing{(1 - tokens_) / per_second_};
    // Up, or a wait that is cut short finds no token and waits for nothing once more.
    return std::chrono::ceil<clock::duration>(missing);
  }

  /// Takes some, even if there are none: the next waits longer then.
  void take(clock::time_point now, double tokens = 1) {
    refill(now);
    tokens_ -= tokens;
  }

private:
  void refill(clock::time_point now) {
    if (filled_at_ != clock::time_point{}) {
      const std::chrono::duration<double> passed = now - filled_at_;
      tokens_ = std::min(burst_, tokens_ + passed.count() * per_second_);
    }
    filled_at_ = now;
  }

  double per_second_;
  double burst_;
  double tokens_;
  clock::time_point filled_at_{};
};

/// What one peer may send, over all of its connections. Known when it has been read: who has sent
/// too much is read again when that is paid off.
class peer_rate {
public:
  using clock = token_bucket::clock;

  /// A second's worth at once.
  peer_rate(double messages_per_second, double bytes_per_second)
      : messages_(messages_per_second, messages_per_second),
        bytes_(bytes_per_second, bytes_per_second) {}

  clock::duration wait(clock::time_point now) {
    return std::max(messages_.wait(now), bytes_.wait(now));
  }
  void take(clock::time_point now, double messages, double bytes) {
    messages_.take(now, messages);
    bytes_.take(now, bytes);
  }

private:
  token_bucket messages_;
  token_bucket bytes_;
};

} // namespace holdfast::link
