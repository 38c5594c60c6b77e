#pragma once

#include "actors/context.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <vector>

namespace holdfast::actors {

struct readers_state {
  static inline const char* name = "readers";
  std::vector<caf::actor> each;
  std::size_t next = 0;
};

/// READERS: as many as `node_settings::reader_lanes`, which are asked in turn, so that questions
/// wait for the database side by side: one that is far away answers each a fraction of a second
/// later. Answers may overtake each other.
///
/// Failure: all of them end with one of them, and start again.
caf::behavior readers(caf::stateful_actor<readers_state>* self, const context_ptr& context);

} // namespace holdfast::actors
