#include "actors/feed.hpp"

#include "actors/actor_guard.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<feed_state>*;

/// How long a shard is watched after the last read. Longer than between two reads of a subscriber
/// that keeps up, so that it is served from memory.
constexpr std::chrono::minutes watch_time{1};

/// So that a feed with a thousand deadlines does not look at each of them alone.
constexpr std::chrono::milliseconds wake_granularity{10};

msg::event_page to_page(core::shard_id shard, const core::feed_page& from) {
  msg::event_page page{shard, from.position, from.newest, {}};
  page.events.reserve(from.events.size());
  for (const auto& e : from.events)
    page.events.push_back({e->seq, e->json});
  return page;
}

/// The same watched shard as then, or null.
feed_state::watched* still(self_ptr self, core::shard_id shard, std::uint64_t life) {
  const auto found = self->state.shards.find(shard);
  return found != self->state.shards.end() && found->second.life == life ? &found->second : nullptr;
}

void go_on(self_ptr self, core::shard_id shard, feed_state::watched& on);

void look(self_ptr self, core::shard_id shard, std::uint64_t life, const core::event_place& place) {
  const auto& st = self->state;
  const auto done = [=](core::outcome<core::table_view> found) {
    if (auto* on = still(self, shard, life)) {
      if (found)
        on->unreadable.note(self->state.context, feed_state::name, shard, found->events);
      on->events.looked(found);
      go_on(self, shard, *on);
    }
  };
  read(self, st.reader,
       [=, limit = st.context->settings.events_batch_max](persistence::store& db) {
         return load_events(db, shard, place, limit);
       })
      .then([=](core::table_view& found) { done(std::move(found)); },
            [=](const core::failure& why) { done(why); });
}

void wake(self_ptr self, core::duration in) {
  auto& st = self->state;
  const auto at = self->clock().now() + in;
  if (at >= st.wakes_at)
    return;
  st.wakes_at = at;
  self->delayed_send(self, in, feed_tick{});
}

/// Gives the answers that there are, and looks at the table if somebody needs it.
void go_on(self_ptr self, core::shard_id shard, feed_state::watched& on) {
  auto& st = self->state;
  on.events.expire(now(self, st.context));
  for (auto& answer : on.events.take_answers()) {
    const auto promise = st.open.find(answer.who);
    if (answer.what)
      promise->second.deliver(to_page(shard, *answer.what));
    else
      promise->second.deliver(msg::to_error(answer.what.error()));
    st.open.erase(promise);
  }
  if (!on.heard)
    return;
  if (const auto place = on.events.next_look())
    look(self, shard, on.life, *place);
  if (const auto next = on.events.next_deadline(); next != core::instant::max())
    wake(self, std::max<core::duration>(next - now(self, st.context), wake_granularity));
}

void look_after_unused(self_ptr self) {
  auto& st = self->state;
  if (!st.shards.empty() && !std::exchange(st.looks_after_unused, true))
    self->delayed_send(self, watch_time, unused_tick{});
}

feed_state::watched& watch(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  auto& on = st.shards.try_emplace(shard, shard).first->second;
  if (on.life != 0)
    return on;
  on.life = ++st.last_life;
  const auto life = on.life;
  self->request(st.relay, internal_timeout,
                watch_events{shard, true, caf::actor_cast<caf::actor>(self)})
      .then(
          [=](settled) {
            if (auto* heard = still(self, shard, life)) {
              heard->heard = true;
              go_on(self, shard, *heard);
            }
          },
          [=](caf::error& error) { self->quit(std::move(error)); }); // it is going down
  look_after_unused(self);
  return on;
}

void read(self_ptr self, core::shard_id shard, core::event_wish wish, core::duration wait) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  if (st.hosted.count(shard) == 0)
    return promise.deliver(
        msg::to_error(core::errc::unavailable, "this node does not host the shard any more"));
  auto& on = watch(self, shard);
  on.used = true;
  st.open.emplace(++st.last_request, promise);
  on.events.ask(st.last_request, std::move(wish), now(self, st.context) + wait);
  go_on(self, shard, on);
}

void on_read(self_ptr self, const msg::read_events& m) {
  auto& st = self->state;
  const auto most = st.context->settings.events_reads_max;
  if (st.open.size() >= most)
    return self->make_response_promise().deliver(msg::to_error(
        core::errc::overloaded, std::to_string(most) + " reads of events are open already"));
  core::event_wish wish{{static_cast<core::event_start>(m.from), m.after}, m.limit, {}, {}};
  if (m.step)
    wish.steps.push_back(m.step);
  for (const auto& name : m.types)
    wish.types.push_back(*core::event_type_named(name)); // the gateway has checked the names
  read(self, m.shard, std::move(wish), m.wait);
}

/// Answers whoever's time is over.
void on_tick(self_ptr self) {
  auto& st = self->state;
  if (self->clock().now() < st.wakes_at)
    return;
  st.wakes_at = caf::actor_clock::time_point::max();
  for (auto& [shard, on] : st.shards)
    go_on(self, shard, on);
}

void forget_unused(self_ptr self) {
  auto& st = self->state;
  st.looks_after_unused = false;
  for (auto at = st.shards.begin(); at != st.shards.end();) {
    auto& [shard, on] = *at;
    if (!on.events.is_idle() || std::exchange(on.used, false)) {
      ++at;
      continue;
    }
    caf::anon_send(st.relay, watch_events{shard, false, {}}); // nobody waits for the answer
    at = st.shards.erase(at);
  }
  look_after_unused(self);
}

/// Whoever waits for events of these shards asks their next host.
void on_left(self_ptr self, const leave_shards& left) {
  auto& st = self->state;
  for (const auto shard : left.shards) {
    st.hosted.erase(shard);
    const auto found = st.shards.find(shard);
    if (found == st.shards.end())
      continue;
    found->second.events.end({core::errc::unavailable, "the shard moves to another node"});
    go_on(self, shard, found->second);
    st.shards.erase(found);
  }
}

} // namespace

caf::behavior feed(caf::stateful_actor<feed_state>* self, context_ptr context, caf::actor relay,
                   caf::actor reader, const caf::actor& membership) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.relay = std::move(relay);
  st.reader = std::move(reader);
  self->send(membership, follow_hosting{caf::actor_cast<caf::actor>(self)});
  return {
      [=](const msg::read_events& m) { on_read(self, m); },
      [=](const read_for_webhook& m) { read(self, m.shard, m.wish, m.wait); },
      [=](const events_committed& committed) {
        const auto found = self->state.shards.find(committed.shard);
        if (found == self->state.shards.end() || !found->second.heard)
          return; // of an earlier life
        found->second.events.committed(committed.events);
        go_on(self, committed.shard, found->second);
      },
      [=](const shards_gained& gained) {
        self->state.hosted.insert(gained.shards.begin(), gained.shards.end());
      },
      [=](const leave_shards& left) {
        on_left(self, left);
        return settled{};
      },
      [=](feed_tick) { on_tick(self); },
      [=](unused_tick) { forget_unused(self); },
  };
}

} // namespace holdfast::actors
