#pragma once

#include "actors/context.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace holdfast::actors {

struct refitter_state {
  static inline const char* name = "refitter";
  context_ptr context;
};

/// The REFITTER: looks at many judgments of a step at once, for its model (refits) and for its
/// monitors (surveys). One step at a time and on a thread of its own, because that may take
/// seconds: neither steps nor those who read wait for it. It keeps nothing.
///
/// Failure: what fails is answered with the error and ends nobody.
caf::behavior refitter(caf::stateful_actor<refitter_state>* self, context_ptr context);

} // namespace holdfast::actors
