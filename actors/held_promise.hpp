#pragma once

#include "messages/errors.hpp"

#include <caf/actor.hpp>
#include <caf/response_promise.hpp>

#include <memory>
#include <utility>

namespace holdfast::actors {

/// A response promise that waits for something: for a unit to be loaded, for another actor. CAF
/// 0.17 does not notice when a promise is dropped, and the requester would wait until its timeout;
/// this one is answered `unavailable` when its last copy goes, as all do when their actor ends.
class held_promise {
public:
  explicit held_promise(caf::response_promise promise)
      : slot_(std::make_shared<slot>(std::move(promise))) {}

  template <class Answer>
  void deliver(Answer&& answer) const {
    slot_->take().deliver(std::forward<Answer>(answer));
  }
  /// Whoever gets it answers from now on.
  caf::response_promise take() const { return slot_->take(); }
  /// `to` answers in this actor's place.
  template <class Message>
  void delegate(const caf::actor& to, Message&& message) const {
    slot_->take().delegate(to, std::forward<Message>(message));
  }

private:
  class slot {
  public:
    explicit slot(caf::response_promise promise) : promise_(std::move(promise)) {}
    slot(const slot&) = delete;
    slot& operator=(const slot&) = delete;
    ~slot() {
      if (promise_.pending())
        promise_.deliver(
            msg::to_error(core::errc::unavailable, "the actor ended before it could answer"));
    }
    /// The promise, leaving an empty one: a second answer goes nowhere.
    caf::response_promise take() { return std::exchange(promise_, {}); }

  private:
    caf::response_promise promise_;
  };

  std::shared_ptr<slot> slot_;
};

} // namespace holdfast::actors
