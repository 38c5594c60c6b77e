#include "core/name_claim.hpp"

namespace holdfast::core {

claim_verdict name_claim::look(const std::vector<name_holder>& holders, instant now) {
  if (!first_look_)
    first_look_ = now;
  bool held = false;
  for (const auto& one : holders) {
    if (one.incarnation == earlier_life_)
      continue;
    held = true;
    holder_ = one;
    const auto [known, is_new] = first_expiry_.emplace(one.incarnation, one.expires_at);
    if (one.expires_at > known->second)
      return claim_verdict::taken;
  }
  if (!held || now - *first_look_ >= lease_time_)
    return claim_verdict::free;
  return claim_verdict::wait;
}

} // namespace holdfast::core
