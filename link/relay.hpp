#pragma once

// For the files of this folder alone: whoever includes it pays for all of Boost.Asio.

#include "link/fault_injector.hpp"
#include "link/frame_validator.hpp"
#include "link/payload_room.hpp"
#include "link/report.hpp"
#include "link/token_bucket.hpp"
#include "link/waiting_requests.hpp"
#include "link/wire.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::link {

/// How a connection ended; neither a refusal nor a fault when one side has hung up.
struct relay_end {
  std::optional<refusal> why;
  frame_fault fault = frame_fault::none;
  std::string what; ///< When a side hung up in another way than by closing.
};

struct relay_settings {
  /// Until both sides have greeted.
  std::chrono::steady_clock::duration greeting_deadline;
  /// For one piece to be taken by the side that it is for.
  std::chrono::steady_clock::duration stall_deadline;
  /// Whether the process behind this key may be the other end; asked at its greeting.
  std::function<bool(const node_key&)> admit_dialer;
  /// Whether the dialer has proven to be a node. Else it may not say what only nodes say.
  bool dialer_is_node = true;
  core::role_set dialer_roles = core::role_set::all(); ///< Of one that is no node.
  sender own = sender::listener;                       ///< The end that is this process.
  const published_actors* published = nullptr;         ///< Its actors that take messages.
  open_requests* open = nullptr;                       ///< Its requests.
  std::shared_ptr<peer_rate> rate; ///< Of the dialer, shared by its connections; null: no bound.
  /// For what comes from the dialer, shared by all connections; null: no bound.
  std::shared_ptr<payload_room> room;
  /// For the requests of the dialer until they are answered, likewise.
  std::shared_ptr<waiting_requests> waiting;
  std::string peer; ///< The dialer, to whom the room is given.
  /// For a payload or request to wait for room.
  std::chrono::steady_clock::duration room_deadline{};
  std::size_t actors_max = std::numeric_limits<std::size_t>::max(); ///< See `conversation`.
  /// Called when the dialer waits because of its `rate`, of `payloads` or of `requests`; may be
  /// empty.
  std::function<void(std::string_view why)> slowed;
  std::function<void(const relay_end&)> ended; ///< Called once.
  std::shared_ptr<fault_injector> faults;      ///< Null outside tests.
};

/// Two connections that are one for who is at their ends, as long as what they say is fit for CAF.
/// Each direction holds one piece at a time and reads the next when that was taken: a slow reader
/// slows its writer down, and nothing piles up here. Nor behind: a large payload waits for room.
class relay : public std::enable_shared_from_this<relay> {
public:
  relay(boost::asio::io_context& io, std::unique_ptr<wire> dialer, std::unique_ptr<wire> listener,
        link_counters& counters, relay_settings settings);

  /// `of_listener` is what the listener has said already, at most `piece_bytes` of it.
  void start(std::string_view of_listener = {});
  /// Ends it as if one side had hung up. On the io thread.
  void close() { end(relay_end{}); }
  void end(const relay_end& how);

  /// The one on whose certificate everything rests for who was dialed.
  wire& dialer() { return *dialer_; }
  /// The same for who has dialed.
  wire& listener() { return *listener_; }

  /// Largest piece that is read at once: what one record of TLS carries.
  static constexpr std::size_t piece_bytes = 16 * 1024;

private:
  struct direction {
    sender from;
    wire& source;
    wire& target;
    frame_validator validator;
    link_counters::number& bytes;
    boost::asio::steady_timer pause;
    std::array<char, piece_bytes> read{};
    std::array<char, piece_bytes + frame_validator::held_bytes_max> ready{};
    std::size_t ready_bytes = 0;
    std::string_view unjudged{}; ///< Of what was read.
    std::string_view judged{};   ///< A header that waits for room, and what follows.
    std::unique_ptr<payload_room::share> room{};  ///< Of the payload under way, if it needs some.
    std::unique_ptr<payload_room::share> waits{}; ///< Of the request that is to pass next, if any.
    std::optional<request_key> asks{}; ///< That request, or the one whose payload passes.
    std::uint64_t asks_serial = 0;     ///< Among `waiting_requests`, once it passes.
    std::uint64_t frames_counted = 0;
    std::uint64_t dropped_counted = 0;
    bool greeted = false;
    std::chrono::steady_clock::time_point writing_since{}; ///< Of the piece under way, if any.
  };

  /// Reads the next piece, when the sender may send one.
  void read_when_due(direction& way);
  void note_slowed(std::string_view why);
  void read(direction& way);
  void end_of_stream(const boost::system::error_code& error);
  void on_read(direction& way, std::size_t bytes);
  /// Judges what was read, up to a payload for which there is no room; false when that was the end.
  bool judge(direction& way);
  void pass(direction& way, std::string_view bytes);
  /// Whether the frame that has just been announced may pass now; else it waits.
  bool finds_room(direction& way, const frame_validator::step& announced);
  /// The same once more: whether there is all the room that the frame needs.
  bool has_room(direction& way);
  void wait_for_room(direction& way);
  void on_room(direction& way);
  void go_on(direction& way);
  void count(direction& way, std::size_t bytes);
  bool greeting_admitted(direction& way);
  void forward(direction& way);
  void write(direction& way);
  /// The piece is written, or nothing of it was to be.
  void after_piece(direction& way);
  void watch_for_stalls();
  void on_stall_check();

  boost::asio::io_context& io_;
  std::unique_ptr<wire> dialer_;
  std::unique_ptr<wire> listener_;
  link_counters& counters_;
  relay_settings settings_;
  conversation shared_;
  direction of_dialer_;
  direction of_listener_;
  boost::asio::steady_timer greeting_;
  boost::asio::steady_timer stall_;
  bool stall_watched_ = false;
  bool ended_ = false;
  std::uint64_t number_ = 0; ///< That of the fault injector.
};

} // namespace holdfast::link
