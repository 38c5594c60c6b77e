#include "core/errors.hpp"

#include <array>

namespace holdfast::core {

namespace {

// clang-format off
constexpr std::array<error_description, 23> descriptions{{
  {errc::none, "none", false,
   "Nothing went wrong."},
  {errc::invalid_argument, "invalid_argument", false,
   "Correct the named field and send the request again."},
  {errc::not_found, "not_found", false,
   "Check the id: nothing with it exists here."},
  {errc::no_unit_available, "no_unit_available", true,
   "Ask again later: nothing is open to this caller now."},
  {errc::payload_invalid, "payload_invalid", false,
   "Correct the payload at the named place; the schema of the step or of the task's type "
   "says what it must look like."},
  {errc::too_large, "too_large", false,
   "Send less: the detail names the bound."},
  {errc::lease_not_held, "lease_not_held", false,
   "Ask for the work first: this caller holds no lease on it."},
  {errc::stale_token, "stale_token", false,
   "Drop the work: the lease was granted anew under a higher token."},
  {errc::lease_expired, "lease_expired", false,
   "Drop the work or ask again: the lease ran out before the request."},
  {errc::already_judged, "already_judged", false,
   "Nothing to do: this contributor has already judged the unit."},
  {errc::not_extendable, "not_extendable", false,
   "Finish or release: the lease may not be extended any further."},
  {errc::already_exists, "already_exists", false,
   "Use another id, or send the identical request to repeat it."},
  {errc::wrong_state, "wrong_state", false,
   "The item's state does not allow this; read it and decide anew."},
  {errc::limit_reached, "limit_reached", true,
   "Hand in or release some of what you hold, then ask again."},
  {errc::overloaded, "overloaded", true,
   "Slow down and retry with backoff: the node's queue is above its high-water mark."},
  {errc::unavailable, "unavailable", true,
   "Retry with the same ids: the outcome is unknown or the node is recovering."},
  {errc::fenced, "fenced", true,
   "Retry: the shard has moved to another host."},
  {errc::duplicate_message, "duplicate_message", false,
   "Acknowledge: the message had been applied before."},
  {errc::refused_by_store, "refused_by_store", false,
   "Report it: the database refused what the node had validated."},
  {errc::damaged, "damaged", false,
   "Restore the named file from a backup: it is not what was stored."},
  {errc::not_qualified, "not_qualified", false,
   "Stop asking: this contributor's work on the step has ended, or they lack what it asks, which "
   "the detail names. Other steps are open to them."},
  {errc::events_gone, "events_gone", false,
   "Begin anew with what is kept: the detail names the first event that is there."},
  {errc::rate_limited, "rate_limited", true,
   "Ask again later, and less often: the detail names the bound and the pause."},
}};
// clang-format on

} // namespace

const error_description& describe(errc code) {
  const auto index = static_cast<std::size_t>(code);
  return index < descriptions.size() ? descriptions[index]
                                     : descriptions[static_cast<std::size_t>(errc::unavailable)];
}

bool is_transient(errc code) {
  return code == errc::unavailable || code == errc::overloaded || code == errc::fenced
         || code == errc::rate_limited;
}

} // namespace holdfast::core
