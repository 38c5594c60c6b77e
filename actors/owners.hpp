#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <map>
#include <unordered_map>
#include <vector>

namespace holdfast::actors {

struct owners_state {
  static inline const char* name = "owners";

  context_ptr context;
  caf::actor shards;
  children<core::contributor_id> by_contributor;
  struct session {
    std::uint64_t requests =
        0;                  ///< Handed to the owner: one that has not seen them all is not idle.
    caf::actor_addr client; ///< The client whose request has begun the session; null: no sender.
  };
  std::unordered_map<core::contributor_id, session> handed;
  std::unordered_map<caf::actor_addr, std::size_t> of_client; ///< Sessions of each.

  ~owners_state() {
    if (context)
      context->gauges.sessions = 0;
  }
};

/// OWNERS: one lease owner actor per contributor with a session, started at their first request.
caf::behavior owners(caf::stateful_actor<owners_state>* self, context_ptr context,
                     caf::actor shards);

struct owner_state {
  static inline const char* name = "owner";

  struct held_lease {
    core::step_id step;
    core::assignment_id assignment;
    core::token token = 0;
    core::instant expires_at;
    caf::actor_addr client; ///< That asked for it, or extended it last; null: no sender.
  };

  context_ptr context;
  core::contributor_id contributor;
  caf::actor owners;
  caf::actor shards;
  std::unordered_map<core::unit_id, held_lease> held;
  /// An ask under way: everybody who waits for its answer, since when the first of them does, and
  /// the client that asked last.
  struct open_ask {
    std::vector<held_promise> waiting;
    core::instant since;
    caf::actor_addr client;
  };
  std::unordered_map<core::assignment_id, open_ask> asking;
  bool watching = false;    ///< A look at overdue asks is due.
  bool use_watched = false; ///< A look whether the session is of use is due.
  std::uint64_t requests_seen = 0;
  std::size_t under_way = 0; ///< Requests of its own on which somebody's answer waits.
  /// An actor that speaks for the contributor; monitored.
  struct speaker {
    bool gone = false;       ///< Its connection is lost, and its grace time runs.
    std::uint64_t grace = 0; ///< Of its latest grace time; the timers of others are void.
  };
  /// The latest, and all that hold a lease or have an ask under way: so there are few.
  std::map<caf::actor_addr, speaker> speakers;
  bool over = false; ///< The session has ended: a lease that still comes is given back at once.
  std::uint64_t graces = 0; ///< Grace times that have begun.
};

/// A LEASE OWNER: one contributor's session. Knows the leases granted through it, limits their
/// number, tells explanations when that limit is reached, and gives them back: all at once by
/// `end_session`, and those of a client when that has been gone for the grace time and nobody else
/// has spoken for the contributor since.
///
/// Lifecycle: lives while it holds leases, or a client is connected and has asked for something
/// in the last grace time. Leases granted before the node's last start are not known to it; they
/// end by themselves, and submitting them works as ever.
///
/// Failure: a crash loses only this knowledge, never a lease.
caf::behavior owner(caf::stateful_actor<owner_state>* self, context_ptr context,
                    core::contributor_id contributor, caf::actor owners, caf::actor shards);

} // namespace holdfast::actors
