#include "core/queue.hpp"

#include "core/clock_steps.hpp"
#include "core/invariant.hpp"
#include "core/node_worker.hpp"
#include "core/object_ref.hpp"
#include "core/queue_endings.hpp"
#include "core/task_repetition.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

bool suspect(const queue& q, const task& t) {
  return is_suspect(q.policy, t.spec.type, t.progress.crashes);
}

void note_lease(queue& q, const task& t) {
  const auto& lease = *t.held();
  q.expiries.emplace(lease.expires_at, t.spec.id);
  q.claims[lease.id].push_back(t.spec.id);
  q.held[lease.owner].insert(t.spec.id);
}

task* find(queue& q, const task_id& id) {
  const auto found = q.tasks.find(id);
  return found == q.tasks.end() ? nullptr : &found->second;
}

item_outcome refused(const task_id& id, errc why, std::string detail = {}) {
  return {id, why, std::move(detail), false};
}

/// Whether `worker` may act on the task now; else why not.
item_outcome check_hold(queue& q, const held_task& item, const worker_id& worker, instant now) {
  const auto* t = find(q, item.task);
  if (t == nullptr)
    return refused(item.task, errc::not_found);
  return refused(item.task, check_lease(t->leases, worker, item.token, now));
}

/// What comes too late from somebody who did hold the task once.
void record_late(const queue& q, const held_task& item, const worker_id& worker,
                 std::string outcome, std::string detail, instant now, change& changes) {
  const auto found = q.tasks.find(item.task);
  if (found == q.tasks.end() || item.token == 0 || item.token > found->second.leases.last_token)
    return;
  auto late = late_result(item, worker, std::move(outcome), std::move(detail), now);
  append(changes, std::move(late));
}

/// Whether the update is allowed; else why not.
item_outcome check_update(const queue& q, const task& t, const task_update& update) {
  if (update.state && !may_move(q.policy, t.spec.type, t.progress.state, *update.state))
    return refused(t.spec.id, errc::wrong_state,
                   "a task of type " + t.spec.type + " does not go from " + t.progress.state
                       + " to " + *update.state);
  return refused(t.spec.id, errc::none);
}

/// Whether the update would change what is known of the task.
bool changes_anything(const task& t, const task_update& update) {
  const auto& p = t.progress;
  return (update.state && *update.state != p.state) || (update.data && *update.data != p.data)
         || (update.execution_state && *update.execution_state != p.execution_state)
         || (update.percent && *update.percent != p.percent);
}

void apply(task& t, const task_update& update, instant now) {
  auto& p = t.progress;
  p.last_action = now;
  if (update.state && *update.state != p.state) {
    p.state = *update.state;
    p.attempts = 0;
    p.crashes = 0;
    p.last_change = now;
  }
  if (update.data) {
    p.data = *update.data;
    p.last_change = now;
  }
  if (update.execution_state)
    p.execution_state = *update.execution_state;
  if (update.percent)
    p.percent = *update.percent;
}

/// The outcome of a completion whose task has ended by an earlier item of the same request; leaves
/// alone what did not.
void recognise_ended(const change& so_far, const held_task& item, item_outcome& outcome) {
  for (const auto& write : so_far.writes)
    if (const auto* gone = std::get_if<finish_task>(&write);
        gone != nullptr && gone->task == item.task) {
      outcome.repeated = gone->token == item.token;
      outcome.refusal = outcome.repeated ? errc::none : errc::lease_not_held;
    }
}

/// Makes one task, unless `most` are live already.
item_outcome make_task(queue& q, new_task item, std::size_t most, instant now, change& changes) {
  const auto id = item.spec.id;
  if (q.tasks.count(id) != 0)
    return {id, errc::none, {}, true};
  if (const auto taken = q.unique.find(item.spec.unique_key);
      !item.spec.unique_key.empty() && taken != q.unique.end()) {
    if (item.conflict == on_conflict::keep)
      return {taken->second, errc::none, {}, true};
    return refused(id, errc::already_exists,
                   "task " + to_string(taken->second) + " is live and has the same unique key");
  }
  if (q.tasks.size() >= most)
    return refused(id, errc::overloaded,
                   "the queue is full: " + std::to_string(most)
                       + " tasks are waiting or being done");
  auto state = opening_state(q.policy, item.spec.type, item.state);
  if (!state)
    return refused(id, errc::wrong_state,
                   "tasks of type " + item.spec.type + " have no state " + item.state);
  if (auto why = check_form(rules_of(q.policy, item.spec.type).versions, item);
      why.code != errc::none)
    return refused(id, why.code, std::move(why.detail));
  task t;
  t.progress.state = *std::move(state);
  t.spec = std::move(item.spec);
  t.spec.created_at = now;
  t.progress.data = std::move(item.data);
  if (!item.body_ref.empty())
    t.spec.body = std::move(item.body_ref);
  if (!item.data_ref.empty())
    t.progress.data = std::move(item.data_ref);
  t.progress.next_action = std::max(item.run_at, now);
  t.progress.last_change = t.progress.last_action = now;
  changes.writes.push_back(insert_task{q.name, t.spec, t.progress});
  if (!t.spec.unique_key.empty())
    q.unique.emplace(t.spec.unique_key, id);
  settle(q, q.tasks.emplace(id, std::move(t)).first->second, now);
  return {id, errc::none, {}, false};
}

/// Moves tasks whose time has come to those that are ready.
void wake(queue& q, instant now) {
  heed_clock(q, now);
  while (!q.sleeping.empty() && q.sleeping.begin()->first <= now) {
    const auto id = q.sleeping.begin()->second;
    q.sleeping.erase(q.sleeping.begin());
    q.ready.add(q.policy, q.tasks.at(id));
  }
}

void lease_task(queue& q, task& t, const worker_id& worker, const assignment_id& id, instant now,
                change& changes) {
  t.leases.last_token = std::max(t.leases.last_token, q.tokens_above);
  const auto& lease = grant_lease(t.leases, lease_of(q.policy, t.spec.type), id, worker, now);
  note_lease(q, t);
  changes.writes.push_back(insert_task_lease{t.spec.id, lease, t.progress.next_action});
}

/// Moves the end of the lease; nothing when it would not be later.
void extend_lease(queue& q, task& t, const worker_id& worker, core::token token, instant now,
                  change& changes) {
  const auto before = t.held()->expires_at;
  if (extend_lease(t.leases, lease_of(q.policy, t.spec.type), worker, token, now) != errc::none)
    return;
  q.expiries.erase({before, t.spec.id});
  q.expiries.emplace(t.held()->expires_at, t.spec.id);
  q.shortened.erase(t.spec.id);
  changes.writes.push_back(extend_task_lease{t.spec.id, token, t.held()->expires_at});
}

/// Whether this save, or a later one under the same lease, is stored.
bool was_overtaken(const task_progress& p, const save_task& command) {
  return command.number != 0 && p.saved_under == command.task.token
         && command.number <= p.saved_number;
}

/// Shortens leases; `loaded`: only those that began after `now`.
bool shorten_leases(queue& q, bool loaded, instant now) {
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

bool wake_in_time(queue& q, instant now) {
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

} // namespace

void enter(queue& q, task loaded) {
  const auto id = loaded.spec.id;
  auto& t = q.tasks.emplace(id, std::move(loaded)).first->second;
  if (!t.spec.unique_key.empty())
    q.unique[t.spec.unique_key] = id;
  if (t.held() != nullptr) {
    q.ready.started(t.spec);
    note_lease(q, t);
  } else if (!t.progress.paused) {
    q.sleeping.emplace(t.progress.next_action, id);
  }
}

overlooked_tasks look_for(queue& q, const std::vector<task_id>& due, instant now) {
  overlooked_tasks overlooked;
  for (const auto& id : due) {
    const auto* t = find(q, id);
    if (t == nullptr) {
      overlooked.unknown.push_back(id);
    } else if (t->held() == nullptr && !t->progress.paused && !q.ready.has(*t)
               && q.sleeping.count({t->progress.next_action, id}) == 0) {
      settle(q, *t, now);
      overlooked.found.push_back(id);
    }
  }
  return overlooked;
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

bool holds_suspect(const queue& q, const worker_id& worker) {
  const auto held = q.held.find(worker);
  return held != q.held.end()
         && std::any_of(held->second.begin(), held->second.end(),
                        [&](const task_id& id) { return suspect(q, q.tasks.at(id)); });
}

put_queue row_of(const queue& q, instant at) {
  return {q.name,     q.definition,
          q.paused,   {q.paused_types.begin(), q.paused_types.end()},
          q.revision, at};
}

instant next_wake(const queue& q, instant now) {
  auto next = q.expiries.empty() ? instant::max() : q.expiries.begin()->first;
  if (q.paused)
    return next;
  if (!q.sleeping.empty())
    next = std::min(next, q.sleeping.begin()->first);
  return std::min(next, q.ready.next_chance(q.policy, now));
}

queue_load load_of(const queue& q, instant now) {
  queue_load load;
  load.ready = q.ready.waiting();
  load.later = q.sleeping.size();
  load.leased = q.expiries.size();
  load.paused = q.tasks.size() - load.ready - load.later - load.leased;
  for (const auto& id : q.ready.next_in_line()) {
    const auto due = q.tasks.at(id).progress.next_action;
    load.ready_since = std::min(load.ready_since.value_or(due), due);
  }
  for (auto due = q.sleeping.begin(); due != q.sleeping.end() && due->first <= now; ++due) {
    ++load.ready;
    --load.later;
    load.ready_since = std::min(load.ready_since.value_or(due->first), due->first);
  }
  return load;
}

void hold_off_again(queue& q, const task_id& id) {
  const auto& t = q.tasks.at(id);
  // Whether others went well since an earlier pause is not stored. A task that is paused again and
  // again must not hold them off anew with each start: the next one that is told to wait does.
  if (t.progress.pauses <= 1)
    q.ready.hold_off(t.spec, t.progress.last_action, t.progress.next_action);
}

void note_undelivered(queue& q, const std::vector<task_id>& tasks) {
  for (const auto& id : tasks)
    if (const auto* t = find(q, id); t != nullptr && t->held() != nullptr)
      q.undelivered.insert(id);
}

std::vector<task_id> take_delivered(queue& q, const std::vector<held_task>& leases, instant now) {
  std::vector<task_id> held;
  for (const auto& item : leases) {
    const auto* t = find(q, item.task);
    const auto* lease = t == nullptr ? nullptr : t->held();
    if (lease == nullptr || lease->token != item.token || !lease->held_at(now))
      continue;
    q.undelivered.erase(item.task);
    held.push_back(item.task);
  }
  return held;
}

decision<std::vector<item_outcome>> decide(queue& q, enqueue command, instant now) {
  decision<std::vector<item_outcome>> made;
  made.answer.reserve(command.tasks.size());
  const auto gone = check_not_removed(q);
  for (auto& item : command.tasks) {
    const auto* known = command.compares ? find(q, item.spec.id) : nullptr;
    auto why =
        gone.code == errc::none && known != nullptr ? check_repetition(known->spec, item) : gone;
    made.answer.push_back(why.code == errc::none
                              ? make_task(q, std::move(item), q.policy.depth_max, now, made.changes)
                              : refused(item.spec.id, why.code, std::move(why.detail)));
  }
  return made;
}

decision<std::vector<task_id>> decide(queue& q, const claim& command, instant now) {
  decision<std::vector<task_id>> granted;
  if (const auto before = q.claims.find(command.id); before != q.claims.end()) {
    for (const auto& id : before->second)
      if (q.tasks.at(id).held()->owner == command.worker)
        granted.answer.push_back(id);
    return granted;
  }
  if (q.paused)
    return granted;
  wake(q, now);
  bool suspects = !holds_suspect(q, command.worker);
  std::size_t bytes = 0;
  while (granted.answer.size() < command.most && bytes < command.bytes_most) {
    const auto next = q.ready.take(q.policy, q.paused_types, command.types, suspects, now);
    if (!next)
      break;
    auto& t = q.tasks.at(*next);
    suspects = suspects && !suspect(q, t);
    bytes += payload_bytes(t.spec.body) + payload_bytes(t.progress.data)
             + payload_bytes(t.progress.execution_state);
    lease_task(q, t, command.worker, command.id, now, granted.changes);
    granted.answer.push_back(*next);
  }
  return granted;
}

void missed_claims::add(const queue& q, const claim& command) {
  (holds_suspect(q, command.worker) ? of_harmless_ : of_all_).insert(command.types);
}

bool missed_claims::covers(const queue& q, const claim& command) const {
  return of_all_.count(command.types) != 0
         || (of_harmless_.count(command.types) != 0 && holds_suspect(q, command.worker));
}

decision<bool> decide(queue& q, const claim_task& command, instant now) {
  auto* t = find(q, command.task);
  if (t == nullptr)
    return refuse<bool>(errc::not_found, "the task is not live");
  if (t->held() != nullptr)
    return refuse<bool>(errc::already_exists, "the task is leased to " + t->held()->owner);
  decision<bool> granted;
  granted.answer = true;
  unsettle(q, *t);
  q.ready.started(t->spec);
  lease_task(q, *t, command.worker, command.id, now, granted.changes);
  return granted;
}

decision<std::vector<item_outcome>> decide(queue& q, const extend_tasks& command, instant now) {
  decision<std::vector<item_outcome>> extended;
  heed_clock(q, now); // else an extension would not end a lease later
  for (const auto& item : command.tasks) {
    auto outcome = check_hold(q, item, command.worker, now);
    if (outcome.refusal == errc::none) {
      const auto written = extended.changes.writes.size();
      extend_lease(q, q.tasks.at(item.task), command.worker, item.token, now, extended.changes);
      if (extended.changes.writes.size() == written)
        outcome.refusal = errc::not_extendable;
    }
    extended.answer.push_back(std::move(outcome));
  }
  return extended;
}

decision<item_outcome> decide(queue& q, const save_task& command, instant now) {
  decision<item_outcome> saved;
  heed_clock(q, now);
  saved.answer = check_hold(q, command.task, command.worker, now);
  if (saved.answer.refusal != errc::none)
    return saved;
  auto& t = q.tasks.at(command.task.task);
  if (was_overtaken(t.progress, command))
    return saved;
  saved.answer = check_update(q, t, command.update);
  if (saved.answer.refusal != errc::none)
    return saved;
  apply(t, command.update, now);
  if (command.number != 0) {
    t.progress.saved_under = command.task.token;
    t.progress.saved_number = command.number;
  }
  saved.changes.writes.push_back(update_task{t.spec.id, t.progress});
  // Each sign of life extends the lease; writing it can wait until half of it is over.
  if (t.held()->expires_at - now < lease_of(q.policy, t.spec.type).ttl / 2)
    extend_lease(q, t, command.worker, command.task.token, now, saved.changes);
  return saved;
}

decision<item_outcome> decide(queue& q, const release_task& command, instant now) {
  decision<item_outcome> released;
  released.answer = check_hold(q, command.task, command.worker, now);
  if (released.answer.refusal != errc::none)
    return released;
  auto& t = q.tasks.at(command.task.task);
  released.answer = check_update(q, t, command.update);
  if (released.answer.refusal != errc::none)
    return released;
  const bool moved_on =
      changes_anything(t, command.update) || t.progress.last_action > t.held()->granted_at;
  apply(t, command.update, now);
  if (moved_on)
    t.progress.idle_releases = 0;
  if (!moved_on && command.next_action <= now)
    give_back_idle(q, t, command.error, now, released.changes);
  else
    end_lease_of(q, t, attempt_ending::released, command.error, command.next_action, now,
                 released.changes);
  return released;
}

decision<item_outcome> decide(queue& q, withhold_task command, instant now) {
  const auto& code = command.why.code;
  if (auto held = check_hold(q, command.task, command.worker, now); held.refusal != errc::none) {
    decision<item_outcome> refusal;
    refusal.answer = std::move(held);
    return refusal;
  }
  if (code == errc::not_found || code == errc::damaged)
    return decide(q,
                  fail_task{command.worker,
                            command.task,
                            failure_kind::permanent,
                            {code == errc::damaged ? "PAYLOAD_DAMAGED" : "PAYLOAD_MISSING",
                             std::move(command.why.detail)},
                            {},
                            {}},
                  now);
  return decide(q,
                release_task{command.worker,
                             command.task,
                             {},
                             command.retry_at,
                             {"PAYLOAD_UNREACHABLE", std::move(command.why.detail)}},
                now);
}

decision<std::vector<item_outcome>> decide(queue& q, complete_tasks command, instant now) {
  decision<std::vector<item_outcome>> completed;
  completed.answer.reserve(command.tasks.size());
  for (auto& item : command.tasks) {
    auto outcome = check_hold(q, item.task, command.worker, now);
    if (outcome.refusal == errc::none)
      finish(q, item.task.task, task_ending::completed, std::move(item.result), {}, now,
             completed.changes);
    else if (outcome.refusal == errc::not_found)
      recognise_ended(completed.changes, item.task, outcome);
    else
      record_late(q, item.task, command.worker, "completed", std::move(item.result), now,
                  completed.changes);
    completed.answer.push_back(std::move(outcome));
  }
  return completed;
}

decision<item_outcome> decide(queue& q, follow_task command, instant now) {
  decision<item_outcome> followed;
  followed.answer = check_hold(q, command.done.task, command.worker, now);
  if (followed.answer.refusal != errc::none) {
    record_late(q, command.done.task, command.worker, "completed", std::move(command.done.result),
                now, followed.changes);
    return followed;
  }
  const auto next = command.next.spec.id;
  const auto& done = q.tasks.at(command.done.task.task).spec;
  const auto& key = command.next.spec.unique_key;
  if (next == done.id || (!key.empty() && key == done.unique_key)) {
    followed.answer =
        refused(next, errc::already_exists, "the task that is done has the same id or unique key");
    return followed;
  }
  if (q.tasks.count(next) != 0) {
    followed.answer =
        refused(next, errc::already_exists, "a task of the id of the next one is live");
    return followed;
  }
  // The task that is done leaves its place to the next one: a queue that is full would else refuse
  // what empties it.
  followed.answer =
      make_task(q, std::move(command.next), q.tasks.size() + 1, now, followed.changes);
  if (followed.answer.refusal != errc::none)
    return followed;
  finish(q, command.done.task.task, task_ending::completed, std::move(command.done.result), {}, now,
         followed.changes);
  if (followed.answer.repeated)
    return followed; // an older task does what this one would: it goes its own way
  auto granted = decide(q, claim_task{command.worker, command.claim, next}, now);
  append(followed.changes, std::move(granted.changes));
  return followed;
}

change late_result(const held_task& item, const worker_id& worker, std::string outcome,
                   std::string detail, instant now) {
  change late;
  late.writes.push_back(insert_late_result{item.task, item.token, worker, std::move(outcome),
                                           std::move(detail), now});
  return late;
}

decision<item_outcome> decide(queue& q, fail_task command, instant now) {
  decision<item_outcome> failed;
  // Else a pause by the time before a step back would hide the one that is asked for now.
  heed_clock(q, now);
  failed.answer = check_hold(q, command.task, command.worker, now);
  if (failed.answer.refusal != errc::none) {
    record_late(q, command.task, command.worker, "failed",
                command.error.code + ": " + command.error.detail, now, failed.changes);
    return failed;
  }
  auto& t = q.tasks.at(command.task.task);
  failed.answer = check_update(q, t, command.update);
  if (failed.answer.refusal != errc::none)
    return failed;
  apply(t, command.update, now);
  if (command.kind == failure_kind::permanent) {
    finish(q, t.spec.id, task_ending::failed, {}, std::move(command.error), now, failed.changes);
    return failed;
  }
  if (command.kind == failure_kind::rate_limited)
    pause_task(q, t, std::move(command.error), command.retry_after, now, failed.changes);
  else
    fail_try(q, t, std::move(command.error), command.retry_after, now, failed.changes);
  return failed;
}

bool is_done(const queue& q, const eject_task& command) {
  const auto found = q.tasks.find(command.task);
  return command.claim && found != q.tasks.end()
         && found->second.progress.ejection == command.claim;
}

decision<std::optional<lost_lease>> decide(queue& q, const eject_task& command, instant now) {
  auto* t = find(q, command.task);
  if (t == nullptr)
    return refuse<std::optional<lost_lease>>(errc::not_found, "the task is not live");
  if (is_done(q, command))
    return {};
  if (auto bad = check_update(q, *t, command.update); bad.refusal != errc::none)
    return refuse<std::optional<lost_lease>>(bad.refusal, std::move(bad.detail));
  decision<std::optional<lost_lease>> ejected;
  if (command.claim)
    t->progress.ejection = command.claim;
  if (t->held() != nullptr) {
    apply(*t, command.update, now);
    ejected.answer =
        end_lease_of(q, *t, attempt_ending::ejected, {}, command.next_action, now, ejected.changes);
    return ejected;
  }
  unsettle(q, *t);
  apply(*t, command.update, now);
  t->progress.next_action = std::max(command.next_action, now);
  settle(q, *t, now);
  ejected.changes.writes.push_back(update_task{t->spec.id, t->progress});
  return ejected;
}

decision<std::optional<lost_lease>> decide(queue& q, task_verb verb, const task_id& id,
                                           instant now) {
  auto* t = find(q, id);
  if (t == nullptr)
    return refuse<std::optional<lost_lease>>(errc::not_found, "the task is not live");
  decision<std::optional<lost_lease>> moved;
  const auto held = t->held() != nullptr;
  if (verb == task_verb::cancel) {
    if (held)
      moved.answer = lost_lease{t->held()->owner, id, t->held()->token};
    finish(q, id, task_ending::canceled, {}, {}, now, moved.changes);
    return moved;
  }
  auto progress = t->progress;
  progress.next_action = due_after_step(progress, now);
  if (verb == task_verb::retry) {
    progress.next_action = std::min(progress.next_action, now);
  } else {
    progress.paused = verb == task_verb::pause;
  }
  if (progress.paused == t->progress.paused && progress.next_action == t->progress.next_action)
    return moved;
  progress.last_action = now;
  if (!held)
    unsettle(q, *t);
  t->progress = progress;
  if (!held)
    settle(q, *t, now);
  moved.changes.writes.push_back(update_task{id, std::move(progress)});
  return moved;
}

decision<std::vector<lost_lease>> decide(queue& q, const expire_tasks& command, instant now) {
  decision<std::vector<lost_lease>> expired;
  heed_clock(q, now);
  while (!q.expiries.empty() && q.expiries.begin()->first <= now) {
    const auto id = q.expiries.begin()->second;
    const bool connected = command.is_connected && command.is_connected(id);
    expired.answer.push_back(run_out(q, q.tasks.at(id), connected, now, expired.changes));
  }
  return expired;
}

decision<std::vector<lost_lease>> decide(queue& q, const lose_worker& command, instant now) {
  decision<std::vector<lost_lease>> lost;
  const auto held = q.held.find(command.worker);
  if (held == q.held.end())
    return lost;
  const auto tasks = held->second;
  for (const auto& id : tasks)
    lost.answer.push_back(
        crash(q, q.tasks.at(id), attempt_ending::lost, its_end_was_seen, now, lost.changes));
  return lost;
}

decision<std::vector<lost_lease>> decide(queue& q, const lose_leases& command, instant now) {
  decision<std::vector<lost_lease>> lost;
  for (const auto& item : command.leases) {
    auto* t = find(q, item.task);
    if (t != nullptr && t->held() != nullptr && t->held()->token == item.token)
      lost.answer.push_back(
          crash(q, *t, attempt_ending::lost, its_end_was_seen, now, lost.changes));
  }
  return lost;
}

bool has_ended(const living_processes& processes, const worker_id& worker) {
  const auto process = process_of(worker);
  return process && processes.alive.count(*process) == 0;
}

decision<std::vector<lost_lease>> decide(queue& q, const lose_processes& command, instant now) {
  decision<std::vector<lost_lease>> lost;
  std::set<task_id> over; // in an order that does not depend on how they lie in memory
  for (const auto& [worker, tasks] : q.held)
    if (has_ended(command.processes, worker))
      for (const auto& id : tasks)
        if (q.tasks.at(id).held()->granted_at < command.processes.seen_at)
          over.insert(id);
  for (const auto& id : over)
    lost.answer.push_back(
        crash(q, q.tasks.at(id), attempt_ending::lost, its_end_was_seen, now, lost.changes));
  return lost;
}

decision<item_outcome> decide(queue& q, redrive_task command, instant now) {
  decision<item_outcome> revived;
  const auto id = command.spec.id;
  if (auto gone = check_not_removed(q); gone.code != errc::none) {
    revived.answer = refused(id, gone.code, std::move(gone.detail));
    return revived;
  }
  revived.answer = refused(id, errc::none);
  if (q.tasks.count(id) != 0) {
    revived.answer.repeated = true;
    return revived;
  }
  if (const auto taken = q.unique.find(command.spec.unique_key);
      !command.spec.unique_key.empty() && taken != q.unique.end()) {
    revived.answer =
        refused(id, errc::already_exists,
                "task " + to_string(taken->second) + " is live and has the same unique key");
    return revived;
  }
  task t;
  t.spec = std::move(command.spec);
  t.progress = std::move(command.progress);
  t.leases.last_token = command.last_token;
  auto& p = t.progress;
  p.attempts = p.crashes = p.failures = p.pauses = p.idle_releases = p.percent = 0;
  p.ejection = {};
  p.saved_under = p.saved_number = 0;
  p.paused = false;
  p.next_action = p.last_action = now;
  if (!t.spec.unique_key.empty())
    q.unique.emplace(t.spec.unique_key, id);
  revived.changes.writes.push_back(revive_task{id, p, t.spec.unique_key});
  settle(q, q.tasks.emplace(id, std::move(t)).first->second, now);
  return revived;
}

decision<bool> decide(queue& q, set_policy command, instant now) {
  decision<bool> set;
  if (q.revision != 0 && command.definition == q.definition)
    return set;
  q.policy = std::move(command.policy);
  q.definition = std::move(command.definition);
  ++q.revision;
  // The order of what waits may be another one now.
  q.ready.clear_waiting();
  q.latest_decision.reset(); // as loaded anew: see `heed_clock`
  for (const auto& [id, t] : q.tasks)
    if (t.held() == nullptr && !t.progress.paused)
      q.sleeping.emplace(t.progress.next_action, id);
  set.answer = true;
  set.changes.writes.push_back(row_of(q, now));
  return set;
}

decision<bool> decide(queue& q, const pause_queue& command, instant now) {
  decision<bool> set;
  if (command.type.empty()) {
    set.answer = q.paused != command.paused;
    q.paused = command.paused;
  } else {
    set.answer = command.paused ? q.paused_types.insert(command.type).second
                                : q.paused_types.erase(command.type) != 0;
  }
  if (!set.answer)
    return set;
  ++q.revision;
  set.changes.writes.push_back(row_of(q, now));
  return set;
}

} // namespace holdfast::core
