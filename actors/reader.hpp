#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>

namespace holdfast::actors {

struct reader_state {
  static inline const char* name = "reader";
  context_ptr context;
  std::unique_ptr<persistence::store> store;
  caf::actor objects;
};

/// A READER: answers questions from the database, one at a time, over a connection of its own. Some
/// of a node's load actors and some answer the gateway, so that a long list never delays an
/// assignment.
///
/// Failure: an unreachable database answers `unavailable`; the next question tries a fresh
/// connection.
caf::behavior reader(caf::stateful_actor<reader_state>* self, context_ptr context,
                     const caf::actor& objects);

/// The public form of a stored step.
msg::step_view to_view(const core::step_row& row);

/// The steps of a definition in its order; those that are not among `rows` are left out.
std::vector<msg::step_view> steps_of(const core::workflow_definition& definition,
                                     const std::vector<core::step_row>& rows);

/// The status of a task that a requester knows: QUEUED and EXECUTING while it lives; FAILURE when
/// the work itself failed, ERROR when it could not be done.
std::string status_of(const core::task& live);
std::string status_of(const persistence::task_history& history);

/// Whether this is one of them.
bool is_task_status(const std::string& text);

} // namespace holdfast::actors
