#pragma once

#include <caf/actor.hpp>

namespace holdfast::actors {

/// The actors that a step talks to.
struct step_links {
  caf::actor writer;
  caf::actor loader; ///< A reader.
  caf::actor reader; ///< Another one, for what may take long.
  caf::actor refitter;
  caf::actor shards; ///< Finds other steps.
  caf::actor objects;
};

} // namespace holdfast::actors
