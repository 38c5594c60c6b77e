#pragma once

#include "link/frame_validator.hpp"
#include "link/payload_room.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

namespace holdfast::link {

/// Bounds the requests of peers that wait in the process behind, in bytes: of all peers and of each
/// one. CAF parses a request and puts it into the mailbox of its actor, which has no bound. So a
/// request passes when there is room for it, and takes the room until its answer passes.
///
/// A request without an answer takes the room for `counted_for` and no longer: the process may have
/// answered over a connection that is gone, or the request may wait for something to happen, such
/// as a claim for a task. Such requests wait in no mailbox. The end of a connection frees only
/// the request that has not come to its end, because the process goes on with the others.
///
/// On one thread.
class waiting_requests {
public:
  using clock = std::chrono::steady_clock;
  using process = std::array<char, node_key::size>; ///< As in its greeting.

  /// As long as a node waits inside itself for an answer at most.
  static constexpr auto counted_for = std::chrono::seconds{30};
  /// About as much as a small request takes in the mailbox and here, besides its payload.
  static constexpr std::uint64_t bytes_of_each = 512;

  waiting_requests(std::uint64_t bytes_max, std::uint64_t bytes_per_peer_max)
      : room_(bytes_max, bytes_per_peer_max) {}

  /// Room for one more request; see `payload_room::ask`.
  std::unique_ptr<payload_room::share> ask(const std::string& peer, std::uint64_t payload_bytes,
                                           clock::time_point now, std::function<void()> granted) {
    while (!in_order_.empty() && in_order_.front().since + counted_for <= now)
      forget(known_.find(in_order_.front().request));
    return room_.ask(peer, payload_bytes + bytes_of_each, std::move(granted));
  }

  /// The request goes on to the process, in the room that was granted for it; for `unfinished`.
  std::uint64_t passed(const process& from, const request_key& request, clock::time_point now,
                       std::unique_ptr<payload_room::share> room) {
    const key named{from, request.actor, request.number};
    in_order_.push_back({named, now, ++last_serial_, std::move(room)});
    known_.emplace(named, --in_order_.end());
    return last_serial_;
  }

  /// The rest of the request will not come, so the process throws it away.
  void unfinished(const process& from, const request_key& request, std::uint64_t serial) {
    const auto [first, end] = known_.equal_range(key{from, request.actor, request.number});
    const auto found = std::find_if(
        first, end, [serial](const auto& one) { return one.second->serial == serial; });
    if (found != end)
      forget(found);
  }

  /// Its answer has come. A peer that gives several requests one number has one of them answered.
  void answered(const process& from, const request_key& request) {
    const auto found = known_.find(key{from, request.actor, request.number});
    if (found != known_.end())
      forget(found);
  }

  std::uint64_t held() const { return room_.held(); }

private:
  using key = std::tuple<process, std::uint64_t, std::uint64_t>;
  struct entry {
    key request;
    clock::time_point since;
    std::uint64_t serial;
    std::unique_ptr<payload_room::share> room;
  };
  using index = std::multimap<key, std::list<entry>::iterator>;

  /// The room last: whoever waits for it is granted it on the way.
  void forget(index::iterator known) {
    const auto room = std::move(known->second->room);
    in_order_.erase(known->second);
    known_.erase(known);
  }

  payload_room room_;
  std::list<entry> in_order_; ///< The oldest first. After `room_`, which outlives its shares.
  index known_;
  std::uint64_t last_serial_ = 0;
};

} // namespace holdfast::link
