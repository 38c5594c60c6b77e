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
using repair_id = strong_id<struct repair_tag>;
using correction_id = strong_id<struct correction_tag>;
using webhook_id = strong_id<struct webhook_tag>;
using api_token_id = strong_id<struct api_token_tag>;
using queue_action_id = strong_id<struct queue_action_tag>;

/// One start of a node process; never reused.
using incarnation_id = strong_id<struct incarnation_tag>;

/// The name of a person or program in the requester's own identity system, 1 to 128 bytes of UTF-8
/// without NUL.
using contributor_id = std::string;

/// The name of a queue of tasks: 1 to 64 of `a-z 0-9 _ . -`.
using queue_name = std::string;

/// A process that does tasks, by the name it gave itself, under the rules of `contributor_id`.
using worker_id = contributor_id;

/// Numbers the tasks that producers stage in the database themselves, in order of arrival, from 1.
using staging_id = std::uint64_t;

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

/// FNV-1a over `bytes` (Fowler, Noll, Vo 1991).
template <class Bytes>
std::uint64_t fnv1a(const Bytes& bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const auto byte : bytes)
    hash = (hash ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3ULL;
  return hash;
}

/// The shard that hosts a step, for ever: it never moves to another shard, shards move between
/// nodes. Any stable hash would do, but it may never change (rows are placed by it).
inline shard_id shard_of(const step_id& step, std::uint32_t shards) {
  return static_cast<shard_id>((fnv1a(step.value.bytes) >> 16) % shards);
}

/// The same of an API token.
inline shard_id shard_of(const api_token_id& id, std::uint32_t shards) {
  return shard_of(step_id{id.value}, shards);
}

/// The same of a queue, by its name. Names often differ only at their ends, where FNV-1a has not
/// mixed yet: all of `mail-0` to `mail-9` would share a shard. So its result goes through the
/// finalizer of MurmurHash3 (Appleby 2011).
inline shard_id shard_of(const queue_name& queue, std::uint32_t shards) {
  auto hash = fnv1a(queue);
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
  return static_cast<shard_id>((hash ^ hash >> 33) % shards);
}

} // namespace holdfast::core
