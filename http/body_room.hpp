#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace holdfast::http {

/// The memory that request bodies may take together. Safe to use from several threads.
class body_room {
public:
  explicit body_room(std::uint64_t most) : free_(most) {}

  /// False when so much is not free; then nothing is taken.
  bool take(std::uint64_t bytes) {
    auto there = free_.load(std::memory_order_relaxed);
    while (there >= bytes)
      if (free_.compare_exchange_weak(there, there - bytes, std::memory_order_relaxed))
        return true;
    return false;
  }
  void give_back(std::uint64_t bytes) { free_.fetch_add(bytes, std::memory_order_relaxed); }
  std::uint64_t bytes_free() const { return free_.load(std::memory_order_relaxed); }

private:
  std::atomic<std::uint64_t> free_;
};

/// The part of the room that one body takes. It is given back when the share is destroyed, with the
/// body.
class body_share {
public:
  explicit body_share(std::shared_ptr<body_room> room) : room_(std::move(room)) {}
  body_share(body_share&& other) noexcept
      : room_(std::move(other.room_)), bytes_(std::exchange(other.bytes_, 0)) {}
  body_share& operator=(body_share&&) = delete;
  ~body_share() {
    if (bytes_ > 0)
      room_->give_back(bytes_);
  }

  /// False when there is no room for so much more.
  bool take(std::uint64_t bytes) {
    if (!room_->take(bytes))
      return false;
    bytes_ += bytes;
    return true;
  }
  std::uint64_t bytes() const { return bytes_; }

private:
  std::shared_ptr<body_room> room_;
  std::uint64_t bytes_ = 0;
};

} // namespace holdfast::http
