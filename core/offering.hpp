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

} // namespace holdfast::core
