#include "actors/writer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/commit_spans.hpp"
#include "core/backoff.hpp"
#include "core/batching.hpp"
#include "core/rejoining.hpp"
#include "metrics/change_counter.hpp"

#include <caf/stateful_actor.hpp>

#include <sys/prctl.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <unordered_map>

namespace holdfast::actors {

namespace {

/// One change on its way to the database.
struct queued_change {
  core::shard_id shard = 0;
  core::epoch epoch = 0; ///< Under which it was decided.
  std::uint64_t ticket = 0;
  core::change changes;
  caf::strong_actor_ptr sender;
  std::size_t weight = 0;
  bool alone = false;    ///< As in `write_request`.
  core::failure refused; ///< It was, alone: it takes its turn without its writes.
  hosted_item item;      ///< Whose change it is.
};

using span = std::pair<std::size_t, std::size_t>;

} // namespace

struct writer_state {
  static inline const char* name = "writer";

  context_ptr context;
  std::unique_ptr<persistence::store> store;
  std::map<core::shard_id, persistence::shard_fence> fences;
  std::deque<queued_change> queue;
  std::size_t queued_weight = 0;

  /// What is being committed: `selected`, of which `ranges` are still to do, the last one first.
  /// Normally one range that spans all; more after a refusal.
  std::vector<queued_change> selected;
  std::vector<span> ranges;
  persistence::write_batch
      batch; ///< Of the range at the back; kept as it is until its outcome is known.
  bool batch_built = false;
  bool doubted = false; ///< Some try of `batch` may have written it.

  /// The next batch, made ready while the database works on `batch` and on the assumption that this
  /// one goes in; taken apart again when it does not.
  struct next_batch {
    std::vector<queued_change> selected;
    persistence::write_batch batch;
  };
  std::optional<next_batch> next;
  /// What is over, kept until the database has something to do again: freeing it takes time.
  std::vector<queued_change> spent_changes;
  persistence::write_batch spent_batch;

  /// Committed, but not told yet: that happens while the database works on the next batch, which so
  /// need not wait for it.
  std::vector<queued_change> durable;
  std::vector<events_committed> durable_events;

  bool flush_armed = false;
  /// What the last commit took, until the next one has been decided about.
  std::optional<core::duration> took;
  core::rejoining rejoining{0, {}};
  std::uint64_t holds = 0;                 ///< Number of the last time that a commit was held up.
  caf::actor_clock::time_point held_since; ///< When that began.
  std::uint32_t attempt = 0;
  std::uint64_t attempt_number = 0;
  std::mt19937_64 random;
  std::set<caf::actor_addr> refused_senders;
  bool adopted_anew = false; ///< Changes decided under an earlier epoch of a shard may wait.
  std::unordered_map<hosted_item, std::uint64_t> generations; ///< The newest life of each.
  /// Lives that began before their shard was given up: whatever survives of them is refused even
  /// when the shard comes back.
  std::map<core::shard_id, std::uint64_t> ended_lives;
  caf::actor follower;
  caf::strong_actor_ptr membership; ///< The actor that has told of the shards; null before.
  std::vector<caf::response_promise> settling;
  /// A request that waits until nothing of some shards is under way.
  struct shards_settling {
    std::set<core::shard_id> shards;
    caf::response_promise promise;
  };
  std::vector<shards_settling> shards_settling;

  core::instant traced_since; ///< The first try of `batch`, by the clock of the tracer.

  // --- metrics ---
  std::optional<metrics::change_counter> counted;
  metrics::histogram* commit_seconds = nullptr;
  metrics::histogram* commit_changes = nullptr;
};

namespace {

using self_ptr = caf::stateful_actor<writer_state>*;

/// The change takes no room in the queue any more.
void forget(writer_state& st, const queued_change& change) { st.queued_weight -= change.weight; }

void send_answer(self_ptr self, const caf::strong_actor_ptr& sender, write_done done) {
  if (sender)
    self->send(caf::actor_cast<caf::actor>(sender), std::move(done));
}

/// Answers a change that will not be written.
void answer(self_ptr self, const queued_change& change, core::failure why) {
  forget(self->state, change);
  send_answer(self, change.sender, {change.ticket, std::move(why)});
}

/// Changes of one sender, right after each other, that are answered by one message.
struct answered_run {
  const caf::strong_actor_ptr* sender;
  write_done done;
};

/// The run among the last few that `change` continues, or null. A queue has many changes in a
/// commit; who has one in each of many need not be looked for far.
answered_run* continued_by(std::vector<answered_run>& runs, const queued_change& change) {
  constexpr std::ptrdiff_t far_enough = 4;
  const auto first = runs.end() - std::min(far_enough, std::distance(runs.begin(), runs.end()));
  const auto found = std::find_if(first, runs.end(), [&](const answered_run& run) {
    return *run.sender == change.sender && run.done.ticket + 1 == change.ticket
           && run.done.failure.code == core::errc::none;
  });
  return found == runs.end() ? nullptr : &*found;
}

/// Tells senders and the follower what has been committed.
void tell_durable(self_ptr self) {
  auto& st = self->state;
  for (auto& events : st.durable_events)
    if (st.follower)
      self->send(st.follower, std::move(events));
  st.durable_events.clear();
  std::vector<answered_run> runs;
  for (const auto& change : st.durable) {
    forget(st, change);
    if (change.refused.code != core::errc::none) {
      runs.push_back({&change.sender, {change.ticket, change.refused}});
      continue;
    }
    ++st.context->gauges.writer.changes;
    if (auto* run = continued_by(runs, change)) {
      run->done.ticket = change.ticket;
      ++run->done.tickets;
    } else {
      runs.push_back({&change.sender, {change.ticket, {}}});
    }
  }
  for (auto& run : runs)
    send_answer(self, *run.sender, std::move(run.done));
  st.durable.clear();
}

/// Refuses `change` and, unless it `stands_alone`, everything that its sender decided after it:
/// those decisions stood on it.
void refuse(self_ptr self, const queued_change& change, const core::failure& why,
            bool stands_alone = false) {
  auto& st = self->state;
  ++st.context->gauges.writer.refused;
  st.context->log(log_level::error, "change_refused",
                  {{"shard", std::to_string(change.shard)}, {"reason", why.detail}});
  if (change.sender && !stands_alone) {
    st.refused_senders.insert(caf::actor_cast<caf::actor_addr>(change.sender));
    self->monitor(caf::actor_cast<caf::actor>(change.sender));
  }
  answer(self, change, why);
}

/// Takes from the queue what may share one transaction, in order.
std::vector<queued_change> select(writer_state& st) {
  std::vector<queued_change> selected;
  core::batch_footprint footprint;
  std::set<core::shard_id>
      closed; // a shard's order is kept: after one that must wait, all of it waits
  // So is a sender's, which may have changes in several shards.
  std::set<const caf::actor_control_block*> behind;
  std::deque<queued_change> rest;
  std::size_t weight = 0;
  const auto batch_max = st.context->settings.batching.batch_max;
  while (!st.queue.empty()) {
    auto& next = st.queue.front();
    const bool fits = weight == 0 || weight + next.weight <= batch_max;
    if (!fits && closed.empty())
      break;
    const bool follows = closed.count(next.shard) != 0 || behind.count(next.sender.get()) != 0;
    if (!fits || follows || !footprint.admit(next.changes)) {
      closed.insert(next.shard);
      if (next.sender)
        behind.insert(next.sender.get());
      rest.push_back(std::move(next));
    } else {
      weight += next.weight;
      selected.push_back(std::move(next));
    }
    st.queue.pop_front();
    // Looking far ahead for changes of other shards costs more than another commit.
    if (rest.size() > 2 * batch_max)
      break;
  }
  st.queue.insert(st.queue.begin(), std::make_move_iterator(rest.begin()),
                  std::make_move_iterator(rest.end()));
  return selected;
}

/// Where the shard will stand once `before`, if it has a part in it, is in.
persistence::shard_fence fence_after(const writer_state& st, core::shard_id shard,
                                     const persistence::write_batch* before) {
  auto fence = st.fences.at(shard);
  if (before != nullptr)
    for (const auto& part : before->shards)
      if (part.shard == shard && part.epoch == fence.epoch) {
        fence.batch_seq = part.batch_seq;
        fence.last_event = part.first_event - 1 + part.event_count();
      }
  return fence;
}

/// Builds the transaction of [first, last) of `selected`, to follow `before` if there is one. The
/// changes move into it.
persistence::write_batch build(const writer_state& st, std::vector<queued_change>& selected,
                               const span& range, const persistence::write_batch* before) {
  std::map<core::shard_id, persistence::shard_batch> shards;
  for (auto i = range.first; i < range.second; ++i) {
    auto& change = selected[i];
    auto& part = shards[change.shard];
    if (part.changes.empty()) {
      const auto fence = fence_after(st, change.shard, before);
      part.shard = change.shard;
      part.epoch = fence.epoch;
      part.batch_seq = fence.batch_seq + 1;
      part.first_event = fence.last_event + 1;
    }
    part.changes.push_back(std::move(change.changes));
  }
  persistence::write_batch batch;
  for (auto& [id, part] : shards)
    batch.shards.push_back(std::move(part));
  return batch;
}

/// Takes a batch apart again, into [first, last) of `selected`: nothing of it was written, and it
/// will not be tried as it is.
void take_apart(persistence::write_batch& batch, std::vector<queued_change>& selected,
                const span& range) {
  std::map<core::shard_id, std::vector<core::change>::iterator> next;
  for (auto& part : batch.shards)
    next[part.shard] = part.changes.begin();
  for (auto i = range.first; i < range.second; ++i)
    selected[i].changes = std::move(*next.at(selected[i].shard)++);
  batch = {};
}

void unbuild(writer_state& st) {
  take_apart(st.batch, st.selected, st.ranges.back());
  st.batch_built = false;
}

/// Whether something that waits may be void; see `drop_void`.
bool some_may_be_void(const writer_state& st) {
  return !st.refused_senders.empty() || st.adopted_anew;
}

/// Whether what waits would fill a batch by half. With less it pays to see what else comes.
bool another_batch_waits(const writer_state& st) {
  const auto enough = (st.context->settings.batching.batch_max + 1) / 2;
  std::size_t weight = 0;
  for (auto change = st.queue.begin(); change != st.queue.end() && weight < enough; ++change)
    weight += change->weight;
  return weight >= enough;
}

/// Makes the next batch ready, if there is enough for one and nothing speaks against it.
void prepare_next(writer_state& st) {
  st.spent_changes.clear();
  st.spent_batch = {};
  if (st.next || st.ranges.size() != 1 || some_may_be_void(st) || !another_batch_waits(st))
    return;
  auto& next = st.next.emplace();
  next.selected = select(st);
  next.batch = build(st, next.selected, {0, next.selected.size()}, &st.batch);
  st.store->encode(next.batch);
}

/// Puts what was made ready back where it came from.
void abandon_next(writer_state& st) {
  if (!st.next)
    return;
  auto& [selected, batch] = *st.next;
  take_apart(batch, selected, {0, selected.size()});
  st.queue.insert(st.queue.begin(), std::make_move_iterator(selected.begin()),
                  std::make_move_iterator(selected.end()));
  st.next.reset();
}

/// Takes up what is to be committed next.
void take_up(writer_state& st) {
  if (some_may_be_void(st))
    abandon_next(st);
  st.spent_changes = std::move(st.selected);
  st.spent_batch = std::move(st.batch);
  if (st.next) {
    st.selected = std::move(st.next->selected);
    st.batch = std::move(st.next->batch);
    st.batch_built = true;
    st.next.reset();
  } else {
    st.selected = select(st);
  }
  if (!st.selected.empty())
    st.ranges.push_back({0, st.selected.size()});
}

/// Counts the batch that has just been committed.
void count_committed(writer_state& st) {
  std::map<core::shard_id, const core::change*> next; // as `build` has put them together
  for (const auto& part : st.batch.shards)
    next[part.shard] = part.changes.data();
  const auto [first, last] = st.ranges.back();
  const auto& tracer = st.context->settings.tracer;
  told_commit commit;
  if (tracer)
    commit = {st.traced_since, tracer->now(), last - first};
  for (auto i = first; i < last; ++i) {
    const auto& change = *next.at(st.selected[i].shard)++;
    st.counted->count(change, st.selected[i].item);
    if (tracer)
      tell_commit(*tracer, commit, change, st.selected[i].item);
  }
  st.commit_changes->observe(static_cast<double>(last - first));
  st.commit_seconds->observe(std::chrono::duration<double>(*st.took).count());
}

void on_committed(self_ptr self) {
  auto& st = self->state;
  count_committed(st);
  for (auto& part : st.batch.shards) {
    const auto found = st.fences.find(part.shard);
    if (found == st.fences.end() || found->second.epoch != part.epoch)
      continue; // hosted anew while this batch was in doubt: the new fence has counted it
    auto& fence = found->second;
    fence.batch_seq = part.batch_seq;
    events_committed committed{part.shard, {}};
    for (auto& change : part.changes)
      for (auto& event : change.events)
        committed.events.push_back({{part.shard, ++fence.last_event}, std::move(event)});
    st.context->written.put(part.shard, {fence.epoch, fence.batch_seq, fence.last_event});
    if (!committed.events.empty())
      st.durable_events.push_back(std::move(committed));
  }
  const auto [first, last] = st.ranges.back();
  st.ranges.pop_back();
  for (auto i = first; i < last; ++i)
    st.durable.push_back(std::move(st.selected[i]));
  ++st.context->gauges.writer.commits;
}

/// The changes of [first, last) of `selected` whose ids are in use, by their places there.
std::map<std::size_t, core::failure> taken_among(const writer_state& st, const span& range,
                                                 const std::vector<persistence::taken_id>& taken) {
  std::map<std::pair<core::shard_id, std::size_t>, const persistence::taken_id*> named;
  for (const auto& one : taken)
    named[{one.shard, one.change}] = &one;
  std::map<std::size_t, core::failure> places;
  std::map<core::shard_id, std::size_t> next; // as `build` has put them together
  for (auto i = range.first; i < range.second; ++i) {
    const auto shard = st.selected[i].shard;
    if (const auto found = named.find({shard, next[shard]++}); found != named.end())
      places[i] = {core::errc::already_exists, found->second->detail};
  }
  return places;
}

/// Ids of some changes are in use: whoever can take back what it has decided hears of it in its
/// turn, and all others go on. The rest is committed up to the first of those who cannot.
void on_taken(self_ptr self, const span& range, std::map<std::size_t, core::failure> taken) {
  auto& st = self->state;
  const auto [first, last] = range;
  std::vector<std::size_t> ending;
  for (auto& [place, why] : taken) {
    auto& change = st.selected[place];
    if (!change.alone) {
      ending.push_back(place);
      continue;
    }
    ++st.context->gauges.writer.refused;
    change.changes = {};
    change.refused = std::move(why);
  }
  if (last - first == 1 && !ending.empty())
    return refuse(self, st.selected[first], taken.begin()->second);
  auto end = last;
  for (auto place = ending.rbegin(); place != ending.rend(); ++place) {
    if (*place + 1 < end)
      st.ranges.push_back({*place + 1, end});
    st.ranges.push_back({*place, *place + 1});
    end = *place;
  }
  if (first < end)
    st.ranges.push_back({first, end});
}

void on_refused(self_ptr self, const persistence::commit_result& result) {
  auto& st = self->state;
  const auto range = st.ranges.back();
  const auto [first, last] = range;
  st.ranges.pop_back();
  if (auto taken = taken_among(st, range, result.taken); !taken.empty())
    return on_taken(self, range, std::move(taken));
  if (last - first == 1) {
    refuse(self, st.selected[first], {core::errc::refused_by_store, result.reason});
    return;
  }
  const auto halves = core::bisect(first, last);
  st.ranges.push_back(halves.second);
  st.ranges.push_back(halves.first);
}

/// Nothing that was decided for these shards under the epochs of the batch can be written any more,
/// for the reason `why`. Returns them with those epochs.
std::map<core::shard_id, core::epoch>
give_up(self_ptr self, const std::vector<core::shard_id>& lost, const core::failure& why) {
  auto& st = self->state;
  std::map<core::shard_id, core::epoch> shards;
  for (const auto& part : st.batch.shards)
    if (std::find(lost.begin(), lost.end(), part.shard) != lost.end()) {
      shards.emplace(part.shard, part.epoch);
      st.context->gauges.writer.stale += part.changes.size();
    }
  unbuild(st);
  // Membership may have taken the shard over anew meanwhile: that epoch is not lost.
  for (const auto& [shard, epoch] : shards)
    if (const auto fence = st.fences.find(shard);
        fence != st.fences.end() && fence->second.epoch == epoch)
      st.fences.erase(fence);
  // Everything selected but not yet committed goes back in front, in order, without the lost
  // shards.
  std::vector<queued_change> keep;
  for (auto part = st.ranges.rbegin(); part != st.ranges.rend(); ++part)
    for (auto i = part->first; i < part->second; ++i)
      keep.push_back(std::move(st.selected[i]));
  for (auto& change : st.queue)
    keep.push_back(std::move(change));
  st.queue.clear();
  st.ranges.clear();
  for (auto& change : keep) {
    const auto at = shards.find(change.shard);
    if (at != shards.end() && change.epoch <= at->second)
      answer(self, change, why);
    else
      st.queue.push_back(std::move(change));
  }
  return shards;
}

void on_fenced(self_ptr self, const std::vector<core::shard_id>& lost) {
  const auto shards =
      give_up(self, lost, {core::errc::fenced, "another host has taken the shard over"});
  self->state.context->log(log_level::warning, "shards_lost",
                           {{"count", std::to_string(shards.size())}});
}

/// The database lacks commits that the batch follows from: the database was promoted from a standby
/// that had not got these commits, or restored. No takeover will ever end that loss, so this node
/// ends it: membership takes the shards anew, and everything above is loaded again.
void on_history_lost(self_ptr self, const persistence::commit_result& result) {
  auto& st = self->state;
  const auto shards =
      give_up(self, result.fenced,
              {core::errc::unavailable, "the database has lost commits of the shard; it is taken"
                                        " over anew from what there is"});
  st.context->log(log_level::error, "commits_lost",
                  {{"count", std::to_string(shards.size())}, {"reason", result.reason}});
  if (st.membership)
    self->send(caf::actor_cast<caf::actor>(st.membership),
               history_doubted{{shards.begin(), shards.end()}});
}

/// Why `change` may not be written any more: its sender was refused, or the shard is hosted anew
/// since. No failure when it may.
core::failure why_void(const writer_state& st, const queued_change& change) {
  const auto fence = st.fences.find(change.shard);
  if (fence == st.fences.end() || fence->second.epoch != change.epoch)
    return {core::errc::fenced, "decided under an earlier epoch of the shard"};
  if (!st.refused_senders.empty() && change.sender
      && st.refused_senders.count(caf::actor_cast<caf::actor_addr>(change.sender)) != 0)
    return {core::errc::refused_by_store, "an earlier decision of this actor was refused"};
  return {};
}

/// Answers `change` when it may not be written any more. False when it may.
bool answer_void(self_ptr self, const queued_change& change) {
  auto why = why_void(self->state, change);
  if (why.code == core::errc::none)
    return false;
  answer(self, change, std::move(why));
  return true;
}

/// Drops what may not be written any more: from what is selected and from the queue behind it.
void drop_void(self_ptr self) {
  auto& st = self->state;
  if (!some_may_be_void(st))
    return;
  tell_durable(self); // every sender is answered in the order of its changes
  st.adopted_anew = false;
  std::vector<queued_change> keep;
  for (auto part = st.ranges.rbegin(); part != st.ranges.rend(); ++part) {
    const auto start = keep.size();
    for (auto i = part->first; i < part->second; ++i)
      if (!answer_void(self, st.selected[i]))
        keep.push_back(std::move(st.selected[i]));
    *part = {start, keep.size()};
  }
  st.selected = std::move(keep);
  st.ranges.erase(std::remove_if(st.ranges.begin(), st.ranges.end(),
                                 [](const span& r) { return r.first == r.second; }),
                  st.ranges.end());
  st.queue.erase(std::remove_if(st.queue.begin(), st.queue.end(),
                                [&](const auto& change) { return answer_void(self, change); }),
                 st.queue.end());
}

/// Nothing waits: everything that came has been answered.
bool is_settled(const writer_state& st) {
  return st.queue.empty() && !st.next && st.ranges.empty() && st.durable.empty();
}

/// Something of the shards has come and not been answered.
bool has_any_of(const writer_state& st, const std::set<core::shard_id>& shards) {
  const auto concerned = [&](const queued_change& change) {
    return shards.count(change.shard) != 0;
  };
  const auto any = [&](const auto& changes) {
    return std::any_of(changes.begin(), changes.end(), concerned);
  };
  return (!st.ranges.empty() && any(st.selected)) || any(st.durable) || any(st.queue)
         || (st.next && any(st.next->selected));
}

void tell_shards_settled(writer_state& st) {
  auto& waiting = st.shards_settling;
  waiting.erase(std::remove_if(waiting.begin(), waiting.end(),
                               [&](auto& one) {
                                 if (has_any_of(st, one.shards))
                                   return false;
                                 one.promise.deliver(settled{});
                                 return true;
                               }),
                waiting.end());
}

void tell_settled(self_ptr self) {
  auto& st = self->state;
  tell_shards_settled(st);
  if (!is_settled(st))
    return;
  for (auto& promise : st.settling)
    promise.deliver(settled{});
  st.settling.clear();
}

/// How late the system may wake a thread that sleeps by the clock.
constexpr unsigned long timer_slack_ns = 1000;

void arm_flush(self_ptr self) {
  auto& st = self->state;
  if (!st.flush_armed && !(st.queue.empty() && !st.next && st.durable.empty())) {
    st.flush_armed = true;
    self->send(self, flush_tick{});
  }
}

/// Counts the doubts about the batch, and what has become of them.
void note_doubt(writer_state& st, const persistence::commit_result& result) {
  auto& gauges = st.context->gauges.writer;
  switch (result.status) {
  case persistence::commit_status::in_doubt:
    if (!std::exchange(st.doubted, true))
      ++gauges.in_doubt;
    return;
  case persistence::commit_status::unavailable: // which says nothing of earlier tries
    return;
  case persistence::commit_status::committed:
    if (std::exchange(st.doubted, false))
      ++(result.before ? gauges.found_committed : gauges.found_not_committed);
    return;
  case persistence::commit_status::refused:
    if (std::exchange(st.doubted, false))
      ++gauges.found_not_committed;
    return;
  case persistence::commit_status::fenced: // the next host knows, and goes on from there
  case persistence::commit_status::history_lost:
    if (std::exchange(st.doubted, false))
      ++gauges.never_found;
    return;
  }
}

/// Works through the ranges until they are done or the database does not answer.
void commit(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  while (!st.ranges.empty()) {
    if (!st.batch_built) {
      drop_void(self);
      if (st.ranges.empty())
        break;
      st.batch = build(st, st.selected, st.ranges.back(), nullptr);
      st.batch_built = true;
    }
    if (const auto& tracer = st.context->settings.tracer; tracer && st.attempt == 0)
      st.traced_since = tracer->now();
    const auto began = self->clock().now();
    auto result = st.store->commit_while(st.batch, [=] {
      tell_durable(self);
      prepare_next(self->state);
    });
    note_doubt(st, result);
    st.context->gauges.database_up = result.status != persistence::commit_status::unavailable
                                     && result.status != persistence::commit_status::in_doubt;
    if (result.status != persistence::commit_status::committed)
      abandon_next(st);
    switch (result.status) {
    case persistence::commit_status::committed:
      st.batch_built = false;
      st.attempt = 0;
      st.took = std::chrono::duration_cast<core::duration>(self->clock().now() - began);
      on_committed(self);
      break;
    case persistence::commit_status::refused:
      unbuild(st);
      st.attempt = 0;
      on_refused(self, result);
      break;
    case persistence::commit_status::fenced:
      st.attempt = 0;
      on_fenced(self, result.fenced);
      break;
    case persistence::commit_status::history_lost:
      st.attempt = 0;
      on_history_lost(self, result);
      break;
    case persistence::commit_status::unavailable:
    case persistence::commit_status::in_doubt: {
      ++st.attempt;
      const auto& settings = st.context->settings;
      const auto wait = core::full_jitter(st.attempt, settings.writer_retry_min,
                                          settings.writer_retry_max, st.random());
      st.context->log(log_level::warning, "commit_unresolved",
                      {{"attempt", std::to_string(st.attempt)}, {"reason", result.reason}});
      self->delayed_send(self, wait, retry_tick{++st.attempt_number});
      return;
    }
    }
  }
  arm_flush(self);
}

/// Has it looked after `pause` who has come by then. Where that is often, the writer's thread, if
/// it has one of its own, sleeps by the clock: a thread that waits for messages is woken by the
/// first, waits again some microseconds later, and each who sends one pays for waking it.
void look_again_in(self_ptr self, core::duration pause) {
  auto& st = self->state;
  const held_up_tick tick{st.holds};
  if (!st.context->settings.blocking_store || !st.rejoining.looks_often())
    return self->delayed_send(self, pause, tick);
  ::prctl(PR_SET_TIMERSLACK, timer_slack_ns, 0UL, 0UL, 0UL); // 50 us otherwise
  std::this_thread::sleep_for(pause);
  self->send(self, tick); // behind those who have come
}

/// Whether the next commit waits for those whom the last one has answered. They are told at once
/// then: their next requests are what it waits for.
bool hold_up(self_ptr self) {
  auto& st = self->state;
  const auto took = std::exchange(st.took, std::nullopt);
  if (!took || st.next || !st.ranges.empty())
    return false;
  const auto pause = st.rejoining.begin(st.durable.size(), st.queue.size(), *took);
  if (pause <= core::duration::zero())
    return false;
  st.flush_armed = false;
  tell_durable(self);
  tell_settled(self);
  ++st.holds;
  st.held_since = self->clock().now();
  look_again_in(self, pause);
  return true;
}

/// The commit is held up: looks for those whom it waits for.
void look_out(self_ptr self, const held_up_tick& tick) {
  auto& st = self->state;
  if (tick.number != st.holds || !st.rejoining.holds(st.queue.size()))
    return; // enough have come, and the flush is armed
  const auto passed =
      std::chrono::duration_cast<core::duration>(self->clock().now() - st.held_since);
  if (const auto more = st.rejoining.go_on(st.queue.size(), passed); more > core::duration::zero())
    return look_again_in(self, more);
  st.rejoining.end(st.queue.size());
  arm_flush(self);
}

/// Commits what has gathered. What came while the last commit was under way has been read by now.
void flush(self_ptr self) {
  auto& st = self->state;
  st.flush_armed = false;
  if (!st.ranges.empty())
    return; // a retry is under way and will go on with the queue
  st.rejoining.end(st.queue.size());
  take_up(st);
  if (st.ranges.empty())
    tell_durable(self);
  else
    commit(self);
  tell_settled(self);
}

/// Whether the change may be queued; notes the epoch under which it was decided.
core::failure admit(self_ptr self, const decider& from, queued_change& change) {
  auto& st = self->state;
  const auto ended = st.ended_lives.find(from.shard);
  const bool is_nobody = from.item == hosted_item{}; // decides from no state of its own
  if (!is_nobody && ended != st.ended_lives.end() && from.generation <= ended->second)
    return {core::errc::fenced, "decided before the shard was given up"};
  auto& generation = st.generations[from.item];
  if (from.generation < generation)
    return {core::errc::unavailable, "the step has been started again meanwhile"};
  generation = from.generation;
  const auto fence = st.fences.find(change.shard);
  if (fence == st.fences.end())
    return {core::errc::fenced, "this node does not host the shard"};
  change.epoch = fence->second.epoch;
  if (auto why = why_void(st, change); why.code != core::errc::none)
    return why;
  // The queued changes count: one change alone is always taken, whatever its size. A barrier
  // needs no room; an actor that starts again because it was refused waits behind it for the rest.
  if (change.weight > 0
      && st.queued_weight - change.weight > 4 * st.context->settings.batching.high_water)
    return {core::errc::overloaded, "the writer's queue is full"};
  return {};
}

void enqueue(self_ptr self, write_request& request) {
  auto& st = self->state;
  queued_change change{request.from.shard,
                       0,
                       request.ticket,
                       std::move(request.changes),
                       self->current_sender(),
                       0,
                       request.alone,
                       {},
                       {}};
  change.weight = core::weight(change.changes);
  st.queued_weight += change.weight;
  if (const auto why = admit(self, request.from, change); why.code != core::errc::none) {
    tell_durable(self); // every sender is answered in the order of its changes
    if (why.code == core::errc::overloaded)
      refuse(self, change, why, request.from.item == hosted_item{}); // as `admit` knows nobody
    else
      answer(self, change, why);
    return;
  }
  change.item = std::move(request.from.item);
  st.queue.push_back(std::move(change));
  // While a batch waits for its outcome, `commit` arms the next flush.
  if (st.ranges.empty() && !st.rejoining.holds(st.queue.size()))
    arm_flush(self);
}

caf::result<settled> when_settled(self_ptr self, const std::vector<core::shard_id>& shards) {
  auto& st = self->state;
  auto promise = self->make_response_promise<settled>();
  st.shards_settling.push_back({{shards.begin(), shards.end()}, promise});
  tell_shards_settled(st);
  return promise;
}

/// What is under way of them stays until its outcome is known; the rest is void.
caf::result<settled> abandon(self_ptr self, const std::vector<core::shard_id>& shards) {
  auto& st = self->state;
  for (const auto shard : shards) {
    st.fences.erase(shard);
    st.ended_lives[shard] = st.context->next_generation;
  }
  st.adopted_anew = true;
  if (st.ranges.empty())
    arm_flush(self);
  return when_settled(self, shards);
}

caf::behavior writer(self_ptr self, context_ptr context) {
  guard(self, context);
  self->state.random.seed(context->take_seed());
  const auto& limits = context->settings.batching;
  self->state.rejoining = {limits.batch_max / 2, limits.rejoin_max};
  self->state.context = std::move(context);
  auto& registry = *self->state.context->registry;
  self->state.counted.emplace(self->state.context->registry);
  self->state.commit_seconds = &registry.distribute(metrics::metric::commit_seconds);
  self->state.commit_changes = &registry.distribute(metrics::metric::commit_changes);
  self->set_down_handler(
      [=](const caf::down_msg& down) { self->state.refused_senders.erase(down.source); });
  return {
      [=](write_request& request) { enqueue(self, request); },
      [=](flush_tick) {
        if (!hold_up(self))
          flush(self);
      },
      [=](const held_up_tick& tick) { look_out(self, tick); },
      [=](const retry_tick& tick) {
        if (tick.attempt != self->state.attempt_number || self->state.ranges.empty())
          return;
        commit(self);
        tell_settled(self);
      },
      [=](const adopt_shards& adopted) {
        for (const auto& fence : adopted.fences)
          self->state.fences[fence.shard] = fence;
        self->state.membership = self->current_sender();
        self->state.adopted_anew = true;
      },
      [=](const follow_events& follow) { self->state.follower = follow.relay; },
      [=](const settle_shards& m) { return when_settled(self, m.shards); },
      [=](const abandon_shards& m) { return abandon(self, m.shards); },
      [=](settle) -> caf::result<settled> {
        if (is_settled(self->state))
          return settled{};
        auto promise = self->make_response_promise<settled>();
        self->state.settling.push_back(promise);
        return promise;
      },
  };
}

} // namespace

caf::actor spawn_writer(caf::event_based_actor* parent, context_ptr context) {
  return context->settings.blocking_store ? parent->spawn<caf::detached>(writer, context)
                                          : parent->spawn(writer, context);
}

} // namespace holdfast::actors
