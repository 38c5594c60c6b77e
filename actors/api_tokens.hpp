#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <vector>

namespace holdfast::actors {

struct api_tokens_state {
  static inline const char* name = "api_tokens";

  context_ptr context;
  std::vector<caf::actor> writers; ///< One per lane.
  caf::actor reader;
  children<std::size_t> keepers; ///< By lane, since each waits for one writer.
};

/// API TOKENS: makes, revokes and marks as used the API tokens whose shard is hosted here. Each
/// request is decided with what is in the database, one after the other.
///
/// Failure: a refused write ends the child that asked for it, and nothing else; the next request
/// gets a new one.
/// Backpressure: a bounded number of requests wait in each lane, more are answered `overloaded`.
caf::behavior api_tokens(caf::stateful_actor<api_tokens_state>* self, context_ptr context,
                         std::vector<caf::actor> writers, caf::actor reader);

} // namespace holdfast::actors
