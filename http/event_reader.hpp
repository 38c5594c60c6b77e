#pragma once

#include "core/change.hpp"
#include "core/errors.hpp"
#include "http/event_cursor.hpp"
#include "http/told_event.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace holdfast::http {

/// The place to which a reader's events go. For the thread of the hub alone, but for `is_over`.
class event_sink {
public:
  virtual ~event_sink() = default;

  /// The next event that is wanted; `cursor` is the place behind it. False: there is no room for
  /// it, and it comes again after `event_hub::go_on`.
  virtual bool take(const told_event& event, const std::string& cursor) = 0;
  /// There is nothing more at once: every wanted event up to `cursor` has been taken. `is_newest`:
  /// that is all there is for now.
  virtual void rest(const std::string& cursor, bool is_newest) = 0;
  /// Some time has passed in which nothing happened; `cursor` as of the last rest.
  virtual void idle(const std::string& cursor) = 0;
  /// The events cannot be read: nothing comes any more.
  virtual void fail(const core::failure& why) = 0;
  /// Nothing is wanted any more. On any thread.
  virtual bool is_over() const = 0;
};

/// One reader of the events of all shards.
///
///   catching up ──has all that is not in the ring──► live
///        ▲                                            │
///        └────────── the ring has gone on ────────────┘
struct event_reader {
  event_reader(event_filter wanted, std::shared_ptr<event_sink> to)
      : filter(std::move(wanted)), sink(std::move(to)) {}

  const event_filter filter;
  const std::shared_ptr<event_sink> sink;

  core::event_start from = core::event_start::newest; ///< `after`: `at` is given.
  event_positions at;                                 ///< While it catches up.
  /// Of each shard: whether `at` is a position of it, as the shard itself has said.
  std::vector<bool> known;

  bool live = false;
  std::uint64_t next = 0; ///< Of the ring, while it is live.
  told_event_ptr last;    ///< Of the ring, the last that it has passed; null: it is at `at`.

  bool paused = false; ///< Its sink has no room.
  bool busy = false;   ///< It reads by itself, or waits to do so.
};
using event_reader_ptr = std::shared_ptr<event_reader>;

} // namespace holdfast::http
