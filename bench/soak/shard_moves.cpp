#include "bench/soak/shard_moves.hpp"

#include <algorithm>

namespace holdfast::soak {

namespace {

/// Calls `seen` with the shard before and afterwards; whoever is new has come from nobody.
template <class Function>
void for_each_shard(const shard_hosts& before, const shard_hosts& after, Function seen) {
  for (const auto& [shard, now] : after) {
    const auto found = before.find(shard);
    seen(found == before.end() ? shard_host{} : found->second, now);
  }
}

} // namespace

std::uint64_t moves_between(const shard_hosts& before, const shard_hosts& after) {
  std::uint64_t moves = 0;
  for_each_shard(before, after, [&](const shard_host& then, const shard_host& now) {
    moves += now.epoch - then.epoch;
  });
  return moves;
}

std::uint64_t most_moves_of_one(const shard_hosts& before, const shard_hosts& after) {
  std::uint64_t most = 0;
  for_each_shard(before, after, [&](const shard_host& then, const shard_host& now) {
    most = std::max(most, now.epoch - then.epoch);
  });
  return most;
}

std::uint64_t moves_between_others(const shard_hosts& before, const shard_hosts& after,
                                   const std::string& host) {
  std::uint64_t moved = 0;
  for_each_shard(before, after, [&](const shard_host& then, const shard_host& now) {
    if (now.epoch != then.epoch && then.host != host && now.host != host)
      ++moved;
  });
  return moved;
}

std::uint64_t shards_of(const shard_hosts& all, const std::string& host) {
  return static_cast<std::uint64_t>(std::count_if(
      all.begin(), all.end(), [&](const auto& shard) { return shard.second.host == host; }));
}

bool each_has_shards(const shard_hosts& all, const std::vector<std::string>& running) {
  return std::all_of(running.begin(), running.end(),
                     [&](const auto& host) { return shards_of(all, host) > 0; });
}

} // namespace holdfast::soak
