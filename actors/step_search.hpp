#pragma once

#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/periodic.hpp"
#include "core/step_directory.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <memory>
#include <set>
#include <unordered_map>
#include <vector>

namespace holdfast::actors {

struct step_search_state {
  static inline const char* name = "step_search";

  context_ptr context;
  caf::actor reader;
  std::set<core::shard_id> hosted;
  std::set<core::shard_id> unread;  ///< Of these: what was there before is not all listed yet.
  periodic looks;                   ///< A look reads pages; another is needed when it failed.
  std::set<core::shard_id> reading; ///< Those of which all is listed when the last page is there.

  std::unique_ptr<core::step_directory> directory;
  struct listed_step {
    std::uint64_t revision = 0;
    bool over = false; ///< As of that revision.
  };
  std::unordered_map<core::step_id, listed_step> listed; ///< What is in the directory.
  bool lost = true;  ///< What is in the directory is not to be relied on; it is to be cleared.
  bool told = false; ///< The directory has failed, and that has been logged.
  std::vector<held_promise> rebuilding; ///< Who wants to know when all is listed anew.
};

/// THE STEP SEARCH: the index of the open steps that this node hosts, in memory unless the program
/// has another one. It reads what is there when shards come, and then follows `JobStepUpdated`:
/// each step that is told of such an event of its own, which routing brings it, says here how it
/// stands. Which steps are found, and in which order, is `core::step_directory`.
///
/// The others have the rest: a forwarder asks all nodes and puts the answers together.
///
/// Failure: it is started again, and reads everything anew; nothing else is lost with it. So it
/// does when the directory fails, and when an operator wants it to (`rebuild_step_index`); who
/// wants it meanwhile waits for the same end. What it has not read yet is missing in its answers,
/// which say so. Backpressure: one page of steps is read at a time, and so many may wait for a
/// rebuilding.
caf::behavior step_search(caf::stateful_actor<step_search_state>* self, context_ptr context,
                          caf::actor reader, const caf::actor& shards,
                          const caf::actor& membership);

} // namespace holdfast::actors
