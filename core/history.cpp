#include "core/history.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

void raise(shard_mark& known, const shard_mark& seen) {
  known.at = std::max(known.at, seen.at);
  known.batches = std::max(known.batches, seen.batches);
  known.events = std::max(known.events, seen.events);
}

std::string text_of(const shard_mark& mark) {
  return "epoch " + std::to_string(mark.at) + ", batch " + std::to_string(mark.batches) + ", event "
         + std::to_string(mark.events);
}

} // namespace

std::string seen_history::look(const cluster_view& view, const shard_marks& written) {
  for (const auto& [shard, mark] : written)
    raise(marks_[shard], mark);
  shard_marks stored;
  for (const auto& shard : view.shards)
    stored[shard.shard] = {shard.at, shard.batches, shard.events};
  std::string forgotten;
  if (view.generation < generation_)
    forgotten = "it is of generation " + std::to_string(view.generation) + ", and generation "
                + std::to_string(generation_) + " was seen";
  std::size_t others = 0;
  for (const auto& [shard, known] : marks_) {
    const auto found = stored.find(shard);
    if (found != stored.end() && found->second.at >= known.at
        && found->second.batches >= known.batches && found->second.events >= known.events)
      continue;
    if (!forgotten.empty()) { // one tells enough
      ++others;
      continue;
    }
    forgotten = "shard " + std::to_string(shard)
                + (found == stored.end() ? " has no row" : " is at " + text_of(found->second))
                + ", and was at " + text_of(known);
  }
  if (others > 0)
    forgotten += "; " + std::to_string(others) + " more shards";
  for (const auto& [shard, mark] : stored)
    raise(marks_[shard], mark);
  generation_ = std::max(generation_, view.generation);
  return forgotten;
}

} // namespace holdfast::core
