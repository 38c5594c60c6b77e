#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace holdfast::actors {

/// The consumers of a node, by the name under which they keep their inbox.
inline constexpr auto aggregation_consumer = "aggregation"; ///< Judgments become results.
inline constexpr auto completion_consumer =
    "completion";                                   ///< Finished units are counted; steps complete.
inline constexpr auto routing_consumer = "routing"; ///< Finished units go on to the next steps.
inline constexpr auto task_results_consumer =
    "task_results"; ///< Results of tasks become judgments.

struct consumer_spec {
  std::string name;
  std::vector<core::event_type> types;
};

/// All consumers of a node.
std::vector<consumer_spec> node_consumers();

/// Events of one shard that are set aside, by step and in order.
using events_aside = std::map<core::step_id, std::vector<core::sequenced_event>>;

struct consumer_state {
  static inline const char* name = "consumer";

  context_ptr context;
  consumer_spec spec;
  caf::actor loader;
  caf::actor shards;
  /// What is known to be applied of a shard's events: all up to the cursor in the database, which
  /// may be ahead of the relay's (an earlier relay's last write of it may still have been on its
  /// way), and above it what the inbox holds.
  struct known_applied {
    core::event_seq cursor = 0;
    std::unordered_set<core::event_seq> above;
  };
  std::unordered_map<core::shard_id, known_applied> applied;
  std::unordered_map<core::shard_id, events_aside> aside;
  std::uint64_t attempts =
      0; ///< Deliveries and tries so far; what only an earlier one says is void.
  std::unordered_map<core::shard_id, std::uint64_t> latest_attempt;
};

/// A CONSUMER of the embedded bus: brings events to the step that has to act on them, in order per
/// shard, one delivery per shard at a time, and acknowledges when every effect is durable.
///
/// Exactly once: an effect is written together with the message's id in the consumer's inbox. When
/// a delivery comes again, the consumer reads the inbox first and leaves out what is in it.
caf::behavior consumer(caf::stateful_actor<consumer_state>* self, context_ptr context,
                       consumer_spec spec, caf::actor loader, caf::actor shards, caf::actor relay);

} // namespace holdfast::actors
