#include "actors/janitor.hpp"

#include "actors/actor_guard.hpp"
#include "actors/consumer.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<janitor_state>*;

void arm(self_ptr self) {
  auto& st = self->state;
  if (st.armed || st.due.empty())
    return;
  st.armed = true;
  self->delayed_send(self, st.context->settings.events_prune_interval, round_tick{});
}

/// Nothing more can or need be done now. What comes during a round belongs to it, so only its end
/// may arm the next one.
void rest(self_ptr self) {
  self->state.store.reset();
  self->state.armed = false;
  arm(self);
}

/// One transaction, then the next message: the janitor can be told to stop between any two.
void prune_some(self_ptr self, const prune_tick& tick) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  persistence::prunable most;
  for (const auto& consumer : node_consumers())
    most.consumers.push_back(consumer.name);
  most.committed_before = now(self, st.context) - settings.events_retention;
  if (!st.store)
    st.store = settings.open_store();
  const auto gone = st.store->prune_events(tick.shard, settings.incarnation, most);
  if (!gone && gone.error().code != core::errc::fenced) {
    st.context->log(log_level::warning, "pruning_failed",
                    {{"shard", std::to_string(tick.shard)}, {"reason", gone.error().detail}});
    return rest(self);
  }
  if (gone && *gone == most.rows) {
    self->send(self, tick);
    return;
  }
  // All of this shard that is old enough has gone, or another node looks after it.
  st.due.erase(tick.shard);
  if (st.due.empty())
    rest(self);
  else
    self->send(self, prune_tick{*st.due.begin()});
}

} // namespace

caf::behavior janitor(caf::stateful_actor<janitor_state>* self, context_ptr context,
                      const caf::actor& relay) {
  guard(self, context);
  self->state.context = std::move(context);
  self->send(relay, follow_cursors{caf::actor_cast<caf::actor>(self)});
  return {
      [=](const cursors_written& written) {
        self->state.due.insert(written.shards.begin(), written.shards.end());
        arm(self);
      },
      [=](round_tick) { self->send(self, prune_tick{*self->state.due.begin()}); },
      [=](const prune_tick& tick) { prune_some(self, tick); },
  };
}

} // namespace holdfast::actors
