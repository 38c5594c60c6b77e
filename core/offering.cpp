#include "core/offering.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::core {

namespace {

/// An answer to it says nothing any more.
bool is_void(const contributor_board& board, const unit_id& unit) {
  return board.is_question(unit) && board.is_forgiven(unit);
}

} // namespace

offered_unit offer_next(contributor_board& board, ready_set& ready, const contributor_id& to,
                        instant now) {
  const auto next = board.next_for(to, ready.ready_units() > 0);
  std::optional<unit_id> unit;
  if (next.first != given_back::none)
    do
      unit = ready.take_again(to, now, next.first == given_back::questions);
    while (unit && is_void(board, *unit));
  if (!unit && next.refusal != errc::none)
    return {next.refusal, std::nullopt};
  if (!unit && next.question) {
    unit = next.question;
    ready.bar(*unit, to, instant::max()); // as it is with a unit that is taken in its turn
  } else if (!unit) {
    unit = ready.take(to, now);
  }
  if (unit)
    board.offered(to, *unit);
  return {errc::none, unit};
}

std::optional<unit_id> offered_again(const contributor_board& board, const ready_set& ready,
                                     const contributor_id& to, instant now) {
  const auto next = board.next_for(to, ready.ready_units() > 0);
  if (next.first == given_back::none)
    return std::nullopt;
  const auto unit = ready.next_again(to, now, next.first == given_back::questions);
  return unit && is_void(board, *unit) ? std::nullopt : unit;
}

instant forgotten_with(const assignment_id& assignment, instant forgotten) {
  return version_of(assignment.value) == 7 ? std::max(forgotten, time_of(assignment.value))
                                           : forgotten;
}

bool may_be_late(const assignment_id& assignment, const over_memory& known, instant now) {
  const bool loaded_lately = now <= known.loaded_at + late_request_most;
  if (version_of(assignment.value) != 7)
    return loaded_lately;
  const auto made_at = time_of(assignment.value);
  return made_at <= known.forgotten
         || (loaded_lately
             && made_at < std::chrono::floor<std::chrono::milliseconds>(known.loaded_at));
}

} // namespace holdfast::core
