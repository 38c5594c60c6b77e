#pragma once

#include "actors/context.hpp"

#include <caf/event_based_actor.hpp>

#include <utility>

namespace holdfast::actors {

/// Spawns an actor that calls the store or calculates for long, on a thread of its own where the
/// store blocks.
template <class Function, class... Args>
caf::actor spawn_blocking(caf::event_based_actor* parent, const context_ptr& context, Function f,
                          Args... args) {
  return context->settings.blocking_store
             ? parent->spawn<caf::detached>(f, context, std::move(args)...)
             : parent->spawn(f, context, std::move(args)...);
}

} // namespace holdfast::actors
