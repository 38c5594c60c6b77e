#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <optional>

namespace holdfast::actors {

struct removal_watch_state {
  static inline const char* name = "removal_watch";

  context_ptr context;
  caf::actor loader;
  caf::actor shards;
  std::uint64_t since = 0;           ///< Of the next look, as the store says it.
  std::optional<std::uint64_t> told; ///< The generation that the steps have been told of.
  core::instant next_end = core::instant::max(); ///< Of a removal that ends by itself.
  periodic looks;
};

/// How often the watch looks. A removal counts on every node within this time and that of a read.
inline constexpr std::chrono::seconds removal_watch_interval{2};

/// THE REMOVAL WATCH: reads which removals of contributors have changed, wherever they were
/// decided, into `node_context::removals`, and has the steps of this node follow those that have
/// changed, begun or ended since it looked last.
///
/// Failure: a look that fails is made good by the next.
caf::behavior removal_watch(caf::stateful_actor<removal_watch_state>* self, context_ptr context,
                            const caf::actor& loader, const caf::actor& shards);

} // namespace holdfast::actors
