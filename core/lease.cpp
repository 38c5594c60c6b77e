#include "core/lease.hpp"

#include "core/invariant.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

template <class Table>
auto find_in(Table& table, const contributor_id& owner) {
  return std::find_if(table.active.begin(), table.active.end(),
                      [&](const lease& l) { return l.owner == owner; });
}

} // namespace

std::string_view to_string(late_submit policy) {
  switch (policy) {
  case late_submit::reject:
    return "reject";
  case late_submit::accept_if_free:
    return "accept_if_free";
  case late_submit::surplus:
    return "surplus";
  }
  break_invariant("late_submit", "every value has a name", __FILE__, __LINE__);
}

std::optional<late_submit> late_submit_named(std::string_view name) {
  for (const auto policy : {late_submit::reject, late_submit::accept_if_free, late_submit::surplus})
    if (to_string(policy) == name)
      return policy;
  return std::nullopt;
}

std::string_view to_string(lease_end how) {
  switch (how) {
  case lease_end::expired:
    return "Expired";
  case lease_end::released:
    return "Released";
  case lease_end::declined:
    return "Declined";
  case lease_end::ejected:
    return "Ejected";
  case lease_end::canceled:
    return "Canceled";
  }
  break_invariant("lease_end", "every value has a name", __FILE__, __LINE__);
}

const lease* find_lease(const lease_table& table, const contributor_id& owner) {
  const auto found = find_in(table, owner);
  return found == table.active.end() ? nullptr : &*found;
}

token token_of(instant now) {
  return static_cast<token>(std::max<std::int64_t>(to_micros(now), 0));
}

errc check_lease(const lease_table& table, const contributor_id& owner, token presented,
                 instant now) {
  const auto* held = find_lease(table, owner);
  if (held == nullptr)
    return errc::lease_not_held;
  // A token from the future cannot have been granted; it is as wrong as one from the past.
  if (held->token != presented)
    return errc::stale_token;
  return held->held_at(now) ? errc::none : errc::lease_expired;
}

const lease& grant_lease(lease_table& table, const lease_policy& policy, assignment_id id,
                         const contributor_id& owner, instant now) {
  HOLDFAST_INVARIANT(find_lease(table, owner) == nullptr,
                     "the item's decision refuses a second lease");
  table.active.push_back({id, owner, ++table.last_token, now, now + policy.ttl});
  return table.active.back();
}

errc extend_lease(lease_table& table, const lease_policy& policy, const contributor_id& owner,
                  token presented, instant now) {
  if (const auto refusal = check_lease(table, owner, presented, now); refusal != errc::none)
    return refusal;
  const auto held = find_in(table, owner);
  const auto until = std::min(now + policy.ttl, held->granted_at + policy.total_max);
  if (until <= held->expires_at)
    return errc::not_extendable;
  held->expires_at = until;
  return errc::none;
}

lease end_lease(lease_table& table, const contributor_id& owner) {
  const auto held = find_in(table, owner);
  HOLDFAST_INVARIANT(held != table.active.end(), "the item's decision found the lease");
  lease ended = std::move(*held);
  table.active.erase(held);
  return ended;
}

instant next_expiry(const lease_table& table) {
  auto earliest = instant::max();
  for (const auto& l : table.active)
    earliest = std::min(earliest, l.expires_at);
  return earliest;
}

instant barred_until(const lease_policy& policy, lease_end how, instant ended_at) {
  switch (how) {
  case lease_end::expired:
    return ended_at + policy.regrant_after;
  case lease_end::released:
    return ended_at;
  case lease_end::declined:
  case lease_end::ejected:
  case lease_end::canceled:
    return instant::max();
  }
  break_invariant("lease_end", "every value has a rule", __FILE__, __LINE__);
}

} // namespace holdfast::core
