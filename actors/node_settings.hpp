#pragma once

#include "actors/log.hpp"
#include "actors/node_dialer.hpp"
#include "connectors/webhook_sender.hpp"
#include "core/batching.hpp"
#include "core/eligibility.hpp"
#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/schedule.hpp"
#include "core/step_directory.hpp"
#include "core/supervision.hpp"
#include "core/tracer.hpp"
#include "documents/limits.hpp"
#include "messages/interfaces.hpp"
#include "metrics/registry.hpp"
#include "objects/object_store.hpp"
#include "persistence/store.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::actors {

/// A promise that the database was found not to keep.
struct broken_invariant {
  std::string id;    ///< Such as `I-1`.
  std::string check; ///< Which of the checks of the invariant.
  std::uint64_t rows = 0;
  std::string sample; ///< One of them.
};

/// All that a node needs to know; app/ fills it from the configuration, tests by hand. Defaults
/// live in config/.
struct node_settings {
  std::string name;
  core::incarnation_id incarnation; ///< New at every start.
  std::string address;              ///< Where peers reach the node, for the node's row.
  std::string version;
  std::uint64_t seed = 1; ///< Of all ids and jitter made by this node. Random in production.

  std::uint32_t shards = 16;
  core::duration heartbeat_interval{};
  core::duration lease_time{};
  /// How long the machine has been suspended since it started; empty: never. Called on any thread.
  std::function<core::duration()> time_suspended;

  /// How the other nodes of the cluster are reached; empty: they are not.
  node_dialer dial;
  core::duration dial_interval{}; ///< Between two attempts.
  /// How long a request waits inside the node for its shard to find a host.
  core::duration forward_patience{};

  core::batching_limits batching;
  std::uint32_t reader_lanes = 1; ///< Of those who read for actors, and for the gateway.
  std::uint32_t writer_lanes = 1;
  core::duration writer_retry_min{};
  core::duration writer_retry_max{};

  core::duration extension_delay{};
  std::uint32_t claims_waiting_max = 100000;    ///< Of a queue.
  std::uint32_t claim_connections_max = 100000; ///< Likewise: with which leases end.
  std::uint32_t actions_running_max = 4;        ///< Bulk actions of a queue.
  std::uint32_t actions_kept = 1000;            ///< Of a queue, that have ended.
  std::uint32_t action_chunk = 100;             ///< Tasks that one of them changes at once.
  core::duration intake_interval{};
  core::duration sweep_interval{};

  core::duration session_grace{};
  std::uint32_t leases_max = 16;
  std::uint32_t sessions_max = 200000;       ///< Contributors with a session.
  std::uint32_t sessions_per_client = 50000; ///< Those for whom one actor asks.

  core::duration unit_idle_timeout{};
  std::uint32_t units_live_max = 50000; ///< Per step.
  std::uint32_t unit_prefetch = 64;

  std::uint32_t events_batch_max = 1000;
  core::duration events_redeliver_after{};
  std::uint32_t events_high_water = 100000;
  core::duration events_retention{};
  core::duration events_prune_interval{};
  core::duration audit_retention = std::chrono::hours{365 * 24};
  std::uint32_t events_reads_max = 1000; ///< Of subscribers, waiting or under way.
  /// The `source` of events in the envelope of CloudEvents: a URI reference.
  std::string events_source = "urn:holdfast:cluster";

  documents::json_limits json;
  std::uint32_t rows_max = 10000; ///< Rows of one `add_source_data`.

  /// Where documents of tasks, units and judgments are kept that are larger than `inline_bytes`.
  /// None: each is in its row, and what a row refers to cannot be read.
  std::shared_ptr<objects::object_store> objects;
  std::uint32_t inline_bytes = 64 * 1024;
  std::uint32_t object_lanes = 2;                                    ///< Calls side by side.
  std::uint64_t object_bytes_most = std::uint64_t{64} * 1024 * 1024; ///< To be stored, waiting.
  core::duration objects_sweep_interval{};
  core::duration objects_sweep_after{};

  /// Carries webhooks to their receivers. None: they are not delivered by this node.
  std::shared_ptr<connectors::webhook_sender> webhooks;
  core::duration webhooks_look_interval = std::chrono::seconds{1};

  std::uint32_t push_requests_max = 1000; ///< Posts of tasks under way, of all queues.
  /// How long a node that ends waits for the answers to them.
  core::duration push_drain_time = std::chrono::seconds{10};

  /// The numbers of what stands between the node and its peers; empty: nothing does. Called on any
  /// thread.
  std::function<msg::link_status()> link_status;
  /// How often a peer that sent more than it may was read more slowly; empty: nobody counts.
  std::function<std::uint64_t()> peers_slowed;

  /// Where profiles of contributors come from in place of the table that `put_profile` writes;
  /// empty: that table. May block; called on the thread of one actor. What fails is as if nothing
  /// had been asked: the request that needed it is refused with the failure.
  std::function<core::outcome<core::contributor_profile>(const core::contributor_id&)> find_profile;

  /// SHA-256 in hexadecimal digits, by which contributors get pseudonyms; empty: requests for these
  /// are refused. Called on any thread.
  std::function<std::string(std::string_view)> digest;

  /// Where the open steps that this node hosts are listed for those who look for work; empty: in
  /// memory. What it opens may block, and is used by one actor, on a thread of its own.
  core::step_directory_opener open_step_directory;

  /// Checks the database; empty: it is not audited. May block; called on the thread of one actor.
  std::function<core::outcome<std::vector<broken_invariant>>()> audit;
  core::duration audit_interval{}; ///< 0: never.

  /// Where everything is counted for metrics; null: in a registry that nobody reads.
  std::shared_ptr<metrics::registry> registry;

  /// Takes the spans of traced requests, of handlers and of webhooks; null: nothing is traced.
  core::tracer_ptr tracer;

  /// The clocks that schedules go by.
  core::zone_finder find_zone = core::find_utc;

  core::intensity restarts;

  persistence::store_factory open_store;
  /// True: actors that call the store get their own thread. False only in virtual time.
  bool blocking_store = true;

  logger log;
  /// Called on an actor's thread whenever a gateway has started (again): publish it. Must not
  /// block.
  std::function<void(msg::member_gateway_actor)> on_gateway;
};

} // namespace holdfast::actors
