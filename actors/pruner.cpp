#include "actors/pruner.hpp"

#include "actors/actor_guard.hpp"
#include "actors/consumer.hpp"
#include "documents/queue_document.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<pruner_state>*;

/// Tasks that go in one transaction.
constexpr std::uint32_t tasks_at_once = 1000;

/// When so many things in a row fail it is the database that is away: the round is over.
constexpr std::uint32_t failures_max = 3;

/// Objects of one slice of a sweep; each slice with an old object in it costs a look at all tasks.
constexpr std::uint32_t objects_at_once = 10'000;

/// A removed queue is known for so long at least: producers' transactions that were open meanwhile
/// may still stage tasks for it.
constexpr core::duration removed_known_for = std::chrono::hours{24};

/// Entries of the audit log that go in one transaction.
constexpr std::uint32_t audit_entries_at_once = 1000;

/// The host of this shard prunes the audit log, which belongs to no shard.
constexpr core::shard_id audit_shard = 0;

/// The longest pause between two looks for old entries of the audit log. A look costs one row.
constexpr core::duration audit_interval_max = std::chrono::hours{1};

/// Between two slices of a sweep, for whoever else needs the disk and the database.
constexpr core::duration sweep_pause = std::chrono::seconds{1};

void arm(self_ptr self) {
  auto& st = self->state;
  if (!st.rounds.looking() && (!st.due.empty() || st.tasks_due))
    st.rounds.rest(self);
}

/// Sets the timer for what is not old enough yet.
void wait_for_age(self_ptr self) {
  auto& st = self->state;
  auto next = st.tasks_ripe.value_or(core::instant::max());
  for (const auto& [shard, at] : st.ripe)
    next = std::min(next, at);
  if (next >= st.ripe_at)
    return;
  st.ripe_at = next;
  self->delayed_send(self, std::max(core::duration::zero(), next - now(self, st.context)),
                     ripe_tick{});
}

/// When what was told of at `told` is older than `retention`; who tells may be late by a round.
core::instant ripe_after(self_ptr self, core::instant told, core::duration retention) {
  return told + retention + self->state.context->settings.events_prune_interval;
}

/// Nothing more can or need be done now. What comes during a round belongs to it, so only its end
/// may arm the next one.
void rest(self_ptr self) {
  auto& st = self->state;
  st.store.reset();
  st.tasks_due = st.tasks_due || !st.queues_due.empty();
  st.queues_due.clear();
  st.due.merge(st.next_round);
  st.next_round.clear();
  st.failures = 0;
  st.rounds.stop();
  arm(self);
  wait_for_age(self);
}

persistence::store& open(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  return *st.store;
}

void note_failure(self_ptr self, const std::string& what, const core::failure& why) {
  auto& st = self->state;
  st.context->log(log_level::warning, "pruning_failed", {{"what", what}, {"reason", why.detail}});
  ++st.failures;
}

/// One transaction. True when the shard has no more that is old enough, or another node looks after
/// it.
core::outcome<bool> prune_shard(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  persistence::prunable most;
  for (const auto& consumer : node_consumers())
    most.consumers.push_back(consumer.name);
  most.committed_before = now(self, st.context) - settings.events_retention;
  const auto gone = open(self).prune_events(shard, settings.incarnation, most);
  if (!gone && gone.error().code == core::errc::damaged) { // all that can go has gone
    if (st.unreadable_shards[shard].met(gone.error().detail))
      st.context->log(log_level::error, "old_events_unreadable",
                      {{"shard", std::to_string(shard)}, {"reason", gone.error().detail}});
    return true;
  }
  if (gone && *gone < most.rows)
    st.unreadable_shards.erase(shard);
  if (!gone && gone.error().code != core::errc::fenced)
    return gone.error();
  return !gone || *gone < most.rows;
}

/// Validated by the node that wrote it, which may be of a newer version; and people can change
/// rows.
core::outcome<core::queue_policy> policy_of(const prunable_queue& queue) {
  return documents::parse_queue_policy(queue.definition, {queue.definition.size() + 1, 1000});
}

/// The same of a queue.
core::outcome<bool> prune_queue(self_ptr self, const prunable_queue& queue) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto policy = policy_of(queue);
  if (!policy) { // how long it keeps its tasks is not known until somebody mends it
    // One that is there says so itself.
    if (queue.removed && st.unreadable_queues[queue.name].met(policy.error().detail))
      st.context->log(log_level::error, "removed_queue_damaged",
                      {{"queue", queue.name}, {"reason", policy.error().detail}});
    return true;
  }
  const auto shard = core::shard_of(queue.name, settings.shards);
  const auto before = now(self, st.context) - policy->retention;
  std::uint32_t most = 0;
  std::string damaged;
  for (const auto prune : {&persistence::store::prune_tasks, &persistence::store::prune_refused}) {
    const auto gone =
        (open(self).*prune)(shard, settings.incarnation, queue.name, before, tasks_at_once);
    if (!gone && gone.error().code == core::errc::damaged) { // all that can go has gone
      damaged = gone.error().detail;
      continue;
    }
    if (!gone && gone.error().code != core::errc::fenced)
      return gone.error();
    most = std::max(most, gone ? *gone : 0);
  }
  if (damaged.empty())
    st.unreadable_queues.erase(queue.name);
  else if (st.unreadable_queues[queue.name].met(damaged))
    st.context->log(log_level::error, "finished_tasks_unreadable",
                    {{"queue", queue.name}, {"reason", damaged}});
  if (most >= tasks_at_once)
    return false;
  if (queue.removed) {
    const auto gone =
        open(self).forget_removed(shard, settings.incarnation, queue.name,
                                  std::min(before, now(self, st.context) - removed_known_for));
    if (!gone && gone.error().code != core::errc::fenced)
      return gone.error();
  }
  return true;
}

/// The number of its last try when that failed, else zero.
template <class Failing, class Name>
std::uint64_t failed_at(const Failing& failing, const Name& name) {
  const auto found = failing.find(name);
  return found == failing.end() ? 0 : found->second;
}

/// Takes up the queues, the last of them first: so those that failed stand in front.
void list_queues(self_ptr self) {
  auto& st = self->state;
  auto queues = open(self).list_queues();
  if (!queues)
    return note_failure(self, "queues", queues.error());
  auto removed = open(self).list_removed_queues();
  if (!removed)
    return note_failure(self, "removed queues", removed.error());
  st.tasks_due = false;
  for (auto& queue : *queues)
    st.queues_due.push_back({std::move(queue.name), std::move(queue.definition), false});
  for (auto& queue : *removed)
    st.queues_due.push_back({std::move(queue.name), std::move(queue.definition), true});
  const auto at = now(self, st.context);
  if (st.tasks_ripe && *st.tasks_ripe <= at)
    st.tasks_ripe.reset();
  const auto note_age = [&](core::duration age) {
    if (const auto ripe = ripe_after(self, st.tasks_told, age); ripe > at)
      st.tasks_ripe = std::min(st.tasks_ripe.value_or(ripe), ripe);
  };
  for (const auto& queue : st.queues_due) {
    if (const auto policy = policy_of(queue); policy)
      note_age(policy->retention);
    if (queue.removed)
      note_age(removed_known_for);
  }
  std::stable_sort(st.queues_due.begin(), st.queues_due.end(), [&](const auto& a, const auto& b) {
    return failed_at(st.failing_queues, a.name) > failed_at(st.failing_queues, b.name);
  });
}

void prune_next_shard(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  const auto done = prune_shard(self, shard);
  if (!done) {
    note_failure(self, "events of shard " + std::to_string(shard), done.error());
    st.failing_shards[shard] = ++st.failed_tries;
    st.next_round.insert(shard);
  } else {
    st.failing_shards.erase(shard);
    st.failures = 0;
  }
  if (!done || *done)
    st.due.erase(shard);
}

void prune_next_queue(self_ptr self) {
  auto& st = self->state;
  const auto& queue = st.queues_due.back();
  const auto done = prune_queue(self, queue);
  if (!done) {
    note_failure(self, "tasks of queue " + queue.name, done.error());
    st.failing_queues[queue.name] = ++st.failed_tries;
    st.tasks_due = true;
  } else {
    st.failing_queues.erase(queue.name);
    st.failures = 0;
  }
  if (!done || *done)
    st.queues_due.pop_back();
}

/// Prunes what has not failed, or else what failed the longest ago: a round may be over before all
/// that fails has been tried.
void prune_next(self_ptr self) {
  auto& st = self->state;
  const auto shard_failed_at = [&](core::shard_id shard) {
    return failed_at(st.failing_shards, shard);
  };
  const auto shard =
      std::min_element(st.due.begin(), st.due.end(), [&](core::shard_id a, core::shard_id b) {
        return shard_failed_at(a) < shard_failed_at(b);
      });
  const bool is_queue_next =
      !st.queues_due.empty()
      && (shard == st.due.end()
          || failed_at(st.failing_queues, st.queues_due.back().name) < shard_failed_at(*shard));
  if (is_queue_next)
    prune_next_queue(self);
  else if (shard != st.due.end())
    prune_next_shard(self, *shard);
}

/// One transaction, then the next message: the pruner can be told to stop between any two.
void prune_some(self_ptr self) {
  prune_next(self);
  const auto& st = self->state;
  if (st.failures >= failures_max || (st.due.empty() && st.queues_due.empty()))
    rest(self);
  else
    self->send(self, prune_tick{});
}

void begin_round(self_ptr self) {
  self->state.rounds.rang();
  self->state.rounds.begin();
  if (self->state.tasks_due)
    list_queues(self);
  prune_some(self);
}

/// There are events that will be old one day, and there may be some that are already.
void note_events(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  st.due.insert(shard);
  st.ripe[shard] = ripe_after(self, now(self, st.context), st.context->settings.events_retention);
}

/// What has grown old is due.
void on_ripe(self_ptr self) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  st.ripe_at = core::instant::max();
  for (auto shard = st.ripe.begin(); shard != st.ripe.end();)
    if (shard->second <= at) {
      st.due.insert(shard->first);
      shard = st.ripe.erase(shard);
    } else {
      ++shard;
    }
  if (st.tasks_ripe && *st.tasks_ripe <= at) {
    st.tasks_ripe.reset();
    st.tasks_due = true;
  }
  arm(self);
  wait_for_age(self);
}

/// The digest after this one; zero after the last.
core::digest after(core::digest content) {
  for (auto byte = content.bytes.rbegin(); byte != content.bytes.rend() && ++*byte == 0; ++byte) {
  }
  return content;
}

/// Removes what is old and that no row refers to among the next objects. True when there are no
/// more.
core::outcome<bool> sweep_slice(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto page = settings.objects->list(st.swept_to, objects_at_once);
  if (!page)
    return page.error();
  // Objects have the times of the store's clock. By the database's alone, when that stands ahead,
  // one would be old that was stored a moment ago.
  const auto before =
      std::min(now(self, st.context), settings.objects->time_now()) - settings.objects_sweep_after;
  std::vector<core::digest> old;
  for (const auto& object : *page)
    if (object.stored_at < before)
      old.push_back(object.content);
  if (!old.empty()) {
    const auto needed = open(self).find_object_refs(old);
    if (!needed)
      return needed.error();
    for (const auto& content : old)
      if (needed->count(content) == 0)
        // Looks at the age once more: what was put meanwhile may be referred to by now.
        if (const auto gone = settings.objects->remove_if_older(content, before); !gone) {
          st.swept_to = after(content); // it may never go, and keeps none of those behind it
          return gone.error();
        }
  }
  if (page->size() < objects_at_once)
    return true;
  st.swept_to = after(page->back().content);
  return st.swept_to == core::digest{};
}

void sweep(self_ptr self) {
  auto& st = self->state;
  const auto done = sweep_slice(self);
  if (!done)
    st.context->log(log_level::warning, "pruning_failed",
                    {{"what", "objects"}, {"reason", done.error().detail}});
  if (!st.rounds.resting() && !st.rounds.looking())
    st.store.reset();
  if (done && *done)
    st.swept_to = {};
  const bool over = !done || *done;
  self->delayed_send(self, over ? st.context->settings.objects_sweep_interval : sweep_pause,
                     object_tick{});
}

/// Entries come without a word to the pruner, a few a day: so it looks for old ones now and then.
core::duration audit_interval(const node_settings& settings) {
  return std::min(audit_interval_max,
                  std::max(settings.events_prune_interval, settings.audit_retention / 10));
}

/// One transaction. True when no more entries are old enough, or another node looks after them.
core::outcome<bool> prune_audit_slice(self_ptr self) {
  const auto& settings = self->state.context->settings;
  const auto gone = open(self).prune_audit(
      audit_shard, settings.incarnation, now(self, self->state.context) - settings.audit_retention,
      audit_entries_at_once);
  if (!gone && gone.error().code != core::errc::fenced)
    return gone.error();
  return !gone || *gone < audit_entries_at_once;
}

void prune_audit(self_ptr self) {
  auto& st = self->state;
  const bool is_ours = st.context->hosting.here(audit_shard, self->clock().now());
  const auto done = is_ours ? prune_audit_slice(self) : core::outcome<bool>{true};
  if (!done)
    st.context->log(log_level::warning, "pruning_failed",
                    {{"what", "audit log"}, {"reason", done.error().detail}});
  if (!st.rounds.resting() && !st.rounds.looking())
    st.store.reset();
  const bool over = !done || *done;
  self->delayed_send(self, over ? audit_interval(st.context->settings) : sweep_pause,
                     audit_prune_tick{});
}

} // namespace

caf::behavior pruner(caf::stateful_actor<pruner_state>* self, context_ptr context,
                     const caf::actor& relay, const caf::actor& shards) {
  guard(self, context);
  self->state.context = std::move(context);
  self->send(relay, follow_cursors{caf::actor_cast<caf::actor>(self)});
  self->send(shards, follow_endings{caf::actor_cast<caf::actor>(self)});
  const auto& settings = self->state.context->settings;
  self->state.rounds = {self->state.context, settings.events_prune_interval};
  self->state.tasks_told = now(self, self->state.context);
  // Those that are not here cost a look each, once.
  for (core::shard_id shard = 0; shard < settings.shards; ++shard)
    note_events(self, shard);
  arm(self);
  if (settings.objects)
    self->delayed_send(self,
                       std::min(settings.events_prune_interval, settings.objects_sweep_interval),
                       object_tick{});
  self->delayed_send(self, audit_interval(settings), audit_prune_tick{});
  return {
      [=](const cursors_written& written) {
        for (const auto shard : written.shards)
          note_events(self, shard);
        arm(self);
      },
      [=](tasks_ended) {
        self->state.tasks_due = true;
        self->state.tasks_told = now(self, self->state.context);
        arm(self);
      },
      [=](ripe_tick) { on_ripe(self); },
      [=](upkeep_tick) { begin_round(self); },
      [=](prune_tick) { prune_some(self); },
      [=](object_tick) { sweep(self); },
      [=](audit_prune_tick) { prune_audit(self); },
  };
}

} // namespace holdfast::actors
