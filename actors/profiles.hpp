#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/reads.hpp"
#include "actors/stored_items.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstddef>
#include <vector>

namespace holdfast::actors {

struct profiles_state {
  static inline const char* name = "profiles";

  context_ptr context;
  std::vector<caf::actor> writers; ///< One per lane.
  caf::actor reader;
  children<std::size_t> keepers; ///< By lane, since each waits for one writer.
};

/// PROFILES: makes durable what is said of contributors whose home, a shard chosen by name, is
/// here. The last word counts.
///
/// Failure: what a writer refuses ends its child that asked for it, and nothing else; the next
/// request gets a new one.
/// Backpressure: that of the writers, which the gateway applies.
caf::behavior profiles(caf::stateful_actor<profiles_state>* self, context_ptr context,
                       std::vector<caf::actor> writers, caf::actor reader);

/// Asks a reader for the profile of a contributor; see `load_profile`.
template <class Self>
auto read_profile(Self self, const context_ptr& context, const caf::actor& reader,
                  const core::contributor_id& contributor) {
  return read(self, reader, [context, contributor](persistence::store& db) {
    return load_profile(db, contributor, context->settings.find_profile);
  });
}

/// The public form of a profile.
msg::profile_view to_view(const core::contributor_id& contributor,
                          const persistence::stored_profile& known);

} // namespace holdfast::actors
