#pragma once

#include "http/body_room.hpp"
#include "http/call.hpp"
#include "http/content_coding.hpp"
#include "http/server_options.hpp"
#include "http/stream_pipe.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace holdfast::http {

/// An answer on its way to the connection.
struct outgoing {
  response head; ///< The whole answer unless there is a pipe, which has its body.
  std::shared_ptr<stream_pipe> pipe;
};

/// One request between its call, which any thread may hold for as long as it likes, and its
/// connection, which may end before. Safe to use from several threads.
///
///   waiting ──answer, give_up──► answered
///
/// `abandon` and `detach` come from the connection in either state. No function that is called on
/// behalf of a user runs, and none is destroyed, while the mutex is held.
class exchange {
public:
  /// Hands the answer to the connection; none: the call ended without one. Must not block and must
  /// not call back: it runs under the mutex, so that it has ended when `detach` returns.
  using delivery = std::function<void(std::optional<outgoing>)>;

  explicit exchange(delivery how) : deliver_(std::move(how)) {}

  // --- for the call ---

  /// The first answer is delivered; further ones are ignored.
  void answer(response with);
  /// The same with a body that follows. The pipe has ended where an answer was there before.
  std::shared_ptr<stream_pipe> begin_stream(response head, std::size_t bytes_max);
  /// The call ends: without an answer so far, there will be none.
  void give_up();
  /// Keeps `then`, or runs it at once when the client has gone.
  void on_abandoned(std::function<void()> then);
  void note_route(std::string_view name);

  // --- for the connection ---

  /// Empty before the route is known.
  std::string_view route();

  /// The client has gone: ends the stream, and runs the function that is kept. A whole answer is
  /// delivered all the same.
  void abandon();
  /// Nothing is delivered any more, the stream has ended, and the function that is kept is dropped.
  void detach();

private:
  /// Whether it was the first answer.
  bool deliver(std::optional<outgoing> with);

  std::mutex mutex_;
  delivery deliver_;                  ///< Empty once used, or detached.
  std::shared_ptr<stream_pipe> pipe_; ///< Of an answer that is streamed.
  std::function<void()> then_;
  std::string_view route_;
  bool abandoned_ = false;
  bool detached_ = false;
};

/// The stream that a producer writes to: packs the pieces where the client wants that.
class open_stream final : public answer_stream {
public:
  open_stream(std::shared_ptr<stream_pipe> of, content_coding how)
      : pipe_(std::move(of)), encoder_(piece_encoder::make(how)) {}
  ~open_stream() override { pipe_->abort(); }
  open_stream(const open_stream&) = delete;
  open_stream& operator=(const open_stream&) = delete;

  using answer_stream::write;
  write_result write(std::string&& piece, std::function<void()> room_again) override;
  void finish() override;
  void abort() override { pipe_->abort(); }
  void on_end(std::function<void()> then) override { pipe_->on_end(std::move(then)); }
  void on_drain(std::function<void()> then) override { pipe_->on_drain(std::move(then)); }

private:
  const std::shared_ptr<stream_pipe> pipe_;
  std::mutex mutex_; ///< Keeps the pieces in the order in which they are packed.
  const std::unique_ptr<piece_encoder> encoder_;
};

/// The call that the handler of requests gets.
class open_call final : public call {
public:
  open_call(std::shared_ptr<exchange> of, request from, body_share share,
            const server_limits& limits);
  ~open_call() override { exchange_->give_up(); }
  open_call(const open_call&) = delete;
  open_call& operator=(const open_call&) = delete;

  const request& asked() const override { return asked_; }
  std::optional<response> unpack_body() override;
  void answer(response with) override;
  answer_stream_ptr begin_stream(stream_head head) override;
  void on_route(std::string_view name) override { exchange_->note_route(name); }
  void on_abandoned(std::function<void()> then) override {
    exchange_->on_abandoned(std::move(then));
  }

private:
  const std::shared_ptr<exchange> exchange_;
  body_share share_;
  request asked_;               ///< Destroyed before its share of the room is given back.
  const content_coding coding_; ///< Of the answer.
  const std::size_t body_bytes_max_;
  const std::size_t stream_bytes_max_;
};

} // namespace holdfast::http
