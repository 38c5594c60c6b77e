#include "core/clock_steps.hpp"

#include "core/queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace holdfast::core {

bool heed_clock(lease_table& table, duration longest, instant now) {
  bool any = false;
  for (auto& lease : table.active) {
    const bool from_later = lease.granted_at > now + clock_corrections_max;
    if (!from_later && lease.expires_at <= now + longest + clock_corrections_max)
      continue;
    any = true;
    const auto ahead = std::max(lease.granted_at - now, duration::zero());
    lease.granted_at -= ahead;
    lease.expires_at -= ahead;
    // A microsecond before an extension would end it now: that is not refused as too early.
    lease.expires_at = std::min(lease.expires_at, now + longest - duration{1});
  }
  return any;
}

/// When a task that waits is to be looked at, as its last action meant it. A time that a producer
/// has named for a task which nobody has tried is kept: it may be one of the calendar.
static instant meant_for(const task_progress& p, instant now) {
  if (p.last_action <= now + clock_corrections_max)
    return p.next_action;
  if (p.next_action <= p.last_action)
    return now;
  const bool tried = p.failures > 0 || p.crashes > 0 || p.pauses > 0 || p.idle_releases > 0;
  return tried ? now + (p.next_action - p.last_action) : p.next_action;
}

/// Shortens leases; `loaded`: only those that began after `now`.
static bool shorten_leases(queue& q, bool loaded, instant now) {
  std::vector<std::pair<instant, task_id>> moved;
  for (const auto& [expires_at, id] : q.expiries) {
    auto& t = q.tasks.at(id);
    if (loaded && t.held()->granted_at <= now)
      continue;
    if (heed_clock(t.leases, lease_of(q.policy, t.spec.type).ttl, now))
      moved.emplace_back(expires_at, id);
  }
  for (const auto& known : moved) {
    q.expiries.erase(known);
    q.expiries.emplace(q.tasks.at(known.second).held()->expires_at, known.second);
  }
  return !moved.empty();
}

static bool wake_in_time(queue& q, instant now) {
  std::vector<std::pair<instant, task_id>> moved;
  for (const auto& [due, id] : q.sleeping)
    if (meant_for(q.tasks.at(id).progress, now) != due)
      moved.emplace_back(due, id);
  for (const auto& [due, id] : moved) {
    auto& progress = q.tasks.at(id).progress;
    progress.next_action = meant_for(progress, now);
    q.sleeping.erase({due, id});
    q.sleeping.emplace(progress.next_action, id);
  }
  return !moved.empty();
}

bool heed_clock(queue& q, instant now) {
  const bool loaded = !q.latest_decision;
  const bool set_back = !loaded && now + clock_corrections_max < *q.latest_decision;
  q.latest_decision = loaded || set_back ? now : std::max(*q.latest_decision, now);
  if (!loaded && !set_back)
    return false;
  const bool shorter = shorten_leases(q, loaded, now);
  return wake_in_time(q, now) || shorter;
}

} // namespace holdfast::core
