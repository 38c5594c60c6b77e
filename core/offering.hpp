#pragma once

#include "core/contributor_board.hpp"
#include "core/ready_set.hpp"

#include <optional>

/// What a step offers to whoever asks it for work: ordinary units in their turn, test questions by
/// the board, and before both what they have had and given back.
namespace holdfast::core {

/// A unit that is reserved for a contributor; or none.
struct offered_unit {
  /// Why there is none: `not_qualified` for good, `no_unit_available` for now. None and no unit:
  /// nothing is open to them.
  errc refusal = errc::none;
  std::optional<unit_id> unit;
};

/// Offers the next one. A test question that is given back, or whose lease runs out, is offered to
/// the same contributor again where any unit would be, and is over with their answer alone; so that
/// neither tells it from a unit, nor spares anybody the answer.
offered_unit offer_next(contributor_board& board, ready_set& ready, const contributor_id& to,
                        instant now);

/// What they have given back and would be offered now. Changes nothing.
std::optional<unit_id> offered_again(const contributor_board& board, const ready_set& ready,
                                     const contributor_id& to, instant now);

/// What is sent again may come so long after it was first answered: a node was frozen, or cut off,
/// with the request in its hands, and its sender went to another one.
inline constexpr duration late_request_most = std::chrono::seconds{60};

/// What a step has in memory of assignments that are over.
struct over_memory {
  instant loaded_at; ///< Of what was over by then it knows nothing.
  /// Of this contributor it has forgotten assignments whose ids were made until then; the epoch
  /// when it has not.
  instant forgotten;
};

/// `over_memory::forgotten` once this assignment is forgotten, too. An id that does not say when it
/// was made changes nothing: its bits are no time.
instant forgotten_with(const assignment_id& assignment, instant forgotten);

/// Whether a request for an assignment may be the repetition of one whose lease is over and not in
/// memory. Ids of version 7 say when they were made, by the clock of who asks: what was made after
/// all that is not in memory is new.
bool may_be_late(const assignment_id& assignment, const over_memory& known, instant now);

} // namespace holdfast::core
