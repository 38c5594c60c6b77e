#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::soak {

/// Who hosts a shard, as the database says.
struct shard_host {
  std::string host; ///< An incarnation; empty for nobody.
  std::uint64_t epoch = 0;
};

/// By the number of the shard, as text.
using shard_hosts = std::map<std::string, shard_host>;

/// How often all shards together have moved from one look to the next.
std::uint64_t moves_between(const shard_hosts& before, const shard_hosts& after);

/// The same of the shard that has moved most.
std::uint64_t most_moves_of_one(const shard_hosts& before, const shard_hosts& after);

/// Shards that have moved although neither their host before nor the one afterwards is `host`: that
/// somebody joins or leaves concerns nobody else.
std::uint64_t moves_between_others(const shard_hosts& before, const shard_hosts& after,
                                   const std::string& host);

/// Shards of a host.
std::uint64_t shards_of(const shard_hosts& all, const std::string& host);

/// Whether each of `running` has a shard. One that has none has just come, or was fenced, and takes
/// its share soon: shards move then, although nothing happens to them.
bool each_has_shards(const shard_hosts& all, const std::vector<std::string>& running);

} // namespace holdfast::soak
