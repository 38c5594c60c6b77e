#pragma once

#include "actors/request_note.hpp"
#include "messages/errors.hpp"

#include <caf/actor.hpp>
#include <caf/response_promise.hpp>

#include <memory>
#include <string>
#include <utility>

namespace holdfast::actors {

/// A response promise that waits for something: for a unit to be loaded, for another actor. CAF
/// 0.17 does not notice when a promise is dropped, and the requester would wait until its timeout;
/// this one is answered `unavailable` when its last copy goes, as all do when their actor ends.
///
/// It keeps the note of the request that its actor is handling when it is made.
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
  /// The same for the request itself, to an actor that takes it `with_notes`.
  template <class Message>
  void delegate_noted(const caf::actor& to, Message&& message) const {
    if (auto note = take_note())
      delegate(to,
               noted_request{std::move(note), caf::make_message(std::forward<Message>(message))});
    else
      delegate(to, std::forward<Message>(message));
  }

  /// The change with the note of the request, once: a request leaves one entry in the audit log,
  /// with the first change that it makes.
  core::change noted(core::change changes) const {
    return changes.empty() ? changes : actors::noted(std::move(changes), take_note());
  }
  /// The principal whom the note names; empty where there is no note (any more).
  std::string asked_by() const {
    return slot_->note.audit ? slot_->note.audit->who : std::string{};
  }
  /// The note, for a change that somebody else makes; empty where there is none (any more).
  request_note take_note() const { return std::exchange(slot_->note, {}); }

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
    caf::response_promise take() {
      if (note.decision) // nothing is written for it
        note.decision->end();
      return std::exchange(promise_, {});
    }

    request_note note = note_in_hand::get();

  private:
    caf::response_promise promise_;
  };

  std::shared_ptr<slot> slot_;
};

} // namespace holdfast::actors
