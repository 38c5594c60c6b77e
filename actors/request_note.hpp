#pragma once

#include "actors/decision_span.hpp"
#include "core/audit.hpp"
#include "core/change.hpp"
#include "messages/errors.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/message.hpp>

#include <memory>
#include <utility>

/// The way of a note for the audit log, and of a trace: from the gateway, which knows who has sent
/// a request, to the change that the request leads to, in whatever actor that is decided.
///
///     gateway ─ noted_request ─► actor ─ note_in_hand ─► held_promise ─ noted() ─► core::change
namespace holdfast::actors {

/// The audit entry and the span of a request, for its change. Empty for most requests.
struct request_note {
  /// The entry in the audit log; null: it leaves none.
  std::shared_ptr<const core::insert_audit> audit;
  /// The span of its decision; null: it is not traced.
  decision_span_ptr decision;

  explicit operator bool() const { return audit != nullptr || decision != nullptr; }
};

/// Inside the node: a request with its note. Answered as the request is.
struct noted_request {
  request_note note;
  caf::message content;
};

/// The note of the request that an actor is handling on this thread. An actor handles a message
/// without a pause on one thread; what it does later has its note from a `held_promise`.
class note_in_hand {
public:
  explicit note_in_hand(request_note note);
  note_in_hand(const note_in_hand&) = delete;
  note_in_hand& operator=(const note_in_hand&) = delete;
  ~note_in_hand();

  /// Empty: the actor handles something else, or a request without a note.
  static const request_note& get();

private:
  request_note before_;
};

/// The change with the note, so that both become durable together, and the decision is over. No
/// change, no note: a request that changes nothing leaves no entry.
core::change noted(core::change changes, const request_note& note);

/// The handler of an actor whose other handlers take the requests themselves, and answer them by
/// promises.
template <class Self>
auto with_notes(Self* self) {
  return [self](noted_request& m) {
    const note_in_hand note{std::move(m.note)};
    if (!self->bhvr_stack().back()(m.content))
      self->make_response_promise().deliver(
          msg::to_error(core::errc::invalid_argument, "this actor knows no such request"));
  };
}

} // namespace holdfast::actors

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::noted_request)
