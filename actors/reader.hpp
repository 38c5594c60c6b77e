#pragma once

#include "actors/context.hpp"
#include "persistence/store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>

namespace holdfast::actors {

struct reader_state {
  static inline const char* name = "reader";
  context_ptr context;
  std::unique_ptr<persistence::store> store;
};

/// A READER: runs reads (`read`) over the database, one at a time, over a connection of its own.
/// Some of a node's load actors and some answer the gateway, so that a long list never delays an
/// assignment.
///
/// Failure: an unreachable database answers `unavailable`; the next question tries a fresh
/// connection.
caf::behavior reader(caf::stateful_actor<reader_state>* self, context_ptr context);

} // namespace holdfast::actors
