#pragma once

#include "core/uuid.hpp"

#include <cstdint>
#include <string>

namespace holdfast::core {

using workflow_id = strong_id<struct workflow_tag>;
using step_id = strong_id<struct step_tag>;
using unit_id = strong_id<struct unit_tag>;
using assignment_id = strong_id<struct assignment_tag>;
using judgment_id = strong_id<struct judgment_tag>;
using task_id = strong_id<struct task_tag>;

/// One start of a node process; never reused.
using incarnation_id = strong_id<struct incarnation_tag>;

/// The name of a person or program in the requester's own identity system, 1 to 128 bytes of UTF-8
/// without NUL.
using contributor_id = std::string;

/// The name of a queue of tasks: 1 to 64 of `a-z 0-9 _ . -`.
using queue_name = std::string;

/// A process that does tasks, by the name it gave itself, under the rules of `contributor_id`.
using worker_id = contributor_id;

/// Fencing token of a lease: 1 for the first grant of an item, strictly growing with each grant.
using token = std::uint64_t;

/// Number of a shard, 0 to shards - 1.
using shard_id = std::uint32_t;

/// Fencing number of a shard: raised at every change of host.
using epoch = std::uint64_t;

/// Place of an event in its shard's gapless sequence, from 1.
using event_seq = std::uint64_t;

/// Names one event of one shard. It is the id consumers write into their inbox.
struct message_id {
  shard_id shard = 0;
  event_seq seq = 0;

  friend bool operator==(const message_id& a, const message_id& b) {
    return a.shard == b.shard && a.seq == b.seq;
  }
  friend bool operator<(const message_id& a, const message_id& b) {
    return a.shard != b.shard ? a.shard < b.shard : a.seq < b.seq;
  }
};

/// The shard that hosts a step, for ever: it never moves to another shard, shards move between
/// nodes. FNV-1a over the id; any stable hash would do, but it may never change (rows are placed by
/// it).
template <class Bytes>
shard_id shard_of_bytes(const Bytes& bytes, std::uint32_t shards) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto byte : bytes)
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3ULL;
  return static_cast<shard_id>((hash >> 16) % shards);
}
inline shard_id shard_of(const step_id& step, std::uint32_t shards) {
  return shard_of_bytes(step.value.bytes, shards);
}
/// The same of a queue, by its name.
inline shard_id shard_of(const queue_name& queue, std::uint32_t shards) {
  return shard_of_bytes(queue, shards);
}

} // namespace holdfast::core
