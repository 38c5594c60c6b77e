#pragma once

#include "http/answer_stream.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <utility>

namespace holdfast::http {

/// The bytes of one streamed answer on their way from its producer, on any thread, to its
/// connection, on a thread of the server. Safe to use from several threads.
///
///   open ──finish──► finished
///     ├────abort───► aborted
///     └────end─────► ended
///
/// The connection sends what waits in `finished` and `aborted`, too. No function of the producer
/// runs, and none is destroyed, while the mutex is held.
class stream_pipe {
public:
  /// `bytes_max`: no piece is admitted while so many bytes wait or are being sent.
  explicit stream_pipe(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  // --- for the producer ---

  /// Whether a piece may be `put`. Where there is no room, `room_again` is kept, and the function
  /// from before comes back in its place.
  write_result admit(std::function<void()>& room_again);
  /// Adds bytes, whether there is room or not, and keeps `room_again` as `admit` does. Empty ones
  /// show that the producer is alive.
  write_result put(std::string bytes, std::function<void()>& room_again);
  /// `last` still belongs to the body.
  void finish(std::string last);
  void abort();
  void on_end(std::function<void()> then);
  void on_drain(std::function<void()> then);

  // --- for the connection ---

  enum class state : std::uint8_t { open, finished, aborted, ended };
  struct taken {
    std::string bytes;
    state then; ///< Unless open, nothing comes behind the bytes.
  };

  /// Has `notify` run whenever there is something to take, or the stream is over: once for each
  /// `take`. It must not block and must not call back: it runs under the mutex, so that it has
  /// ended when `end` returns.
  void attach(std::function<void()> notify);
  /// All bytes that wait. They count as waiting until they are `sent`.
  taken take();
  void sent(std::size_t bytes);
  /// Runs the function that waits for room, if there is some.
  void offer_room();
  void drain();
  /// The connection takes nothing any more.
  void end();

private:
  struct functions {
    std::function<void()> room_again;
    std::function<void()> end;
    std::function<void()> drain;
  };

  void wake();
  /// Leaves `open`. The functions are to be destroyed without the mutex.
  functions leave_open(state next);

  const std::size_t bytes_max_;
  std::mutex mutex_;
  state state_ = state::open;
  std::string waiting_;
  std::size_t bytes_ = 0; ///< That wait or are being sent.
  bool is_woken_ = false;
  bool is_drained_ = false;
  functions kept_;
  std::function<void()> notify_;
};

} // namespace holdfast::http
