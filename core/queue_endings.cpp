#include "core/queue_endings.hpp"

#include "core/backoff.hpp"
#include "core/json_text.hpp"
#include "core/task_events.hpp"
#include "core/task_purpose.hpp"

#include <algorithm>
#include <chrono>

namespace holdfast::core {

namespace {

/// Random bits, always the same for the same try: decisions depend on nothing but their
/// arguments. Source of the mix: S. Vigna, splitmix64.
std::uint64_t dice_of(const task& t) {
  std::uint64_t x = std::hash<task_id>{}(t.spec.id) + 0x9e3779b97f4a7c15ULL * t.leases.last_token;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
  return x ^ x >> 31U;
}

/// Takes the active lease off the task and out of everything that knows it. The record of an end
/// has the lease as it is stored: one that was shortened is stored as such first.
lease drop_lease(queue& q, task& t, change& changes) {
  auto lease = *t.held();
  if (q.shortened.erase(t.spec.id) != 0)
    changes.writes.push_back(extend_task_lease{t.spec.id, lease.token, lease.expires_at});
  q.expiries.erase({lease.expires_at, t.spec.id});
  if (const auto claim = q.claims.find(lease.id); claim != q.claims.end()) {
    auto& of_claim = claim->second;
    of_claim.erase(std::find(of_claim.begin(), of_claim.end(), t.spec.id));
    if (of_claim.empty())
      q.claims.erase(claim);
  }
  if (const auto worker = q.held.find(lease.owner); worker != q.held.end()) {
    worker->second.erase(t.spec.id);
    if (worker->second.empty())
      q.held.erase(worker);
  }
  t.leases.active.clear();
  q.undelivered.erase(t.spec.id);
  q.ready.ended(t.spec);
  return lease;
}

/// The event that tells a unit of the end of a task that worked for it.
event ended_for(const task_purpose& purpose, const queue_name& queue, const task_id& task,
                task_ending ending, instant now) {
  const auto details = json_object{}
                           .text("task_id", to_string(task))
                           .text("queue", queue)
                           .text("ending", to_string(ending))
                           .str();
  return {event_type::unit_task_ended, purpose.step, purpose.unit, {}, now, details};
}

/// The failed tries after which a task is dead.
std::uint32_t tries_of(const task& t, const retry_policy& retry) {
  return t.spec.max_attempts != 0 ? t.spec.max_attempts : retry.max_attempts;
}

/// Another state forgives what was tried in the one before; not all of it, or a task that goes back
/// and forth and fails each time would be tried for ever.
bool tried_too_often(const task& t, const retry_policy& retry) {
  return t.progress.failures >= failures_most(retry, tries_of(t, retry));
}

std::string seconds_text(duration d) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(d);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(d - seconds).count();
  return std::to_string(seconds.count())
         + (millis == 0 ? "" : "." + std::to_string(1000 + millis).substr(1)) + " s";
}

} // namespace

void settle(queue& q, const task& t, instant now) {
  if (t.progress.paused)
    return;
  if (t.progress.next_action <= now)
    q.ready.add(q.policy, t);
  else
    q.sleeping.emplace(t.progress.next_action, t.spec.id);
}

void unsettle(queue& q, const task& t) {
  q.ready.remove(t);
  q.sleeping.erase({t.progress.next_action, t.spec.id});
}

void finish(queue& q, const task_id& id, task_ending ending, std::string result, task_error error,
            instant now, change& changes) {
  const auto found = q.tasks.find(id);
  auto& t = found->second;
  finish_task gone;
  gone.task = id;
  if (t.held() != nullptr) {
    const auto over = drop_lease(q, t, changes);
    gone.token = over.token;
    gone.leased_at = over.granted_at;
  } else {
    unsettle(q, t);
  }
  t.progress.last_action = now;
  if (ending == task_ending::completed) {
    t.progress.percent = 100;
    q.ready.went_well(t.spec, now);
  }
  if (!q.policy.events.empty() && q.policy.events.count(ending) != 0)
    changes.events.push_back(task_ended(q.name, t, ending, error, now));
  gone.ending = ending;
  gone.result = std::move(result);
  gone.error = std::move(error);
  gone.at = now;
  if (!t.spec.unique_key.empty())
    q.unique.erase(t.spec.unique_key);
  gone.unique_key = std::move(t.spec.unique_key);
  gone.type = t.spec.type;
  gone.trace_id = std::move(t.spec.trace_id);
  gone.span_id = std::move(t.spec.span_id);
  gone.progress = std::move(t.progress);
  if (const auto purpose = purpose_in(t.spec.owner_id))
    changes.events.push_back(ended_for(*purpose, q.name, id, ending, now));
  q.tasks.erase(found);
  changes.writes.push_back(std::move(gone));
}

lost_lease end_lease_of(queue& q, task& t, attempt_ending how, task_error error,
                        instant next_action, instant now, change& changes) {
  const auto over = drop_lease(q, t, changes);
  t.progress.next_action = std::max(next_action, now);
  t.progress.last_action = now;
  settle(q, t, now);
  changes.writes.push_back(end_task_lease{t.spec.id, over.token, how, std::move(error), now});
  changes.writes.push_back(update_task{t.spec.id, t.progress});
  return {over.owner, t.spec.id, over.token};
}

/// Nobody has received the lease: its end tells nothing about the task, nor about a worker.
static lost_lease take_back(queue& q, task& t, instant now, change& changes) {
  return end_lease_of(q, t, attempt_ending::released,
                      {"GRANT_NOT_DELIVERED", "the lease ended before its grant was durable"}, now,
                      now, changes);
}

lost_lease crash(queue& q, task& t, attempt_ending how, const std::string& what, instant now,
                 change& changes) {
  if (q.undelivered.count(t.spec.id) != 0)
    return take_back(q, t, now, changes);
  const auto& retry = retry_of(q.policy, t.spec.type);
  const auto over = *t.held();
  lost_lease lost{over.owner, t.spec.id, over.token};
  ++t.progress.crashes;
  ++t.progress.failures;
  const bool in_this_state = t.progress.crashes >= retry.crashes_max;
  if (in_this_state || tried_too_often(t, retry)) {
    finish(q, t.spec.id, task_ending::dead, {},
           {"WORKER_LOST",
            (in_this_state ? "its worker was lost " + std::to_string(t.progress.crashes) + " times"
                           : "its worker was lost, and it had been tried in vain "
                                 + std::to_string(t.progress.failures - 1) + " times before")
                + "; the last time " + what},
           now, changes);
    return lost;
  }
  // The first time it is taken up at once: workers die for many reasons.
  const auto wait = t.progress.crashes == 1
                        ? duration::zero()
                        : full_jitter(t.progress.crashes - 1, retry.least, retry.most, dice_of(t));
  return end_lease_of(q, t, how, {"WORKER_LOST", what}, now + wait, now, changes);
}

void fail_try(queue& q, task& t, task_error error, duration retry_after, instant now,
              change& changes) {
  const auto& retry = retry_of(q.policy, t.spec.type);
  ++t.progress.attempts;
  ++t.progress.failures;
  if (t.progress.attempts >= tries_of(t, retry) || tried_too_often(t, retry))
    return finish(q, t.spec.id, task_ending::dead, {}, std::move(error), now, changes);
  const auto wait =
      std::max(retry_after, full_jitter(t.progress.attempts, retry.least, retry.most, dice_of(t)));
  end_lease_of(q, t, attempt_ending::failed, std::move(error), now + wait, now, changes);
}

lost_lease run_out(queue& q, task& t, bool connected, instant now, change& changes) {
  const auto& held = *t.held();
  const auto rules = lease_of(q.policy, t.spec.type);
  const bool own_timeout = rules_of(q.policy, t.spec.type).timeout > duration::zero();
  const bool used_up = held.expires_at >= held.granted_at + rules.total_max
                       && (own_timeout || connected || rules.total_max > rules.ttl);
  if (q.undelivered.count(t.spec.id) != 0 || !used_up)
    return crash(q, t, attempt_ending::expired,
                 connected ? "it did not extend the lease, though it is connected"
                           : "its lease ran out without a word of it",
                 now, changes);
  const lost_lease over{held.owner, t.spec.id, held.token};
  fail_try(q, t,
           {"TIMEOUT", "it was not done within " + seconds_text(rules.total_max)
                           + ", for which its lease may live ("
                           + (own_timeout ? "timeout_seconds of its type"
                                          : "lease.total_max_seconds of its queue")
                           + ")"},
           duration::zero(), now, changes);
  return over;
}

void pause_task(queue& q, task& t, task_error error, duration retry_after, instant now,
                change& changes) {
  const auto& retry = retry_of(q.policy, t.spec.type);
  // A task that was told to come back, but not when, waits at least as long as for any error.
  const auto until = now + std::max(retry_after, retry.least);
  if (t.progress.pauses == 0 || !q.ready.others_go_on(t))
    q.ready.hold_off(t.spec, now, until);
  q.ready.lets_others_first(t.spec.key);
  t.paused_at = now;
  ++t.progress.pauses;
  if (t.progress.pauses < retry.pauses_max) {
    end_lease_of(q, t, attempt_ending::rate_limited, std::move(error), until, now, changes);
    return;
  }
  error.detail = "it was asked to come back later " + std::to_string(t.progress.pauses)
                 + " times (retry.pauses_max)" + (error.detail.empty() ? "" : "; the last time: ")
                 + error.detail;
  finish(q, t.spec.id, task_ending::dead, {}, std::move(error), now, changes);
}

void give_back_idle(queue& q, task& t, task_error error, instant now, change& changes) {
  const auto& retry = retry_of(q.policy, t.spec.type);
  auto& releases = t.progress.idle_releases;
  ++releases;
  if (releases >= retry.releases_max)
    return finish(q, t.spec.id, task_ending::dead, {},
                  {"NO_PROGRESS", "its workers gave it back " + std::to_string(releases)
                                      + " times in a row without progress (retry.releases_max)"},
                  now, changes);
  const auto wait = releases == 1 ? duration::zero()
                                  : full_jitter(releases - 1, retry.least, retry.most, dice_of(t));
  end_lease_of(q, t, attempt_ending::released, std::move(error), t.held()->granted_at + wait, now,
               changes);
}

} // namespace holdfast::core
