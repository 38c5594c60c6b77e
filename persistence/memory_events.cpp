// The part of `memory_store` that is about the outbox: events are read, and forgotten when they are
// old.

#include "persistence/event_text.hpp"
#include "persistence/memory_store.hpp"
#include "persistence/undeletable.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace holdfast::persistence {

core::outcome<std::vector<core::sequenced_event>>
memory_store::events_after(core::shard_id shard, core::event_seq after, std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto& damaged = database_->damaged_events_;
  std::vector<core::sequenced_event> events;
  const auto rows = t.outbox.find(shard);
  if (rows == t.outbox.end())
    return events;
  // From the row that holds `after + 1`, which is the last one to begin at or below it.
  auto row = std::upper_bound(rows->second.begin(), rows->second.end(), after + 1,
                              [](auto seq, const auto& r) { return seq < r.first_seq; });
  if (row != rows->second.begin())
    --row;
  while (row != rows->second.end() && row->first_seq + row->events.size() - 1 <= after)
    ++row;
  auto last_start = after + std::max<std::uint32_t>(limit, 1);
  if (row != rows->second.end())
    last_start = std::max(last_start, row->first_seq); // it may lie behind a gap
  for (; row != rows->second.end() && row->first_seq <= last_start; ++row) {
    const auto count = static_cast<std::uint32_t>(row->events.size());
    const bool readable = !damaged || !damaged({shard, row->first_seq});
    auto stored = readable ? std::vector<core::sequenced_event>{}
                           : unreadable_events({shard, row->first_seq, count, row->committed_at},
                                               memory::row_is_damaged);
    for (std::uint32_t i = 0; readable && i < count; ++i)
      stored.push_back({{shard, row->first_seq + i}, row->events[i]});
    std::copy_if(std::make_move_iterator(stored.begin()), std::make_move_iterator(stored.end()),
                 std::back_inserter(events), [&](const auto& e) { return e.id.seq > after; });
  }
  return events;
}

core::outcome<std::uint32_t> memory_store::prune_events(core::shard_id shard,
                                                        core::incarnation_id incarnation,
                                                        const prunable& most) {
  const std::lock_guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (!memory::hosts(t, shard, incarnation))
    return memory::not_the_host;
  auto needed_by_none = most.consumers.empty() ? 0 : std::numeric_limits<core::event_seq>::max();
  for (const auto& consumer : most.consumers) {
    const auto at = t.cursors.find({consumer, shard});
    needed_by_none = std::min(needed_by_none, at == t.cursors.end() ? 0 : at->second);
  }
  const auto& damaged = database_->damaged_events_;
  auto& rows = t.outbox[shard];
  auto& pruned_seq = t.shards[shard].pruned_seq;
  std::uint32_t gone = 0;
  std::vector<std::string> left;
  auto stays = rows.begin(); // those up to here, of the rows that were looked at
  auto row = rows.begin();
  for (; row != rows.end() && gone < most.rows; ++row) {
    const auto last = row->first_seq + row->events.size() - 1;
    if (last > needed_by_none || row->committed_at >= most.committed_before)
      break;
    if (damaged && damaged({shard, row->first_seq})) {
      left.push_back(name_of_events(shard, row->first_seq));
      std::iter_swap(stays++, row);
      continue;
    }
    pruned_seq = std::max(pruned_seq, last);
    ++gone;
  }
  rows.erase(stays, row);
  for (auto noted = t.inbox.begin(); noted != t.inbox.end();) {
    auto& messages = noted->second;
    messages.erase(messages.lower_bound({shard, 0}), messages.upper_bound({shard, pruned_seq}));
    noted = messages.empty() ? t.inbox.erase(noted) : std::next(noted);
  }
  if (!left.empty() && gone < most.rows)
    return cannot_be_deleted("rows of events", left, memory::row_is_damaged);
  return gone;
}

} // namespace holdfast::persistence
