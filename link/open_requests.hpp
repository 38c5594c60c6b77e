#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string_view>
#include <unordered_map>

namespace holdfast::link {

/// The requests of this process to others that have not been answered: to which process, by which
/// actor, under which of CAF's numbers. Only who was asked may answer: a response to any other
/// request would be taken by its actor for that of somebody else. One for all connections, because
/// CAF may answer over another one than it was asked over. Safe to use from several threads.
class open_requests {
public:
  /// Beyond that the oldest is forgotten, and its answer with it. Requests that time out stay until
  /// then.
  static constexpr std::size_t most = 131'072;

  using process = std::array<char, 32>; ///< As in its greeting.

  struct request {
    process to{};
    std::uint64_t actor = 0;
    std::uint64_t number = 0;

    friend bool operator==(const request& a, const request& b) {
      return a.actor == b.actor && a.number == b.number && a.to == b.to;
    }
  };

  /// Those of this process.
  static open_requests& of_process() {
    static open_requests all;
    return all;
  }

  void asked(const request& one) {
    const std::lock_guard lock{mutex_};
    if (known_.count(one) != 0)
      return;
    order_.push_back(one);
    known_.emplace(one, --order_.end());
    if (order_.size() <= most)
      return;
    known_.erase(order_.front());
    order_.pop_front();
  }

  /// Whether the actor waits for this answer; it does so once.
  bool answered(const request& one) {
    const std::lock_guard lock{mutex_};
    const auto found = known_.find(one);
    if (found == known_.end())
      return false;
    order_.erase(found->second);
    known_.erase(found);
    return true;
  }

  std::size_t size() const {
    const std::lock_guard lock{mutex_};
    return order_.size();
  }

private:
  struct hash {
    std::size_t operator()(const request& one) const {
      const std::string_view to{one.to.data(), one.to.size()};
      return std::hash<std::string_view>{}(to)
             ^ static_cast<std::size_t>((one.actor * 0x9e3779b97f4a7c15U) ^ one.number);
    }
  };

  mutable std::mutex mutex_;
  std::list<request> order_;
  std::unordered_map<request, std::list<request>::iterator, hash> known_;
};

} // namespace holdfast::link
