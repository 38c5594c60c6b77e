#pragma once

#include "http/request_reader.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// Answers whose body is made while it is sent: lists of any length, and events.
///
/// A handler begins a stream in place of `call::answer`, and writes pieces:
///
///   auto stream = call->begin_stream({200, "application/x-ndjson", {}});
///   stream->on_end([subscription] { subscription->cancel(); });      // the client has gone
///   stream->on_drain([stream] { stream->write(hint()); stream->finish(); });
///   stream->write(first_piece(), [this, stream] { write_next(stream); });
///
/// A producer with much to write makes the next piece only when `room_again` runs. A producer of
/// events may write without waiting: `full` says that the client reads too slowly, and the event
/// is still the producer's, to be kept, merged or dropped, or the reason to `finish`.
///
/// A producer that has nothing to say for long writes a comment of its format every 15 to 30
/// seconds, which also finds a client that has vanished: a stream without a piece for
/// `server_limits::answer_deadline` is cut.
namespace holdfast::http {

/// The status line and the header of a streamed answer. Fields that frame the body are the
/// server's.
struct stream_head {
  unsigned status = 200;
  std::string content_type;
  std::vector<parameter> headers;
};

/// The fate of a piece.
enum class write_result : std::uint8_t {
  taken, ///< It will be sent.
  full,  ///< Nothing was taken: `server_limits::stream_bytes_max` bytes wait for the client.
  ended, ///< Nothing was taken, nor will be: the stream has ended.
};

/// The body of one streamed answer. Safe to use from several threads; pieces are sent in the order
/// in which they are taken, each at once. No function that it is given runs within a call of the
/// same stream, but for `on_end` and `on_drain` where that has happened before. Functions run on a
/// thread of the server, must not block and must not throw; those that can run no more are dropped,
/// so they may hold the stream itself.
///
/// To let go of a stream without `finish` aborts it.
class answer_stream {
public:
  virtual ~answer_stream() = default;

  /// The next piece of the body, of any size. `room_again` is kept unless the stream has ended, in
  /// place of one from before, and runs once when a piece would be taken. It may be empty.
  /// `piece` stays as it is where the result is `full`. An empty one sends nothing, and shows that
  /// the producer is at work.
  virtual write_result write(std::string&& piece, std::function<void()> room_again) = 0;
  write_result write(std::string&& piece) { return write(std::move(piece), nullptr); }

  /// The body is complete: the pieces that wait are sent, and the client sees a whole answer.
  virtual void finish() = 0;
  /// The body cannot be completed: the pieces that wait are sent, and the connection is closed so
  /// that the client sees that the answer is cut: without the last chunk, or by a reset where an
  /// HTTP/1.0 client takes the end of the connection for the end of the body.
  virtual void abort() = 0;

  /// Has `then` run once if the stream ends otherwise than by `finish` and `abort`: the client has
  /// closed its connection, or its side of it, or does not read; the producer was silent for too
  /// long; the server is destroyed; or the request was `HEAD`, which wants no body. At most one is
  /// kept, the last.
  virtual void on_end(std::function<void()> then) = 0;
  /// Has `then` run once when the server begins to drain. A stream without an end of its own must
  /// finish then, with a hint to come again; one with an end may go on until it is reached. At most
  /// one is kept, the last.
  virtual void on_drain(std::function<void()> then) = 0;
};
using answer_stream_ptr = std::shared_ptr<answer_stream>;

} // namespace holdfast::http
