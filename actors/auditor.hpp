#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/periodic.hpp"
#include "core/outcome.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

namespace holdfast::actors {

struct auditor_state {
  static inline const char* name = "auditor";

  context_ptr context;
  periodic audits;
  core::instant begun_at; ///< The last audit that was made; the epoch for none.
  core::outcome<audited> last = core::failure{core::errc::unavailable, "no audit was made"};
};

/// THE AUDITOR: every `audit_interval` it has the database checked for what docs/GUARANTEES.md
/// promises, while the node hosts the first shard, so that one node of a cluster does it. What is
/// broken is logged and counted; it mends nothing. Whoever asks for an audit gets one that began
/// later: those who ask while one is under way share the next.
///
/// The checks run on a connection of their own, in bounded time, and nobody else waits for them.
///
/// Failure: an audit that fails is counted, and the next one comes in its time.
caf::behavior auditor(caf::stateful_actor<auditor_state>* self, context_ptr context);

} // namespace holdfast::actors
