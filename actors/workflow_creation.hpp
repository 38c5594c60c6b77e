#pragma once

#include "actors/pending_effects.hpp"

#include <caf/stateful_actor.hpp>

#include <map>
#include <string>

namespace holdfast::actors {

struct workflow_creation_state {
  static inline const char* name = "workflow_creation";

  context_ptr context;
  std::vector<caf::actor> writers;
  caf::actor loader;
  pending_effects pending;
};

/// Why a definition that names these queues, each at its place, cannot be used yet: one of them is
/// not there. `none` if all are.
core::failure missing_queue(std::map<core::queue_name, std::string> named,
                            const std::vector<core::put_queue>& there);

/// One creation of a workflow: answers one `new_workflow` and ends. All rows of the workflow, those
/// of its steps included, are one change under the fence of the first step's shard: a step that is
/// not there yet has no host that could object.
///
/// Repeating: an existing workflow with the same definition is answered as if it had just been
/// created; with another one, `already_exists`. Two at once meet at the primary key, and the loser
/// finds the winner's.
caf::behavior workflow_creation(caf::stateful_actor<workflow_creation_state>* self,
                                context_ptr context, std::vector<caf::actor> writers,
                                caf::actor loader);

} // namespace holdfast::actors
