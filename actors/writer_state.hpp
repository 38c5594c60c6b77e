#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "core/rejoining.hpp"
#include "metrics/change_counter.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

/// The state of the writer: changes that wait, the batch under way, and answers still to be sent.
namespace holdfast::actors::writing {

/// One change on its way to the database.
struct queued_change {
  core::shard_id shard = 0;
  core::epoch epoch = 0; ///< Under which it was decided.
  std::uint64_t ticket = 0;
  core::change changes;
  caf::strong_actor_ptr sender;
  std::size_t weight = 0;
  bool alone = false;    ///< As in `write_request`.
  core::failure refused; ///< It was, alone: it takes its turn without its writes.
  hosted_item item;      ///< Whose change it is.
};

using span = std::pair<std::size_t, std::size_t>;

struct writer_state {
  static inline const char* name = "writer";

  context_ptr context;
  std::unique_ptr<persistence::store> store;
  std::map<core::shard_id, persistence::shard_fence> fences;
  std::deque<queued_change> queue;
  std::size_t queued_weight = 0;

  /// What is being committed: `selected`, of which `ranges` are still to do, the last one first.
  /// Normally one range that spans all; more after a refusal.
  std::vector<queued_change> selected;
  std::vector<span> ranges;
  persistence::write_batch
      batch; ///< Of the range at the back; kept as it is until its outcome is known.
  bool batch_built = false;
  bool doubted = false; ///< Some try of `batch` may have written it.

  /// The next batch, made ready while the database works on `batch` and on the assumption that this
  /// one goes in; taken apart again when it does not.
  struct next_batch {
    std::vector<queued_change> selected;
    persistence::write_batch batch;
  };
  std::optional<next_batch> next;
  /// What is over, kept until the database has something to do again: freeing it takes time.
  std::vector<queued_change> spent_changes;
  persistence::write_batch spent_batch;

  /// Committed, but not told yet: that happens while the database works on the next batch, which so
  /// need not wait for it.
  std::vector<queued_change> durable;
  std::vector<events_committed> durable_events;

  bool flush_armed = false;
  /// What the last commit took, until the next one has been decided about.
  std::optional<core::duration> took;
  core::rejoining rejoining{0, {}};
  std::uint64_t holds = 0;                 ///< Number of the last time that a commit was held up.
  caf::actor_clock::time_point held_since; ///< When that began.
  std::uint32_t attempt = 0;
  std::uint64_t attempt_number = 0;
  std::mt19937_64 random;
  std::set<caf::actor_addr> refused_senders;
  bool adopted_anew = false; ///< Changes decided under an earlier epoch of a shard may wait.
  std::unordered_map<hosted_item, std::uint64_t> generations; ///< The newest life of each.
  /// Lives that began before their shard was given up: whatever survives of them is refused even
  /// when the shard comes back.
  std::map<core::shard_id, std::uint64_t> ended_lives;
  caf::actor follower;
  caf::strong_actor_ptr membership; ///< The actor that has told of the shards; null before.
  std::vector<caf::response_promise> settling;
  /// A request that waits until nothing of some shards is under way.
  struct shards_settling {
    std::set<core::shard_id> shards;
    caf::response_promise promise;
  };
  std::vector<shards_settling> shards_settling;

  core::instant traced_since; ///< The first try of `batch`, by the clock of the tracer.

  // --- metrics ---
  std::optional<metrics::change_counter> counted;
  metrics::histogram* commit_seconds = nullptr;
  metrics::histogram* commit_changes = nullptr;
};

using self_ptr = caf::stateful_actor<writer_state>*;

} // namespace holdfast::actors::writing
