#include "actors/relay.hpp"

#include "actors/actor_guard.hpp"
#include "actors/metrics_source.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"
#include "core/backoff.hpp"
#include "core/batching.hpp"
#include "metrics/scrape.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<relay_state>*;

/// How long a cursor may be behind what was acknowledged. Longer means more events again after a
/// crash, shorter more writes; a second of events is dropped by the inbox in milliseconds.
constexpr std::chrono::seconds cursor_delay{1};

/// Longest pause before what is set aside is tried again: somebody has to mend it.
constexpr std::chrono::seconds aside_pause_most{60};

/// One consumer's position on one shard, as long as the consumer lives that subscribed and the
/// shard stays.
struct place {
  std::string consumer;
  core::shard_id shard = 0;
  std::uint64_t life = 0;
  std::uint64_t coming = 0; ///< Of the shard.
};

/// The position, or null when the consumer has subscribed anew since, or the shard has gone.
relay_state::position* position_at(self_ptr self, const place& at) {
  auto& st = self->state;
  const auto hosted = st.hosted.find(at.shard);
  if (hosted == st.hosted.end() || hosted->second != at.coming)
    return nullptr;
  auto& subscription = st.subscriptions[at.consumer];
  return subscription.life == at.life ? &subscription.positions[at.shard] : nullptr;
}

void pump(self_ptr self, const place& at);

void trim(relay_state& st, core::shard_id shard) {
  auto& tail = st.tails[shard];
  auto needed = tail.newest + 1;
  for (const auto& [name, s] : st.subscriptions) {
    const auto at = s.positions.find(shard);
    if (at != s.positions.end())
      needed = std::min(needed, at->second.acknowledged + 1);
  }
  while (!tail.recent.empty()
         && (tail.recent.front().id.seq < needed
             || tail.recent.size() > st.context->settings.events_high_water))
    tail.recent.pop_front();
}

void arm_cursor(self_ptr self) {
  if (!self->state.cursor_armed) {
    self->state.cursor_armed = true;
    self->delayed_send(self, cursor_delay, cursor_tick{});
  }
}

void acknowledge(self_ptr self, const place& at, core::event_seq seq) {
  auto& position = *position_at(self, at);
  position.acknowledged = std::max(position.acknowledged, seq);
  arm_cursor(self);
  trim(self->state, at.shard);
}

/// Tries again later what failed.
void back_off(self_ptr self, const place& at, const core::failure& why) {
  auto& st = self->state;
  auto& position = *position_at(self, at);
  const auto& settings = st.context->settings;
  const auto wait = core::full_jitter(++position.failures, settings.writer_retry_min,
                                      settings.events_redeliver_after, st.random());
  st.context->log(
      log_level::warning, "delivery_failed",
      {{"consumer", at.consumer}, {"shard", std::to_string(at.shard)}, {"reason", why.detail}});
  position.backing_off = true;
  self->delayed_send(self, wait, pump_tick{at.consumer, at.shard, at.life, at.coming});
}

/// Tries again later what is set aside, if anything is.
void note_aside(self_ptr self, const place& at, core::event_seq oldest) {
  auto& st = self->state;
  auto& position = *position_at(self, at);
  if (oldest != position.oldest_aside)
    arm_cursor(self);
  position.oldest_aside = oldest;
  if (oldest == 0)
    position.aside_tries = 0;
  if (oldest == 0 || position.aside_armed)
    return;
  position.aside_armed = true;
  const auto wait = core::full_jitter(++position.aside_tries, st.context->settings.writer_retry_min,
                                      aside_pause_most, st.random());
  self->delayed_send(self, wait, aside_tick{{at.consumer, at.shard, at.life, at.coming}});
}

void try_aside(self_ptr self, const place& at) {
  auto& position = *position_at(self, at);
  position.busy = true;
  position.aside_due = false;
  const auto done = [=](const delivered* answer) {
    auto* now_at = position_at(self, at);
    if (now_at == nullptr)
      return;
    now_at->busy = false;
    note_aside(self, at, answer != nullptr ? answer->oldest_aside : now_at->oldest_aside);
    pump(self, at);
  };
  const auto& target = self->state.subscriptions[at.consumer].target;
  self->request(target, delivery_timeout, deliver{at.shard, {}, false, false})
      .then([=](const delivered& answer) { done(&answer); },
            [=](const caf::error&) { done(nullptr); }); // told when they were set aside
}

/// Delivers what the consumer wants of the events from `begin` to `end`, which follow its position
/// without a gap. `again` when some of them may have been delivered before.
template <class Iterator>
void deliver_to(self_ptr self, const place& at, Iterator begin, Iterator end, bool again) {
  auto& subscription = self->state.subscriptions[at.consumer];
  auto& position = *position_at(self, at);
  again = again || position.again || begin->id.seq <= position.known_at_start;
  const auto last = std::prev(end)->id.seq;
  std::vector<core::sequenced_event> events;
  std::copy_if(begin, end, std::back_inserter(events),
               [&](const auto& e) { return subscription.types.count(e.event.type) != 0; });
  if (events.empty()) {
    position.busy = false;
    acknowledge(self, at, last);
    return pump(self, at);
  }
  self->request(subscription.target, delivery_timeout,
                deliver{at.shard, std::move(events), again, std::exchange(position.anew, false)})
      .then(
          [=](const delivered& answer) {
            auto* now_at = position_at(self, at);
            if (now_at == nullptr)
              return;
            now_at->busy = now_at->again = false;
            now_at->failures = 0;
            note_aside(self, at, answer.oldest_aside);
            acknowledge(self, at, last);
            pump(self, at);
          },
          [=](const caf::error& error) {
            auto* now_at = position_at(self, at);
            if (now_at == nullptr)
              return;
            now_at->busy = false;
            now_at->again = true;
            back_off(self, at, msg::failure_of(error));
          });
}

/// Events that cannot be read go to no consumer: their types and steps are not known.
void note_unreadable(self_ptr self, const place& at,
                     const std::vector<core::sequenced_event>& page) {
  auto& position = *position_at(self, at);
  const auto first = position.unreadable.note(self->state.context, at.consumer, at.shard, page);
  if (position.oldest_unreadable == 0)
    position.oldest_unreadable = first;
}

void read_failed(self_ptr self, const place& at, const core::failure& why) {
  if (auto* position = position_at(self, at)) {
    position->busy = false;
    back_off(self, at, why);
  }
}

void read_from_table(self_ptr self, const place& at, core::event_seq after) {
  auto& st = self->state;
  read(self, st.loader,
       [shard = at.shard, after, limit = st.context->settings.events_batch_max](
           persistence::store& db) { return db.events_after(shard, after, limit); })
      .then(
          [=](const std::vector<core::sequenced_event>& page) {
            auto* position = position_at(self, at);
            if (position == nullptr)
              return;
            // The table holds what was committed before this start, too: after a crash the cursor
            // may be behind by many pages, and the inbox knows which of their events were applied.
            note_unreadable(self, at, page);
            if (!page.empty())
              return deliver_to(self, at, page.begin(), page.end(), true);
            position->busy = false;
            // Caught up with the table; the writer tells of all that follows.
            auto& tail = self->state.tails[at.shard];
            tail.newest = std::max(tail.newest, after);
            if (tail.newest > after || position->aside_due)
              pump(self, at);
          },
          [=](const core::failure& why) { read_failed(self, at, why); });
}

void read_cursor(self_ptr self, const place& at) {
  read(self, self->state.loader,
       [at](persistence::store& db) { return load_position(db, at.consumer, at.shard); })
      .then(
          [=](const consumer_position& stored) {
            auto* position = position_at(self, at);
            if (position == nullptr)
              return;
            position->busy = false;
            position->known = true;
            // What follows may have been applied before the last end, of the node or the consumer.
            position->known_at_start = self->state.tails[at.shard].newest;
            position->acknowledged = position->persisted = stored.cursor;
            pump(self, at);
          },
          [=](const core::failure& why) { read_failed(self, at, why); });
}

/// Sends the consumer its next delivery of the shard, if it has none under way and there is
/// anything.
void pump(self_ptr self, const place& at) {
  auto& st = self->state;
  auto* position = position_at(self, at);
  if (position == nullptr || position->busy || position->backing_off)
    return;
  if (!position->known) {
    position->busy = true;
    return read_cursor(self, at);
  }
  if (position->aside_due)
    return try_aside(self, at);
  auto& tail = st.tails[at.shard];
  const auto next = position->acknowledged + 1;
  if (tail.newest != 0 && next > tail.newest)
    return; // nothing new
  position->busy = true;
  if (tail.recent.empty() || tail.recent.front().id.seq > next)
    return read_from_table(self, at, position->acknowledged);
  const auto first =
      tail.recent.begin() + static_cast<std::ptrdiff_t>(next - tail.recent.front().id.seq);
  const auto count =
      std::min<std::ptrdiff_t>(tail.recent.end() - first,
                               static_cast<std::ptrdiff_t>(st.context->settings.events_batch_max));
  deliver_to(self, at, first, first + count, false);
}

void pump_all(self_ptr self, const std::string& consumer) {
  const auto life = self->state.subscriptions[consumer].life;
  for (const auto& [shard, coming] : self->state.hosted)
    pump(self, {consumer, shard, life, coming});
}

void on_committed(self_ptr self, events_committed& committed) {
  auto& st = self->state;
  if (const auto watcher = st.watchers.find(committed.shard); watcher != st.watchers.end())
    self->send(watcher->second, committed);
  const auto hosted = st.hosted.find(committed.shard);
  if (hosted == st.hosted.end())
    return; // whoever hosts it now reads them from the table
  auto& tail = st.tails[committed.shard];
  const auto first = committed.events.front().id.seq;
  // After a start the first events heard may not follow what is in memory; the table has those
  // between.
  if (!tail.recent.empty() && tail.recent.back().id.seq + 1 != first)
    tail.recent.clear();
  tail.newest = committed.events.back().id.seq;
  for (auto& e : committed.events)
    tail.recent.push_back(std::move(e));
  for (const auto& [consumer, subscription] : st.subscriptions)
    pump(self, {consumer, committed.shard, subscription.life, hosted->second});
  trim(st, committed.shard);
}

/// Nothing of a shard is read before this node hosts it: until then another node may still commit
/// events, which nobody here would hear of.
void on_gained(self_ptr self, const shards_gained& gained) {
  auto& st = self->state;
  for (const auto shard : gained.shards) {
    st.hosted[shard] = ++st.last_coming;
    for (const auto& [consumer, subscription] : st.subscriptions)
      pump(self, {consumer, shard, subscription.life, st.last_coming});
  }
}

/// What consumers have been sent of it may go on: its effects are fenced, and whoever hosts the
/// shard next begins behind the cursor.
void on_left(self_ptr self, const leave_shards& left) {
  auto& st = self->state;
  for (const auto shard : left.shards) {
    st.hosted.erase(shard);
    st.tails.erase(shard);
    st.watchers.erase(shard);
    st.cursors_waiting.erase(shard);
    for (auto& [consumer, subscription] : st.subscriptions)
      subscription.positions.erase(shard);
  }
}

/// As many at once as a writer has room for at any time; a burst of more would be refused.
void send_cursors(self_ptr self) {
  auto& st = self->state;
  auto& waiting = st.cursors_waiting;
  while (!waiting.empty()) {
    const auto shard = waiting.begin()->first;
    auto& change = waiting.begin()->second;
    const auto weight = core::weight(change);
    if (st.cursors_weight > 0
        && st.cursors_weight + weight > st.context->settings.batching.high_water)
      return;
    st.cursors_weight += weight;
    st.cursors_under_way[++st.last_ticket] = {st.context, weight};
    st.cursors_sent.insert(shard);
    self->send(st.writers[shard % st.writers.size()],
               write_request{{shard, {}, 1}, st.last_ticket, std::move(change)});
    waiting.erase(waiting.begin());
  }
}

/// The cursor that may be persisted: all before it is acknowledged, and neither set aside nor
/// unreadable.
core::event_seq passed_by(const relay_state::position& position) {
  auto passed = position.acknowledged;
  for (const auto oldest : {position.oldest_aside, position.oldest_unreadable})
    if (oldest != 0)
      passed = std::min(passed, oldest - 1);
  return passed;
}

/// Persists what has been acknowledged since the last time.
void write_cursors(self_ptr self) {
  auto& st = self->state;
  st.cursor_armed = false;
  for (auto& [consumer, subscription] : st.subscriptions)
    for (auto& [shard, position] : subscription.positions) {
      const auto passed = passed_by(position);
      if (passed <= position.persisted)
        continue;
      position.persisted = passed;
      st.cursors_waiting[shard].writes.push_back(core::advance_cursor{consumer, shard, passed});
    }
  send_cursors(self);
}

void on_cursor_written(self_ptr self) {
  auto& st = self->state;
  if (st.pruner && !st.cursors_sent.empty())
    self->send(st.pruner, cursors_written{std::exchange(st.cursors_sent, {})});
}

/// A cursor that is not written only means that events come again. A refusal by the database means
/// that this actor may not write any more. A shard that has gone meanwhile, or is taken anew, does
/// not, nor does a full writer.
void on_written(self_ptr self, const write_done& done) {
  if (done.failure.code == core::errc::none)
    on_cursor_written(self);
  else if (done.failure.code != core::errc::fenced && done.failure.code != core::errc::unavailable
           && done.failure.code != core::errc::overloaded)
    return self->quit(msg::to_error(done.failure));
  auto& st = self->state;
  for (auto ticket = done.first(); ticket <= done.ticket; ++ticket)
    if (const auto sent = st.cursors_under_way.find(ticket); sent != st.cursors_under_way.end()) {
      st.cursors_weight -= sent->second.rows();
      st.cursors_under_way.erase(sent);
    }
  send_cursors(self);
}

/// How far consumers are behind. Nothing is known of a shard before the first look at its events.
void add_lag(self_ptr self, const read_metrics& reading) {
  const auto& st = self->state;
  for (const auto& [consumer, subscription] : st.subscriptions) {
    core::event_seq behind = 0;
    for (const auto& [shard, position] : subscription.positions)
      if (const auto tail = st.tails.find(shard); position.known && tail != st.tails.end())
        behind += tail->second.newest - std::min(tail->second.newest, passed_by(position));
    reading.into->add(metrics::metric::outbox_lag_events, {consumer}, static_cast<double>(behind));
  }
}

} // namespace

caf::behavior relay(caf::stateful_actor<relay_state>* self, context_ptr context,
                    std::vector<caf::actor> writers, caf::actor loader, caf::actor membership) {
  guard(self, context);
  auto& st = self->state;
  st.random.seed(context->take_seed());
  st.context = std::move(context);
  st.writers = std::move(writers);
  st.loader = std::move(loader);
  st.reported = report_metrics(self, st.context);
  for (const auto& writer : st.writers)
    self->send(writer, follow_events{caf::actor_cast<caf::actor>(self)});
  self->send(membership, follow_hosting{caf::actor_cast<caf::actor>(self)});
  return {
      [=](const subscribe& s) {
        auto& subscription = self->state.subscriptions[s.consumer];
        const auto life = subscription.life + 1;
        subscription = {{s.types.begin(), s.types.end()}, s.target, {}, life};
        pump_all(self, s.consumer);
      },
      [=](const pump_tick& tick) {
        const place at{tick.consumer, tick.shard, tick.life, tick.coming};
        if (auto* position = position_at(self, at)) {
          position->backing_off = false;
          pump(self, at);
        }
      },
      [=](const aside_tick& tick) {
        const place at{tick.at.consumer, tick.at.shard, tick.at.life, tick.at.coming};
        if (auto* position = position_at(self, at)) {
          position->aside_armed = false;
          position->aside_due = true;
          pump(self, at);
        }
      },
      [=](events_committed& committed) { on_committed(self, committed); },
      [=](cursor_tick) { write_cursors(self); },
      [=](const read_metrics& reading) { add_lag(self, reading); },
      [=](const write_done& done) { on_written(self, done); },
      [=](const shards_gained& gained) { on_gained(self, gained); },
      [=](const leave_shards& left) {
        on_left(self, left);
        return settled{};
      },
      [=](const watch_events& watch) {
        auto& watchers = self->state.watchers;
        if (watch.on)
          watchers[watch.shard] = watch.feed;
        else
          watchers.erase(watch.shard);
        return settled{};
      },
      [=](const follow_cursors& follow) { self->state.pruner = follow.pruner; },
  };
}

} // namespace holdfast::actors
