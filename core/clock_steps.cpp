#include "core/clock_steps.hpp"

#include <algorithm>

namespace holdfast::core {

bool heed_clock(lease_table& table, duration longest, instant now) {
  bool any = false;
  for (auto& lease : table.active) {
    if (lease.expires_at <= now + longest + clock_corrections_max)
      continue;
    any = true;
    // As of a microsecond ago: an extension now is not refused as too early.
    const auto begin = now - duration{1};
    lease.granted_at = std::min(lease.granted_at, begin);
    lease.expires_at = begin + longest;
  }
  return any;
}

instant due_after_step(const task_progress& p, instant now) {
  if (p.last_action <= now + clock_corrections_max)
    return p.next_action;
  if (p.next_action <= p.last_action)
    return now;
  const bool tried = p.failures > 0 || p.crashes > 0 || p.pauses > 0 || p.idle_releases > 0;
  return tried ? now + (p.next_action - p.last_action) : p.next_action;
}

} // namespace holdfast::core
