#include "persistence/memory_store.hpp"

#include <algorithm>
#include <map>

namespace holdfast::persistence {

/// As in migrations/0039_tokens_of_generations.sql.
static constexpr std::uint64_t tokens_of_generation = 100'000'000'000;

// The function of the same name of that migration.
core::outcome<bool> memory_store::begin_generation(const known_history& known, bool restored) {
  const std::lock_guard<std::mutex> lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  if (t.shards.empty())
    return core::failure{core::errc::not_found, "the database knows of no cluster"};
  std::map<core::shard_id, shard_fence> seen;
  bool forgotten = t.generation < known.generation;
  for (const auto& mark : known.shards) {
    seen[mark.shard] = mark;
    const auto* row = mark.shard < t.shards.size() ? &t.shards[mark.shard] : nullptr;
    if (row == nullptr || row->epoch < mark.epoch || row->batch_seq < mark.batch_seq
        || row->event_seq < mark.last_event)
      forgotten = true;
  }
  const bool moved = !t.server.empty() && t.server != database_->server_;
  if (!restored && !forgotten && !moved)
    return false;
  const auto above = static_cast<std::uint64_t>(core::to_micros(database_->clock_()));
  auto reached = std::max(t.numbers_above, above);
  for (const auto& mark : known.shards)
    reached = std::max({reached, mark.epoch, mark.batch_seq, mark.last_event});
  t.generation = std::max(t.generation, known.generation) + 1;
  t.generation_began = database_->clock_();
  t.numbers_above = reached + tokens_of_generation;
  t.server = database_->server_;
  for (core::shard_id number = 0; number < t.shards.size(); ++number) {
    auto& row = t.shards[number];
    const auto& mark = seen[number];
    const auto last = row.event_seq;
    row.epoch = std::max({row.epoch, mark.epoch, above}) + 1;
    row.batch_seq = std::max({row.batch_seq, mark.batch_seq, above}) + 1;
    row.event_seq = std::max({row.event_seq, mark.last_event, above}) + 1;
    auto& gaps = t.event_gaps[number];
    if (!gaps.empty() && gaps.back().last == last) // without an event since the one before
      gaps.back().last = row.event_seq;
    else
      gaps.push_back({last + 1, row.event_seq});
  }
  return true;
}

} // namespace holdfast::persistence
