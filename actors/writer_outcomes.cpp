#include "actors/writer_outcomes.hpp"

#include "actors/commit_spans.hpp"
#include "actors/writer_answers.hpp"
#include "actors/writer_batches.hpp"
#include "core/batching.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::actors::writing {

namespace {

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

/// Answers `change` when it may not be written any more. False when it may.
bool answer_void(self_ptr self, const queued_change& change) {
  auto why = why_void(self->state, change);
  if (why.code == core::errc::none)
    return false;
  answer(self, change, std::move(why));
  return true;
}

} // namespace

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

void on_fenced(self_ptr self, const std::vector<core::shard_id>& lost) {
  const auto shards =
      give_up(self, lost, {core::errc::fenced, "another host has taken the shard over"});
  self->state.context->log(log_level::warning, "shards_lost",
                           {{"count", std::to_string(shards.size())}});
}

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

core::failure why_void(const writer_state& st, const queued_change& change) {
  const auto fence = st.fences.find(change.shard);
  if (fence == st.fences.end() || fence->second.epoch != change.epoch)
    return {core::errc::fenced, "decided under an earlier epoch of the shard"};
  if (!st.refused_senders.empty() && change.sender
      && st.refused_senders.count(caf::actor_cast<caf::actor_addr>(change.sender)) != 0)
    return {core::errc::refused_by_store, "an earlier decision of this actor was refused"};
  return {};
}

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

} // namespace holdfast::actors::writing
