#pragma once

#include "http/body_room.hpp"
#include "http/call.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace holdfast::http {

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
  using delivery = std::function<void(std::optional<response>)>;

  explicit exchange(delivery how) : deliver_(std::move(how)) {}

  // --- for the call ---

  /// The first answer is delivered; further ones are ignored.
  void answer(response with);
  /// The call ends: without an answer so far, there will be none.
  void give_up();
  /// Keeps `then`, or runs it at once when the client has gone.
  void on_abandoned(std::function<void()> then);
  void note_route(std::string_view name);

  // --- for the connection ---

  /// Empty before the route is known.
  std::string_view route();

  /// The client has gone: runs the function that is kept. An answer is delivered all the same.
  void abandon();
  /// Nothing is delivered any more, and the function that is kept is dropped.
  void detach();

private:
  void deliver(std::optional<response> with);

  std::mutex mutex_;
  delivery deliver_; ///< Empty once used, or detached.
  std::function<void()> then_;
  std::string_view route_;
  bool abandoned_ = false;
  bool detached_ = false;
};

/// The call that the handler of requests gets.
class open_call final : public call {
public:
  open_call(std::shared_ptr<exchange> of, request from, body_share share)
      : exchange_(std::move(of)), share_(std::move(share)), asked_(std::move(from)) {}
  ~open_call() override { exchange_->give_up(); }
  open_call(const open_call&) = delete;
  open_call& operator=(const open_call&) = delete;

  const request& asked() const override { return asked_; }
  void answer(response with) override { exchange_->answer(std::move(with)); }
  void on_route(std::string_view name) override { exchange_->note_route(name); }
  void on_abandoned(std::function<void()> then) override {
    exchange_->on_abandoned(std::move(then));
  }

private:
  const std::shared_ptr<exchange> exchange_;
  const body_share share_;
  const request asked_; ///< Destroyed before its share of the room is given back.
};

} // namespace holdfast::http
