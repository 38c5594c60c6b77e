#include "core/clock_steps.hpp"

#include "core/queue.hpp"

#include <algorithm>
#include <utility>
#include <vector>

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

/// Shortens leases; `loaded`: only those that began after `now`.
static bool shorten_leases(queue& q, bool loaded, instant now) {
  std::vector<std::pair<instant, task_id>> moved;
  for (const auto& [expires_at, id] : q.expiries) {
    auto& t = q.tasks.at(id);
    if (loaded && t.held()->granted_at <= now)
      continue;
    if (!heed_clock(t.leases, lease_of(q.policy, t.spec.type).ttl, now))
      continue;
    moved.emplace_back(expires_at, id);
    q.shortened.insert(id);
    // Else it would be taken for progress under this lease.
    t.progress.last_action = std::min(t.progress.last_action, t.held()->granted_at);
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
    if (due_after_step(q.tasks.at(id).progress, now) != due)
      moved.emplace_back(due, id);
  for (const auto& [due, id] : moved) {
    auto& progress = q.tasks.at(id).progress;
    progress.next_action = due_after_step(progress, now);
    progress.last_action = std::min(progress.last_action, now);
    q.sleeping.erase({due, id});
    q.sleeping.emplace(progress.next_action, id);
  }
  return !moved.empty();
}

bool heed_clock(queue& q, instant now) {
  const bool loaded = !q.latest_decision;
  const bool set_back = !loaded && now + clock_corrections_max < *q.latest_decision;
  // Of a queue that was just loaded nobody knows how far the clock had come.
  const auto reached = q.latest_decision.value_or(instant::min());
  q.latest_decision = loaded || set_back ? now : std::max(*q.latest_decision, now);
  if (!loaded && !set_back)
    return false;
  const bool shorter = shorten_leases(q, loaded, now);
  const bool earlier = wake_in_time(q, now);
  return q.ready.heed_clock(reached, now) || earlier || shorter;
}

} // namespace holdfast::core
