#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::link {

/// The bytes that payloads under way to the process behind may take up there, over all connections.
/// CAF takes memory for a payload when it has read the header; so a header passes when there is
/// room for what it announces, and the room is free again when the payload has passed. A peer has a
/// part, so that no single one can keep the others waiting.
///
/// First come, first served, but for those who wait for their own part. On one thread.
class payload_room {
public:
  /// Smaller payloads need no room: a connection has one at a time.
  static constexpr std::uint32_t free_bytes = 64U * 1024;

  payload_room(std::uint64_t bytes_max, std::uint64_t bytes_per_peer_max)
      : bytes_max_(bytes_max), bytes_per_peer_max_(std::min(bytes_max, bytes_per_peer_max)) {}
  payload_room(const payload_room&) = delete;
  payload_room& operator=(const payload_room&) = delete;

  /// Room for one payload, from the call to its end; granted when there is some.
  class share {
  public:
    share(payload_room& room, std::string peer, std::uint64_t bytes, std::function<void()> granted)
        : room_(room), peer_(std::move(peer)), bytes_(bytes), on_granted_(std::move(granted)) {}
    share(const share&) = delete;
    share& operator=(const share&) = delete;
    ~share() { room_.end(*this); }

    bool granted() const { return granted_; }

  private:
    friend class payload_room;

    payload_room& room_;
    const std::string peer_;
    const std::uint64_t bytes_;
    std::function<void()> on_granted_;
    bool granted_ = false;
  };

  /// A payload alone always finds room in the end, also one that is larger than its peer's part.
  /// `granted` is called later, and only if the share has to wait; it may end shares. The room
  /// must outlive them all.
  std::unique_ptr<share> ask(const std::string& peer, std::uint64_t bytes,
                             std::function<void()> granted) {
    auto made = std::make_unique<share>(*this, peer, std::min(bytes, bytes_per_peer_max_),
                                        std::move(granted));
    waiting_.push_back(made.get());
    grant(made.get());
    return made;
  }

  std::uint64_t held() const { return held_; }

private:
  void end(share& one) {
    if (!one.granted_) {
      waiting_.remove(&one);
    } else {
      held_ -= one.bytes_;
      const auto of_peer = by_peer_.find(one.peer_);
      if ((of_peer->second -= one.bytes_) == 0)
        by_peer_.erase(of_peer);
    }
    grant(nullptr);
  }

  /// The first of those who wait that may go; null when none may.
  share* next() {
    for (auto* one : waiting_) {
      const auto of_peer = by_peer_.find(one->peer_);
      if (of_peer != by_peer_.end() && of_peer->second + one->bytes_ > bytes_per_peer_max_)
        continue;
      return held_ + one->bytes_ <= bytes_max_ ? one : nullptr;
    }
    return nullptr;
  }

  /// `asking` hears of it by the return of its call.
  void grant(const share* asking) {
    while (auto* one = next()) {
      waiting_.remove(one);
      one->granted_ = true;
      held_ += one->bytes_;
      by_peer_[one->peer_] += one->bytes_;
      if (one != asking)
        one->on_granted_();
    }
  }

  const std::uint64_t bytes_max_;
  const std::uint64_t bytes_per_peer_max_;
  std::uint64_t held_ = 0;
  std::map<std::string, std::uint64_t> by_peer_;
  std::list<share*> waiting_;
};

} // namespace holdfast::link
