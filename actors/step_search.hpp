#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "core/step_index.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <set>

namespace holdfast::actors {

struct step_search_state {
  static inline const char* name = "step_search";

  context_ptr context;
  caf::actor reader;
  std::set<core::shard_id> hosted;
  std::set<core::shard_id> unread;  ///< Of these: what was there before is not all listed yet.
  bool looking = false;             ///< Pages are being read.
  std::set<core::shard_id> reading; ///< Those of which all is listed when the last page is there.
  core::step_index index;
  bool failing = false; ///< The last look found no database.
};

/// THE STEP SEARCH: the index of the open steps that this node hosts, in memory. It reads what is
/// there when shards come, and then follows `JobStepUpdated`: each step that is told of such an
/// event of its own, which routing brings it, says here how it stands. Which steps are found, and
/// in which order, is `core::step_index`.
///
/// The others have the rest: an envoy asks all nodes and puts the answers together.
///
/// Failure: it is started again, and reads everything anew; nothing else is lost with it. What it
/// has not read yet is missing in its answers, which say so.
/// Backpressure: one page of steps is read at a time.
caf::behavior step_search(caf::stateful_actor<step_search_state>* self, context_ptr context,
                          caf::actor reader, const caf::actor& shards,
                          const caf::actor& membership);

} // namespace holdfast::actors
