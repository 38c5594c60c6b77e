#pragma once

#include "core/ids.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>

/// What contributors send: ask for an assignment, then hand in, extend or give it back.
///
/// Every request may be repeated after a lost reply: the ids that make it unique are chosen by the
/// caller, and the same request gets the same answer. All answers are sent after the commit they
/// report.
namespace holdfast::msg {

/// Asks for a unit of a step. Answered by `assignment`; `no_unit_available` when nothing is open to
/// this contributor now; `limit_reached` when they hold too many leases.
struct ask_assignment {
  core::step_id step;
  core::contributor_id contributor;
  core::assignment_id
      assignment; ///< Chosen by the caller; asking again with it gives the same lease.
};
HOLDFAST_WIRE(ask_assignment, x.step, x.contributor, x.assignment)

/// A lease on one slot of a unit.
struct assignment {
  core::assignment_id id;
  core::step_id step;
  core::unit_id unit;
  std::uint64_t token = 0;  ///< Fencing token: send it with everything done under this lease.
  core::instant expires_at; ///< Database time. The lease is over at this instant.
  std::string input;        ///< JSON: the unit's data.
  /// The page or form to work with, as the newest definition of the step names it; empty where it
  /// names none.
  std::string ui;
};
HOLDFAST_WIRE(assignment, x.id, x.step, x.unit, x.token, x.expires_at, x.input, x.ui)

/// Waits until a step may have a unit for somebody that it had none for: a unit was made, or a slot
/// came free. Answered by `units_awaited` at once when `seen` is not the step's present number,
/// else with the next change, or when `wait` is over.
struct await_units {
  core::step_id step;
  std::uint64_t seen = 0; ///< `units_awaited::seen` of the answer before; 0: of none.
  core::duration wait{0}; ///< At most a minute.
};
HOLDFAST_WIRE(await_units, x.step, x.seen, x.wait)

struct units_awaited {
  std::uint64_t seen = 0; ///< Another number after every change, and after a start of the step.
};
HOLDFAST_WIRE(units_awaited, x.seen)

/// Gives a unit back without an answer. Answered by `assignment_released`.
struct release_assignment {
  core::step_id step;
  core::unit_id unit;
  core::contributor_id contributor;
  std::uint64_t token = 0;
  bool decline = false; ///< True: never offer this unit to this contributor again.
};
HOLDFAST_WIRE(release_assignment, x.step, x.unit, x.contributor, x.token, x.decline)

struct assignment_released {
  core::unit_id unit;
};
HOLDFAST_WIRE(assignment_released, x.unit)

/// Asks for more time: the lease then ends one `ttl` from now, but not after the step's
/// `total_max`. Answered by `assignment_extended` or `not_extendable`.
struct extend_assignment {
  core::step_id step;
  core::unit_id unit;
  core::contributor_id contributor;
  std::uint64_t token = 0;
};
HOLDFAST_WIRE(extend_assignment, x.step, x.unit, x.contributor, x.token)

struct assignment_extended {
  core::unit_id unit;
  core::instant expires_at;
};
HOLDFAST_WIRE(assignment_extended, x.unit, x.expires_at)

/// Hands in a judgment. Answered by `judgment_accepted` once it is durable. Refused with
/// `payload_invalid` (the detail names the place), `lease_expired`, `stale_token`, `lease_not_held`
/// or `already_judged`. What comes when the lease has expired is accepted or kept as surplus where
/// the step's `late_submit` says so.
struct submit_judgment {
  core::step_id step;
  core::unit_id unit;
  core::contributor_id contributor;
  std::uint64_t token = 0;
  core::judgment_id judgment; ///< Chosen by the caller; submitting again with it is a repetition.
  std::string payload;        ///< JSON, by the step's schema.
};
HOLDFAST_WIRE(submit_judgment, x.step, x.unit, x.contributor, x.token, x.judgment, x.payload)

struct judgment_accepted {
  core::judgment_id judgment;
  bool repeated = false; ///< It had been accepted before.
  bool surplus = false;  ///< It came late, and does not count; with test questions it may.
};
HOLDFAST_WIRE(judgment_accepted, x.judgment, x.repeated, x.surplus)

/// Asks whether a unit that the contributor has judged was a test question, and whether they were
/// right. Answered by `judgment_feedback`; `wrong_state` where the step tells nobody, whatever the
/// unit.
struct get_feedback {
  core::step_id step;
  core::unit_id unit;
  core::contributor_id contributor;
};
HOLDFAST_WIRE(get_feedback, x.step, x.unit, x.contributor)

/// Says the same of units that are no test questions and of test questions that they have not
/// answered.
struct judgment_feedback {
  core::unit_id unit;
  bool test_question = false; ///< It was one, and they have answered it.
  bool right = false;         ///< Only then.
  bool counts = false;        ///< Only then; not when the question is forgiven.
};
HOLDFAST_WIRE(judgment_feedback, x.unit, x.test_question, x.right, x.counts)

/// The contributor goes home: their leases are released at once. A lost connection does the same
/// after the node's `owner.session_grace`. Answered by `session_ended`.
struct end_session {
  core::contributor_id contributor;
};
HOLDFAST_WIRE(end_session, x.contributor)

struct session_ended {
  std::uint32_t released = 0; ///< Leases given back.
};
HOLDFAST_WIRE(session_ended, x.released)

} // namespace holdfast::msg
