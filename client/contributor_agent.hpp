#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/response_promise.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace holdfast::client {

/// Asks an agent for a unit of a step. Answered by `unit_delivery`; by an error when waiting does
/// not help (`not_qualified`, `limit_reached`, `not_found`), or when the node was not reached for
/// the whole of the wait. One asks at a time for a step: the newer question takes the place of the
/// older one, which gets nothing.
struct next_unit {
  core::step_id step;
  core::duration wait{0}; ///< How long to wait for one; 0: only what there is.
};

/// A unit and the lease on it, or nothing when none came in time.
struct unit_delivery {
  std::optional<msg::assignment> unit;
};

/// Hands in the judgment of a unit that the agent has delivered. Answered by `judgment_accepted`.
/// After `unavailable` nobody knows whether it counts: submit the same again, and it counts once.
struct submit_unit {
  core::unit_id unit;
  std::string payload; ///< JSON, by the step's schema.
};

/// Gives a unit back without a judgment. Answered by `assignment_released`.
struct release_unit {
  core::unit_id unit;
  bool decline = false; ///< True: never offer it to this contributor again.
};

/// Asks for more time. Answered by `assignment_extended` or `not_extendable`.
struct extend_unit {
  core::unit_id unit;
};

/// Asks whether the contributor was right, where the step tells. Answered by `judgment_feedback`.
struct unit_feedback {
  core::step_id step;
  core::unit_id unit;
};

/// Asks for the steps that are there for the contributor. Answered by `step_offers`.
struct offered_steps {
  std::uint32_t limit = 20;
};

/// Goes home: all that is held is given back. Answered by `session_ended`; the next question begins
/// a new session.
struct leave_session {};

/// INTERNAL: the pause after a question for units that found none is over.
struct seek_again {
  core::step_id step;
};

/// INTERNAL: whoever asked has waited long enough.
struct unit_due {
  core::step_id step;
  std::uint64_t question = 0;
};

using contributor_agent_actor =
    caf::typed_actor<caf::replies_to<next_unit>::with<unit_delivery>,
                     caf::replies_to<submit_unit>::with<msg::judgment_accepted>,
                     caf::replies_to<release_unit>::with<msg::assignment_released>,
                     caf::replies_to<extend_unit>::with<msg::assignment_extended>,
                     caf::replies_to<unit_feedback>::with<msg::judgment_feedback>,
                     caf::replies_to<offered_steps>::with<msg::step_offers>,
                     caf::replies_to<leave_session>::with<msg::session_ended>,
                     caf::reacts_to<seek_again>, caf::reacts_to<unit_due>>;

struct contributor_agent_deps {
  msg::gateway_actor gateway;     ///< A courier: it repeats what gets no answer.
  core::duration request_timeout; ///< Longer than any request through it takes.
  core::contributor_id contributor;
  std::uint64_t seed = 1; ///< Of ids and jitter.
  std::function<core::instant()> now;
};

struct contributor_agent_state {
  static inline const char* name = "contributor_agent";

  /// A lease, from its delivery until the node has taken its end.
  struct held_unit {
    msg::assignment lease;
    core::judgment_id judgment; ///< The same for every try: one unit, one judgment.
  };

  /// What is wanted of one step.
  struct search {
    core::assignment_id id; ///< The same until there is an answer that grants or refuses.
    std::optional<caf::typed_response_promise<unit_delivery>> waiting;
    std::uint64_t question = 0;
    bool under_way = false;
    bool paused = false;
    bool due = false;     ///< The wait is over: the answer that comes next is the last.
    bool unknown = false; ///< A request of this id had no answer: it may have been granted.
    std::uint32_t in_vain = 0;
  };

  contributor_agent_deps deps;
  core::uuid_source ids{1};
  std::map<core::unit_id, held_unit> held;
  std::map<core::step_id, search> searches;
  std::uint64_t questions = 0;
};

/// Speaks with the nodes for one contributor: makes the ids of assignments and judgments, keeps
/// them until their outcome is known, remembers the leases that it has delivered, and asks again
/// for those who wait for a unit.
///
///   search:  asking ──granted──► delivered     held:  held ──taken, or the lease is over──► (gone)
///               └── none ──► pausing ──┘
///
/// Lifecycle: spawned by `contributor_session`, or by whoever likes; ends with the gateway or when
/// it is told to exit.
/// Failure: its leases run out, or go with the session.
/// Backpressure: one request for units of each step at a time, with growing pauses while there are
/// none. It holds what the node lets the contributor hold (`owner.leases_max`).
contributor_agent_actor::behavior_type
contributor_agent(contributor_agent_actor::stateful_pointer<contributor_agent_state> self,
                  contributor_agent_deps deps);

} // namespace holdfast::client

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::next_unit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::unit_delivery)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::submit_unit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::release_unit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::extend_unit)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::unit_feedback)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::offered_steps)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::leave_session)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::seek_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::unit_due)
