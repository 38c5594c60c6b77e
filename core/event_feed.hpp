#pragma once

#include "core/change.hpp"
#include "core/outcome.hpp"

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::core {

/// Numbers that no event of a shard has: a generation of the database begins behind them.
struct event_gap {
  event_seq first = 0;
  event_seq last = 0;
};

/// Which events of a shard are kept: those after `pruned`, up to and including `newest`, but for
/// the gaps between them.
struct event_bounds {
  event_seq pruned = 0;
  event_seq newest = 0;
  std::vector<event_gap> gaps{}; ///< Ascending.

  /// `position`, or the end of the gap that it lies before or in.
  event_seq past_gaps(event_seq position) const;
};

struct event_place {
  event_start from = event_start::after;
  event_seq after = 0; ///< The position, of `event_start::after`.

  friend bool operator==(const event_place& a, const event_place& b) {
    return a.from == b.from && a.after == b.after;
  }
};

/// The position behind which reading begins.
event_seq beginning_of(const event_place& place, const event_bounds& bounds);

/// What a subscriber wants of a shard.
struct event_wish {
  event_place place;
  std::uint32_t limit = 1;          ///< Events of the page.
  std::vector<step_id> steps;       ///< Empty: of all.
  std::vector<event_type> types;    ///< Empty: all. `event_unreadable` comes to all.
  std::vector<queue_name> queues{}; ///< Of tasks of these alone; empty: of all, and of steps.
  queue_name but_of{};              ///< None of tasks of this queue; empty: of any.
  bool tasks = true;                ///< False: none of tasks.
};

/// An event as it is published, shared by the subscribers who get it.
struct feed_event {
  event_seq seq = 0;
  event_type type{};
  step_id step;
  queue_name queue; ///< Empty: it is not about a task.
  std::string json;
};
using feed_event_ptr = std::shared_ptr<const feed_event>;

/// What a subscriber gets: every event it wants behind the position it came from, up to `position`,
/// with which it goes on. No events: it wants none of those up to there.
struct feed_page {
  event_seq position = 0;
  event_seq newest = 0; ///< As far as is known.
  std::vector<feed_event_ptr> events;
};

/// How much is kept in memory and sent at once.
struct feed_limits {
  std::size_t recent_events = 1000;
  std::size_t recent_bytes = std::size_t{1} << 20;
  std::size_t page_bytes = std::size_t{1} << 20;
  /// An event above cannot be sent: a frame must hold it.
  std::size_t event_bytes = std::size_t{8} << 20;
};

/// What the table holds behind a place.
struct table_view {
  event_bounds bounds;                 ///< As they were before the events were read.
  std::vector<sequenced_event> events; ///< Behind the place, without a gap; at least one if any.
};

/// The events of one shard for subscribers outside, page by page: from memory for those who keep
/// up, from the table for the others; whoever has got all waits for the next commit.
///
///          keeps up             nothing new
///   asks ──────────► answered ◄──────────── waits ◄─┐
///     └── is behind ──► looks it up in the table ───┴──► answered
///
/// Must hear of every event that is committed from before its first look on.
class shard_feed {
public:
  using subscriber = std::uint64_t;

  explicit shard_feed(shard_id shard, feed_limits limits = {}) : shard_(shard), limits_(limits) {}

  /// Answered in `take_answers`, at `until` at the latest unless the table must be looked at.
  void ask(subscriber who, event_wish wish, instant until);

  /// Events in their order. A gap to those before is made up for from the table.
  void committed(const std::vector<sequenced_event>& events);

  /// The place to look at in the table now; to be answered with `looked`, as one look is under way
  /// at a time.
  std::optional<event_place> next_look();
  void looked(const outcome<table_view>& found);

  /// Whoever has waited long enough gets a page without events.
  void expire(instant now);
  /// Everybody is refused.
  void end(const failure& why);

  struct answer {
    subscriber who = 0;
    outcome<feed_page> what;
  };
  std::vector<answer> take_answers();

  /// When `expire` has something to do; `instant::max()` for never.
  instant next_deadline() const;
  bool is_idle() const { return open_.empty(); }

private:
  struct reading {
    event_wish wish;
    instant until;
    bool looks_up = false; ///< Else it waits.
  };
  using readings = std::map<subscriber, reading>;

  readings::iterator answer_with(readings::iterator at, outcome<feed_page> what);
  /// From memory, or it waits, or it has to look it up.
  readings::iterator proceed(readings::iterator at);
  readings::iterator proceed_from_table(readings::iterator at, const table_view& found,
                                        const std::vector<feed_event_ptr>& events);
  /// Moves the request over `events`, to the end or until its page is full. Nothing if it is
  /// content to go on; else its answer.
  template <class Iterator>
  std::optional<outcome<feed_page>> read(reading& r, Iterator begin, Iterator end) const;
  bool is_in_memory(event_seq seq) const {
    return !recent_.empty() && recent_.front()->seq <= seq && seq <= recent_.back()->seq;
  }
  void trim();

  shard_id shard_;
  feed_limits limits_;
  readings open_;
  std::optional<event_place> look_;   ///< Under way.
  std::deque<feed_event_ptr> recent_; ///< Without a gap.
  std::size_t recent_bytes_ = 0;
  std::optional<event_seq> newest_; ///< Nothing: it was told of none and has not looked.
  std::vector<answer> answers_;
};

} // namespace holdfast::core
