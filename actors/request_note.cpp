#include "actors/request_note.hpp"

namespace holdfast::actors {

namespace {

request_note& note_of_thread() {
  thread_local request_note note;
  return note;
}

} // namespace

note_in_hand::note_in_hand(request_note note)
    : before_(std::exchange(note_of_thread(), std::move(note))) {
  if (const auto& decision = get().decision)
    decision->begin();
}

note_in_hand::~note_in_hand() { note_of_thread() = std::move(before_); }

const request_note& note_in_hand::get() { return note_of_thread(); }

core::change noted(core::change changes, const request_note& note) {
  if (changes.empty())
    return changes;
  if (note.audit)
    changes.writes.emplace_back(*note.audit);
  if (note.decision) {
    changes.trace = note.decision->place();
    note.decision->end();
  }
  return changes;
}

} // namespace holdfast::actors
