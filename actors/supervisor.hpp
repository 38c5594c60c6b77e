#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "core/supervision.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace holdfast::actors {

/// The children of one supervisor that run now, by name. A child gets the handles it needs when it
/// starts, so it never talks to an earlier life of a sibling.
using siblings = std::map<std::string, caf::actor>;

struct child_spec {
  std::string name;
  core::restart kind = core::restart::permanent;
  /// Spawns the child. Runs on the supervisor; `running` holds the children before it.
  std::function<caf::actor(caf::event_based_actor* parent, const siblings& running)> start;
};

/// A crash policy as data.
struct supervisor_spec {
  std::string name;
  core::strategy strategy = core::strategy::one_for_one;
  core::intensity intensity;
  std::vector<child_spec> children; ///< In order of start.
};

struct supervisor_state {
  static inline const char* name = "supervisor";

  context_ptr context;
  supervisor_spec spec;
  siblings running;
  core::restart_history history;
  /// Children told to end whose end has not come yet, and what to start when it has.
  std::vector<std::string> ending;
  std::vector<std::size_t> to_start;
  bool closing = false;
  caf::error close_reason;
};

/// A SUPERVISOR: starts its children in order and restarts them as `core::judge` says. When
/// restarting does not help it ends all children, last first, and then itself, with the reason of
/// the last crash: its own supervisor, or the process, decides. An exit message ends it the same
/// way.
caf::behavior supervisor(caf::stateful_actor<supervisor_state>* self, context_ptr context,
                         supervisor_spec spec);

} // namespace holdfast::actors
