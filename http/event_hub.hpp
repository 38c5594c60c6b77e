#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "http/event_cursor.hpp"
#include "http/event_reader.hpp"
#include "http/gateway_client.hpp"
#include "http/told_event.hpp"
#include "http/workflow_steps.hpp"
#include "messages/event_messages.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace holdfast::http {

struct event_hub_limits {
  std::size_t ring_events = 10'000;
  std::size_t ring_bytes = std::size_t{8} << 20;
  /// Readers that read by themselves at the same time; others wait for their turn.
  std::size_t catching_up = 32;
  /// The time for which new events gather before the next of them go to the readers.
  core::duration gather_time = std::chrono::milliseconds{20};
  /// After so long without an event a sink is told that its reader is still there.
  core::duration idle_time = std::chrono::seconds{15};
};

/// The events of all shards for all readers of this node. Each shard is read once, by a tail that
/// asks its host for what comes behind the last event; takeovers and restarts of hosts are failed
/// reads, after which the tail goes on from where it was. New events are encoded once and kept in a
/// ring, from which readers that keep up are served. A reader that is behind the ring reads by
/// itself until it has caught up.
///
/// A tail costs nothing until somebody reads, and nothing again half a minute after the last has
/// gone.
///
/// For the thread of the gateway client's actor alone.
class event_hub : public std::enable_shared_from_this<event_hub> {
public:
  explicit event_hub(gateway_client gateway, event_hub_limits bounds = {});

  // --- readers of all shards ---

  /// The number of shards, as soon as it is known.
  void count_shards(std::function<void(std::uint32_t)> then);
  /// Serves the reader until its sink is over.
  void join(const event_reader_ptr& reader);
  /// The sink has room again, or is over.
  void go_on(const event_reader_ptr& reader);

  // --- waits for units ---

  /// A wait for events about one unit.
  struct watch {
    std::function<bool()> is_over; ///< Nothing is waited for any more.
    std::function<void()> look;
  };
  /// `look` runs when events about the unit can be missed no more, and with each event about it.
  void watch_unit(core::step_id step, core::unit_id unit, watch wanted);

private:
  struct tail {
    bool running = false;
    bool known = false; ///< `position` is.
    core::event_seq position = 0;
    std::uint32_t failures = 0;
    std::unordered_multimap<core::unit_id, std::shared_ptr<const watch>> watches;
    std::size_t pages_since_sweep = 0; ///< Over the watches.
  };

  // --- tails ---

  void start_tails();
  void start_tail(core::shard_id shard);
  void read_tail(core::shard_id shard);
  void on_page(core::shard_id shard, const msg::event_page& page);
  void on_read_failed(core::shard_id shard, const core::failure& why);
  bool is_wanted(tail& of);
  static void sweep(tail& of);
  static void look(const tail& at, core::unit_id unit);
  static void look_at_all(const tail& at);

  // --- the ring ---

  void open_ring();
  void close_ring();
  void append(told_event event);
  std::uint64_t ring_end() const { return ring_begin_ + ring_.size(); }
  void news();
  void serve_all();

  // --- readers ---

  enum class verdict : std::uint8_t { wanted, unwanted, unknown };
  verdict judge(const event_reader_ptr& reader, const told_event& event);
  void serve_live(const event_reader_ptr& reader);
  void catch_up(const event_reader_ptr& reader);
  void catch_up_from_ring(const event_reader_ptr& reader);
  void read_alone(const event_reader_ptr& reader, core::shard_id shard);
  void on_own_page(const event_reader_ptr& reader, const msg::event_page& page);
  void on_own_failure(const event_reader_ptr& reader, const core::failure& why);
  void end_own_read();
  void resume_later(const event_reader_ptr& reader, core::duration pause);
  void drop_over();
  void tick_idle();

  const gateway_client gateway_;
  const event_hub_limits limits_;
  const std::shared_ptr<workflow_steps> workflows_;

  std::optional<std::uint32_t> shards_;
  bool counting_ = false;
  std::vector<std::function<void(std::uint32_t)>> counters_;

  std::vector<tail> tails_;

  bool ring_open_ = false;
  std::deque<told_event_ptr> ring_;
  std::uint64_t ring_begin_ = 0; ///< The number of the first event of the ring.
  std::size_t ring_bytes_ = 0;
  event_positions floor_; ///< Of each shard: every event behind it, up to `now_`, is in the ring.
  event_positions now_;

  std::unordered_set<event_reader_ptr> readers_;
  bool gathering_ = false; ///< A timer is set.
  bool has_news_ = false;
  bool ticking_ = false;
  std::size_t own_reads_ = 0;
  std::deque<std::pair<event_reader_ptr, core::shard_id>> own_line_;
};

} // namespace holdfast::http
