#pragma once

#include "core/event_feed.hpp"
#include "core/outcome.hpp"
#include "core/step_listing.hpp"
#include "core/workflow_versions.hpp"
#include "persistence/store.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Reads that put several answers of the store together. Readers run them; see `read`.
namespace holdfast::actors {

/// A workflow in all of its versions, with the steps of all of them in order of position.
struct versions_loaded {
  core::versioned_workflow versions;
  std::vector<core::step_row> steps;
};

/// The versions of stored definitions, or which of them cannot be parsed (`damaged`).
core::outcome<core::versioned_workflow> parse_versions(const std::vector<std::string>& definitions);

/// `not_found` if there is no such workflow.
core::outcome<versions_loaded> load_versions(persistence::store& from, core::workflow_id workflow);

/// A step as its actor goes on from it.
struct step_loaded {
  persistence::stored_step step;
  versions_loaded workflow;
  core::step_history history;
  persistence::stored_repairs repairs;
};

/// `not_found` if there is no such step.
core::outcome<step_loaded> load_step(persistence::store& from, core::step_id step);

/// A queue as its actor goes on from it.
struct queue_loaded {
  persistence::stored_queue queue;
  std::vector<core::queue_action_row> actions; ///< Those that run, the oldest first.
};

/// `not_found` if there is no such queue.
core::outcome<queue_loaded> load_queue(persistence::store& from, const core::queue_name& queue);

/// A page of the steps that are open or paused, in order of id.
struct listings_loaded {
  std::vector<core::step_listing> listings; ///< Steps that are damaged are left out.
  core::step_id last;                       ///< Of those that were read.
  bool more = false;                        ///< There may be others behind it.
};

/// After the step `after` (nil: from the first).
core::outcome<listings_loaded> load_listings(persistence::store& from, core::step_id after,
                                             std::uint32_t limit);

/// All steps that may still have work.
core::outcome<std::vector<core::step_id>> find_live_steps(persistence::store& from);

/// The histories of those of the tasks that exist.
core::outcome<std::vector<persistence::task_history>>
load_tasks(persistence::store& from, const std::vector<core::task_id>& tasks);

/// The events of a shard from `place` on, and how far its table reaches.
core::outcome<core::table_view> load_events(persistence::store& from, core::shard_id shard,
                                            const core::event_place& place, std::uint32_t limit);

/// How far a consumer has come on a shard.
struct consumer_position {
  core::event_seq cursor = 0;
  std::vector<core::event_seq> applied; ///< Above the cursor, from the inbox.
};

core::outcome<consumer_position> load_position(persistence::store& from,
                                               const std::string& consumer, core::shard_id shard);

/// The profile of a contributor as `find_profile` knows it, where the node has such a function, or
/// as stored; with the contributor's test questions. Also of somebody of whom nothing is known.
core::outcome<persistence::stored_profile> load_profile(
    persistence::store& from, const core::contributor_id& contributor,
    const std::function<core::outcome<core::contributor_profile>(const core::contributor_id&)>&
        find_profile);

} // namespace holdfast::actors
