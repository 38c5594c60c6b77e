#pragma once

#include "core/ids.hpp"
#include "messages/event_messages.hpp"

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace holdfast::http {

/// An event as readers get it, encoded once for all of them.
struct told_event {
  core::shard_id shard = 0;
  core::event_seq seq = 0;
  std::string type;
  core::step_id step;          ///< Nil: the event names none.
  core::unit_id unit;          ///< Nil: the event names none.
  core::queue_name queue;      ///< Empty: the event is not about a task.
  std::string text;            ///< `{"shard":…,"seq":…,"event":{…}}`
  std::size_t event_begin = 0; ///< Of the event in `text`.
  /// The cursor of a reader who has got all events up to this one; empty for one that is read for a
  /// single reader.
  std::string cursor;

  /// The event alone.
  std::string event() const { return text.substr(event_begin, text.size() - event_begin - 1); }
};
using told_event_ptr = std::shared_ptr<const told_event>;

told_event told(core::shard_id shard, const msg::published_event& event);

/// The events that a reader wants.
struct event_filter {
  std::set<std::string> types; ///< Empty: all.
  core::workflow_id workflow;  ///< Nil: of all.
  core::step_id step;          ///< Nil: of all.
  core::unit_id unit;          ///< Nil: of all.
  core::queue_name queue;      ///< Of its tasks alone; empty: of all, and of steps.

  /// Of any workflow, which is looked up later. An event that cannot be read may stand for one that
  /// is wanted.
  bool wants(const told_event& event) const;
};

/// The type of events that stand for one that cannot be read.
bool is_unreadable(const told_event& event);

} // namespace holdfast::http
