#include "actors/writer_batches.hpp"

#include "core/batching.hpp"

#include <iterator>

namespace holdfast::actors::writing {

namespace {

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

/// Whether what waits would fill a batch by half. With less it pays to see what else comes.
bool another_batch_waits(const writer_state& st) {
  const auto enough = (st.context->settings.batching.batch_max + 1) / 2;
  std::size_t weight = 0;
  for (auto change = st.queue.begin(); change != st.queue.end() && weight < enough; ++change)
    weight += change->weight;
  return weight >= enough;
}

} // namespace

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

void unbuild(writer_state& st) {
  take_apart(st.batch, st.selected, st.ranges.back());
  st.batch_built = false;
}

bool some_may_be_void(const writer_state& st) {
  return !st.refused_senders.empty() || st.adopted_anew;
}

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

void abandon_next(writer_state& st) {
  if (!st.next)
    return;
  auto& [selected, batch] = *st.next;
  take_apart(batch, selected, {0, selected.size()});
  st.queue.insert(st.queue.begin(), std::make_move_iterator(selected.begin()),
                  std::make_move_iterator(selected.end()));
  st.next.reset();
}

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

} // namespace holdfast::actors::writing
