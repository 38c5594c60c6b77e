#include "persistence/memory_store.hpp"
#include "persistence/unreadable_letter.hpp"

#include <algorithm>

namespace holdfast::persistence {

core::outcome<std::vector<stored_webhook>> memory_store::list_webhooks() {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<stored_webhook> found;
  for (const auto& [id, row] : database_->tables_.webhooks)
    found.push_back({id, row.name, row.definition, row.paused, row.revision, row.created_at});
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

core::outcome<std::vector<webhook_place>> memory_store::webhook_places(core::webhook_id webhook) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& tables = database_->tables_;
  std::vector<webhook_place> found;
  for (auto [at, end] = memory::rows_of(tables.webhook_places, webhook); at != end; ++at) {
    const auto shard = at->first.second;
    const auto& row = at->second;
    found.push_back(
        {shard, row.seq, tables.shards[shard].event_seq, row.stopped_revision, row.reason, 0});
  }
  for (auto [at, end] = memory::rows_of(tables.dead_letters, webhook); at != end; ++at)
    ++found[at->first.second.shard].dead_letters;
  return found;
}

core::outcome<std::vector<dead_letter>>
memory_store::list_dead_letters(const dead_letter_filter& filter) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& letters = database_->tables_.dead_letters;
  const auto& damaged = database_->damaged_letters_;
  std::vector<dead_letter> found;
  for (auto at = letters.upper_bound({filter.webhook, {filter.shard, filter.after}});
       at != letters.end() && found.size() < filter.limit && at->first.first == filter.webhook
       && at->first.second.shard == filter.shard;
       ++at)
    if (at->second.replayed || !filter.replayed_only) {
      const dead_letter letter{at->second.made, at->second.replayed};
      if (!damaged || !damaged(letter.made.event))
        found.push_back(letter);
      else if (!filter.replayed_only)
        found.push_back(unreadable_letter(letter, memory::row_is_damaged));
    }
  return found;
}

} // namespace holdfast::persistence
