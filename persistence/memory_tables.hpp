#pragma once

#include "persistence/store.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// What the memory store keeps: the tables of migrations/*.sql as ordered maps, so that
/// everything read from them comes in the same order at every run.
namespace holdfast::persistence::memory {

struct workflow_row {
  std::string name;
  core::instant created_at;
  std::vector<std::string> definitions; ///< By version.
};

struct step_row {
  core::step_row row;
  core::instant created_at;
};

struct unit_row {
  core::insert_unit made; ///< With the slots that it wants now.
  core::unit_state state = core::unit_state::judgable;
  std::optional<core::instant> changed_at{}; ///< Of the last change of state.
  std::optional<std::string> result{};
  double confidence = 0;
  std::int16_t route = core::no_route; ///< As in `finalize_unit`, like the following.
  std::string route_reason{};
  std::uint32_t reopened = 0;
  core::unit_id batch{};        ///< What a gathered unit is part of; nil while it waits for that.
  std::uint32_t ungathered = 0; ///< How often it was taken out of one.
  std::optional<core::instant> forgiven_at{}; ///< Of a test question: since when it says nothing.
  bool forgiving_changed = false;             ///< It was forgiven or counted again at some time.
  bool overridden = false;                    ///< The result is what the requester has said.
};

struct judgment_row {
  core::insert_judgment made;
  core::lease lease;                         ///< The lease it was given under.
  std::optional<core::instant> tainted_at{}; ///< From when on it counts no more.
  bool late = false;                         ///< Handed in when the lease had expired.
  bool taint_requested = false;              ///< Nothing but a request lets it count again.
  std::uint32_t corrected = 0;               ///< The number of its last correction.
};

struct ended_row {
  core::lease lease;
  core::lease_end how = core::lease_end::released;
  core::instant at;
};

struct outbox_row {
  core::event_seq first_seq = 0;
  core::epoch epoch = 0;
  std::uint64_t batch_seq = 0;
  std::vector<core::event> events;
  core::instant committed_at;
};

struct shard_row {
  core::epoch epoch = 0;
  std::uint64_t batch_seq = 0;
  core::event_seq event_seq = 0;
  core::incarnation_id host; ///< Nil when nobody hosts it.
  core::event_seq pruned_seq = 0;
};

struct node_row {
  std::string name;
  std::string address;
  core::instant started_at;
  core::instant expires_at;
  bool left = false;
  std::uint64_t number{0}; ///< In the order in which they came.
  core::duration lease{0}; ///< How long the one is that it renews.
  core::instant left_at{}; ///< While it has `left`.

  /// An end that is farther ahead than leases are long was reckoned by another clock.
  bool ends_too_late(core::instant now) const { return expires_at > now + 2 * lease; }
  bool is_over(core::instant now) const { return expires_at <= now || ends_too_late(now); }
};

struct live_task_row {
  core::queue_name queue;
  core::task_spec spec;
  core::task_progress progress;
};

struct attempt_row {
  core::lease lease;
  std::string ending; ///< As `task_attempt::ending`.
  core::task_error error;
  core::instant at;
};

struct finished_task_row {
  live_task_row task; ///< As it ended.
  core::task_ending ending = core::task_ending::completed;
  std::string result;
  core::task_error error;
  core::instant at;
  std::optional<core::lease> lease; ///< The one that ended with it.
};

struct staged_row {
  core::queue_name queue;
  core::new_task task;
  core::instant at;
  std::optional<core::refuse_staged> refused;
};

struct removal_row {
  core::removal row;
  std::uint64_t changed_in = 0; ///< As `tables::removal_changes` was then.
};

struct webhook_row {
  std::string name;
  std::string definition;
  bool paused = false;
  std::uint64_t revision = 1;
  core::instant created_at;
  core::instant changed_at;
};

struct webhook_place_row {
  core::event_seq seq = 0;
  std::uint64_t stopped_revision = 0;
  std::string reason;
};

struct dead_letter_row {
  core::put_dead_letter made;
  bool replayed = false;
};

using contributor_key = std::pair<core::unit_id, core::contributor_id>;

struct tables {
  std::map<core::workflow_id, workflow_row> workflows;
  std::map<core::step_id, step_row> steps;
  std::map<core::unit_id, unit_row> units;
  std::map<std::pair<core::step_id, std::string>, core::unit_id> units_by_source_key;
  std::map<std::pair<core::step_id, std::uint64_t>, core::unit_id> units_by_ordinal;
  /// Parent, the child's step, its part, and how many results of the parent had been taken back.
  std::set<std::tuple<core::unit_id, core::step_id, std::uint32_t, std::uint32_t>> children;
  /// A batch and a unit that is part of it.
  std::set<std::pair<core::unit_id, core::unit_id>> units_by_batch;
  std::map<contributor_key, core::lease> active_leases;
  std::set<core::assignment_id> assignment_ids; ///< Of all leases, also those that are over.
  std::map<std::pair<core::unit_id, core::token>, ended_row> ended_leases;
  std::map<contributor_key, judgment_row> judgments;
  std::set<core::judgment_id> judgment_ids;
  /// Each under an expired lease of the history.
  std::map<std::pair<core::unit_id, core::token>, core::insert_judgment> surplus_judgments;
  std::set<core::judgment_id> surplus_ids;
  std::map<std::pair<core::step_id, core::contributor_id>, core::put_standing> standings;
  std::map<std::tuple<core::step_id, core::contributor_id, core::monitor>, core::insert_flag> flags;
  std::map<core::contributor_id, core::put_profile> profiles;
  std::map<std::pair<core::contributor_id, core::removal_place>, removal_row> removals;
  std::uint64_t removal_changes = 0; ///< How many there were; stands for transactions.
  std::map<core::api_token_id, core::api_token> api_tokens;
  std::map<core::repair_id, core::repair_row> repairs;
  std::map<std::pair<core::unit_id, std::uint32_t>, core::correction_row> corrections;
  std::set<std::pair<core::unit_id, core::correction_id>> correction_ids;
  std::map<std::pair<core::judgment_id, std::uint32_t>, kept_payload> judgment_corrections;
  std::map<core::queue_name, core::put_queue> queues;
  std::map<core::queue_name, removed_queue> removed_queues;
  std::map<std::pair<core::queue_name, std::string>, core::put_schedule_row> schedules;
  std::map<std::pair<core::queue_name, core::queue_action_id>, core::queue_action_row>
      queue_actions;
  std::map<core::task_id, live_task_row> tasks;
  std::map<std::pair<core::queue_name, std::string>, core::task_id> tasks_by_unique_key;
  std::map<core::task_id, core::lease> task_leases;
  std::map<std::pair<core::task_id, core::token>, attempt_row> task_attempts;
  std::map<core::task_id, finished_task_row> finished_tasks;
  std::vector<core::insert_late_result> late_results;
  std::map<core::staging_id, staged_row> task_intake;
  core::staging_id last_staged = 0;
  document_limits limits;                                   ///< Published; zeroes before.
  std::map<core::shard_id, std::vector<outbox_row>> outbox; ///< Ascending by first_seq.
  std::map<std::string, std::set<core::message_id>> inbox;
  std::map<std::pair<std::string, core::shard_id>, core::event_seq> cursors;
  std::map<core::webhook_id, webhook_row> webhooks;
  std::map<std::pair<core::webhook_id, core::shard_id>, webhook_place_row> webhook_places;
  std::map<std::pair<core::webhook_id, core::message_id>, dead_letter_row> dead_letters;
  std::map<std::uint64_t, core::insert_audit> audit_log;
  std::uint64_t last_audit = 0;
  std::vector<shard_row> shards; ///< By number.
  std::uint64_t generation = 1;
  std::optional<core::instant> generation_began; ///< None: with the database.
  core::token numbers_above = 0;                 ///< Of this generation.
  std::string server;                            ///< Where it began; empty: not noted.
  std::map<core::shard_id, std::vector<core::event_gap>> event_gaps; ///< Ascending.
  std::map<core::incarnation_id, node_row> nodes;
  std::uint64_t nodes_come = 0;
};

/// Applies a batch as the statements of postgres_batch.cpp do, to the same constraints; leaves
/// `t` untouched unless it answers `committed` for the first time. `refuse` stands for a database
/// that refuses changes of its choice; may be empty.
commit_result apply(tables& t, const write_batch& batch, core::instant now,
                    const std::function<bool(const core::change&)>& refuse);

/// Whether this incarnation may delete what the shard has no more use for.
inline bool hosts(const tables& t, core::shard_id shard, const core::incarnation_id& incarnation) {
  return shard < t.shards.size() && t.shards[shard].host == incarnation;
}

/// Of rows that `memory_database` is told to take for damaged.
inline constexpr const char* row_is_damaged = "its row is damaged";
inline const core::failure unreachable{core::errc::unavailable,
                                       "the memory database is unreachable"};
inline const core::failure not_the_host{core::errc::fenced,
                                        "this incarnation does not host the shard"};

/// The elements of a map whose key begins with `first`.
template <class Map, class First>
auto rows_of(const Map& map, const First& first) {
  using second = typename Map::key_type::second_type;
  auto begin = map.lower_bound({first, second{}});
  auto end = begin;
  while (end != map.end() && end->first.first == first)
    ++end;
  return std::make_pair(begin, end);
}

} // namespace holdfast::persistence::memory
