#include "tests/sim/task_audit.hpp"

#include "core/clock_steps.hpp"
#include "core/task_events.hpp"
#include "core/task_purpose.hpp"
#include "documents/queue_document.hpp"
#include "tests/sim/trace.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>

namespace holdfast::sim {

namespace {

using core::task_ending;

/// How long after its end a lease may still be there once nothing goes wrong any more: what a node
/// needs to come back and read its queues.
constexpr std::chrono::seconds task_expiry_bound{30};

/// How long a task that is due and kept back by nothing may wait while a worker waits for it: above
/// the longest that a rate or the world outside keeps a whole type back.
constexpr std::chrono::seconds due_bound{10};

bool same(const core::task_progress& a, const core::task_progress& b) {
  return a.state == b.state && a.data == b.data && a.execution_state == b.execution_state
         && a.percent == b.percent && a.attempts == b.attempts && a.crashes == b.crashes
         && a.next_action == b.next_action && a.paused == b.paused && a.failures == b.failures
         && a.ejection == b.ejection && a.saved_under == b.saved_under
         && a.saved_number == b.saved_number && a.pauses == b.pauses
         && a.idle_releases == b.idle_releases;
}

bool same(const core::lease& a, const core::lease& b) {
  return a.id == b.id && a.owner == b.owner && a.token == b.token && a.granted_at == b.granted_at
         && a.expires_at == b.expires_at;
}

std::ostream& put(std::ostream& out, const core::lease& lease) {
  return out << lease.owner << " token " << lease.token << " granted "
             << seconds_of_day(lease.granted_at) << " until " << seconds_of_day(lease.expires_at);
}

} // namespace

std::string task_auditor::dump(const core::task_id& id) const {
  std::ostringstream out;
  out << "\n    task " << to_string(id);
  if (const auto row = t_.tasks.find(id); row != t_.tasks.end()) {
    const auto& p = row->second.progress;
    out << " is live in " << row->second.queue << ", type " << row->second.spec.type << ", state "
        << p.state << ", attempts " << p.attempts << ", crashes " << p.crashes << ", next action "
        << seconds_of_day(p.next_action) << (p.paused ? ", paused" : "");
  } else if (const auto over = t_.finished_tasks.find(id); over != t_.finished_tasks.end()) {
    out << " in " << over->second.task.queue << " is " << to_string(over->second.ending) << " at "
        << seconds_of_day(over->second.at) << ", result " << over->second.result;
    if (over->second.lease)
      put(out << ", lease of ", *over->second.lease);
  } else {
    out << " is not in the tables";
  }
  if (const auto lease = t_.task_leases.find(id); lease != t_.task_leases.end())
    put(out << "\n      active   ", lease->second);
  const auto [begin, end] = persistence::memory::rows_of(t_.task_attempts, id);
  for (auto row = begin; row != end; ++row)
    put(out << "\n      " << row->second.ending << " at " << seconds_of_day(row->second.at) << ' ',
        row->second.lease);
  if (const auto known = tasks_.find(id); known != tasks_.end())
    out << "\n      grants seen: " << known->second.grants.size()
        << (known->second.over ? ", finished" : ", live") << " as far as is known";
  return out.str();
}

bool task_auditor::require(bool holds, const char* invariant, const core::task_id& task,
                           const char* what) {
  if (!holds)
    blame_(invariant, what + dump(task));
  return holds;
}

task_auditor::task_model* task_auditor::model_of(const core::task_id& id, const char* what) {
  const auto found = tasks_.find(id);
  return require(found != tasks_.end(), "I-13", id, what) ? &found->second : nullptr;
}

// --- every write, in order ---

std::string task_auditor::whole(const std::string& text) const {
  return objects_ == nullptr ? text : objects_->whole(text);
}

bool task_auditor::is_swept(const std::string& text) const {
  return objects_ != nullptr && objects_->is_swept(text);
}

core::task_progress task_auditor::whole(core::task_progress progress) const {
  progress.data = whole(progress.data);
  progress.execution_state = whole(progress.execution_state);
  return progress;
}

core::change task_auditor::whole(core::change change) const {
  for (auto& write : change.writes)
    if (auto* made = std::get_if<core::insert_task>(&write)) {
      made->spec.body = whole(made->spec.body);
      made->progress = whole(std::move(made->progress));
    } else if (auto* staged = std::get_if<core::stage_task>(&write)) {
      staged->task.spec.body = whole(staged->task.spec.body);
    } else if (auto* changed = std::get_if<core::update_task>(&write)) {
      changed->progress = whole(std::move(changed->progress));
    } else if (auto* over = std::get_if<core::finish_task>(&write)) {
      over->progress = whole(std::move(over->progress));
      over->result = whole(over->result);
    } else if (auto* back = std::get_if<core::revive_task>(&write)) {
      back->progress = whole(std::move(back->progress));
    }
  return change;
}

bool task_auditor::lost_payload(const task_model& t) const {
  return objects_ != nullptr
         && (objects_->was_lost(t.spec.body) || objects_->was_lost(t.progress.data)
             || objects_->was_lost(t.progress.execution_state));
}

void task_auditor::check_swept(const persistence::memory::live_task_row& row,
                               const std::string& result) {
  for (const auto* text :
       {&row.spec.body, &row.progress.data, &row.progress.execution_state, &result})
    require(!is_swept(*text), "I-12", row.spec.id, "an object was swept that a row refers to");
}

void task_auditor::committed(const core::change& as_written) {
  const auto change = whole(as_written);
  being_taken_.clear();
  given_back_.clear();
  for (const auto& write : change.writes)
    if (const auto* taken = std::get_if<core::take_staged>(&write))
      being_taken_.insert(taken->staged.begin(), taken->staged.end());
  schedules_.committed(change);
  check_told(change);
  for (const auto& write : change.writes)
    std::visit([this](const auto& w) { follow(w); }, write);
}

void task_auditor::check_told(const core::change& change) {
  using told = std::pair<core::event_type, core::task_id>;
  std::multiset<told> found;
  for (const auto& event : change.events)
    if (event.task)
      found.emplace(event.type, event.task);
  std::multiset<told> expected;
  for (const auto& write : change.writes)
    if (const auto* over = std::get_if<core::finish_task>(&write))
      if (const auto known = tasks_.find(over->task); known != tasks_.end()) {
        const auto& events = queues_[known->second.queue].policy.events;
        if (events.count(over->ending) != 0)
          expected.emplace(core::event_type_of(over->ending), over->task);
      }
  if (found != expected)
    blame_("A168", "the events of a change are not those of the tasks that end with it");
}

void task_auditor::follow(const core::put_queue& w) {
  auto& known = queues_[w.name];
  touched_queues_.insert(w.name);
  if (w.revision <= known.row.revision && !known.row.name.empty())
    blame_("finality", "the revision of queue " + w.name + " went back");
  const auto policy = documents::parse_queue_policy(w.definition, {});
  if (!policy)
    return blame_("I-12", "a queue has got an invalid policy: " + w.definition);
  known.row = w;
  known.policy = *policy;
  known.ttl_min = std::min(known.ttl_min, policy->lease.ttl);
  known.total_min = std::min(known.total_min, policy->lease.total_max);
  known.total_max = std::max(known.total_max, policy->lease.total_max);
}

void task_auditor::follow(const core::insert_task& w) {
  const auto id = w.spec.id;
  touched_.insert(id);
  require(tasks_.count(id) == 0, "I-13", id, "a task was made twice");
  const auto* asked = asked_for(id, w.queue);
  if (!require(asked != nullptr, "I-13", id, "a task that nobody has asked for"))
    return;
  require(asked->type == w.spec.type && asked->body == w.spec.body && asked->key == w.spec.key
              && asked->unique_key == w.spec.unique_key && asked->priority == w.spec.priority
              && asked->data == w.progress.data && w.progress.next_action >= asked->run_at,
          "I-12", id, "a task is not what was asked for");
  if (!w.spec.unique_key.empty())
    for (const auto& [other, t] : tasks_)
      require(t.over || t.queue != w.queue || t.spec.unique_key != w.spec.unique_key, "unique key",
              id, "two live tasks have one unique key");
  task_model made;
  made.queue = w.queue;
  made.spec = w.spec;
  set_progress(made, w.progress);
  made.data.insert(w.progress.data);
  tasks_[id] = std::move(made);
}

const msg::task_request* task_auditor::asked_for(const core::task_id& id,
                                                 const core::queue_name& queue) const {
  if (const auto* by_the_clock = schedules_.asked_for(id, queue))
    return by_the_clock;
  const auto sent = sent_tasks_.find(id);
  if (sent != sent_tasks_.end() && sent->second.queues.count(queue) != 0)
    return &sent->second.request;
  for (const auto staging : being_taken_)
    if (const auto row = staged_.find(staging);
        row != staged_.end() && row->second.request.task == id && row->second.queue == queue)
      return &row->second.request;
  return nullptr;
}

void task_auditor::follow(const core::take_staged& w) {
  for (const auto id : w.staged) {
    const auto row = staged_.find(id);
    if (!require(row != staged_.end() && !row->second.refused, "I-13", {},
                 "what is not staged, or not any more, was taken in"))
      continue;
    const auto& [queue, asked, refused] = row->second;
    const auto made = tasks_.find(asked.task);
    if (made != tasks_.end() && made->second.queue == queue) {
      const bool now = touched_.count(asked.task) != 0;
      seen_.count(now ? task_event::taken_in : task_event::known_when_taken);
    } else {
      require(false, "I-13", asked.task, "a staged task was taken in and is not there");
    }
    staged_.erase(row);
  }
}

void task_auditor::follow(const core::stage_task& w) {
  const auto row =
      std::find_if(t_.task_intake.rbegin(), t_.task_intake.rend(),
                   [&](const auto& entry) { return entry.second.task.spec.id == w.task.spec.id; });
  if (!require(row != t_.task_intake.rend(), "I-12", w.task.spec.id,
               "what was staged is not there"))
    return;
  const auto purpose = core::purpose_in(w.task.spec.owner_id);
  const auto waits = [&](const auto& entry) {
    return entry.first.first == purpose->unit && entry.second.id.value == w.task.spec.id.value;
  };
  require(purpose && std::any_of(t_.active_leases.begin(), t_.active_leases.end(), waits), "I-13",
          w.task.spec.id, "a task was staged for which no slot waits");
  msg::task_request request;
  request.task = w.task.spec.id;
  request.type = w.task.spec.type;
  request.body = w.task.spec.body;
  request.data = w.task.data;
  request.run_at = w.task.run_at;
  staged(row->first, w.queue, request);
}

void task_auditor::follow(const core::refuse_staged& w) {
  seen_.count(task_event::set_aside);
  const auto row = staged_.find(w.staged);
  if (!require(row != staged_.end() && !row->second.refused, "I-13", {},
               "what is not staged, or not any more, was refused"))
    return;
  const auto& asked = row->second.request;
  const auto known = tasks_.find(asked.task);
  // The input of the unit that it was to judge.
  const bool lost =
      w.code == core::errc::damaged && objects_ != nullptr && objects_->was_lost(asked.body);
  const bool taken = w.code == core::errc::already_exists
                     && ((known != tasks_.end() && known->second.queue != row->second.queue)
                         || !asked.unique_key.empty());
  require(taken || lost, "I-12", asked.task, "a staged task was refused for no reason");
  row->second.refused = true;
}

void task_auditor::check_stage() {
  const auto same_row = [](const auto& row, const auto& known) {
    return row.first == known.first && row.second.refused.has_value() == known.second.refused;
  };
  if (!std::equal(t_.task_intake.begin(), t_.task_intake.end(), staged_.begin(), staged_.end(),
                  same_row))
    blame_("I-13", "other tasks are staged than were left there by producers");
}

/// A worker's bookmark tells by whom it was set: it must be the one who held the task last.
void task_auditor::check_marks(task_model& t, const core::task_progress& next) {
  t.data.insert(next.data);
  auto& place = t.bookmarks[next.execution_state];
  if (place == 0 || next.execution_state != t.progress.execution_state)
    place = ++t.last_mark;
  if (next.paused && !t.progress.paused)
    seen_.count(task_event::paused);
  (next.paused ? t.was_paused : t.was_running) = true;
  if (next.execution_state == t.progress.execution_state)
    return;
  const auto sent = sent_bookmarks_.find(next.execution_state);
  if (!require(sent != sent_bookmarks_.end(), "I-12", t.spec.id, "nobody has sent this bookmark"))
    return;
  const auto& mark = sent->second;
  require(mark.task == t.spec.id && !t.grants.empty() && mark.token == t.grants.rbegin()->first
              && mark.worker == t.grants.rbegin()->second.worker,
          "I-3", t.spec.id, "a bookmark was stored under another token than the last one");
  if (mark.number == 0)
    return;
  auto& number = t.saved_numbers[mark.token];
  require(mark.number > number, "I-14", t.spec.id, "a bookmark has gone back to an earlier one");
  number = std::max(number, mark.number);
}

void task_auditor::follow(const core::update_task& w) {
  touched_.insert(w.task);
  auto* t = model_of(w.task, "a task was changed that was never made");
  if (t == nullptr || !require(!t->over, "I-13", w.task, "a finished task was changed"))
    return;
  check_marks(*t, w.progress);
  require(may_move(queues_[t->queue].policy, t->spec.type, t->progress.state, w.progress.state),
          "transitions", w.task, "a task has moved to a state that its type does not allow");
  require(w.progress.state != t->progress.state
              || (w.progress.attempts >= t->progress.attempts
                  && w.progress.crashes >= t->progress.crashes),
          "I-12", w.task, "failed tries are forgotten");
  require(given_back_.count(w.task) == 0
              || (w.progress.attempts == t->progress.attempts
                  && w.progress.crashes == t->progress.crashes
                  && w.progress.failures == t->progress.failures),
          "I-12", w.task, "a lease that has reached nobody counts against its task");
  require(w.progress.failures >= t->progress.failures, "I-12", w.task,
          "tries in vain are forgotten");
  require(w.progress.pauses >= t->progress.pauses, "I-12", w.task,
          "it is forgotten how often a task was put off");
  set_progress(*t, w.progress);
}

bool task_auditor::is_due(const task_model& t, core::instant at) const {
  if (t.progress.next_action <= at)
    return true;
  // The queue hears of a step back at once or later, and the delay begins anew there; a task that
  // was due stays so.
  return std::any_of(clock_steps_.begin() + static_cast<std::ptrdiff_t>(t.steps_before),
                     clock_steps_.end(), [&](const clock_step& step) {
                       return t.progress.next_action <= step.from
                              || core::due_after_step(t.progress, step.to) <= at;
                     });
}

void task_auditor::set_progress(task_model& t, const core::task_progress& progress) {
  t.progress = progress;
  t.steps_before = clock_steps_.size();
  if (is_ahead(progress.last_action))
    --t.steps_before;
}

bool task_auditor::is_ahead(core::instant stored) const {
  return !clock_steps_.empty() && stored - core::clock_corrections_max > now_();
}

void task_auditor::clock_set(core::instant from, core::instant to) {
  clock_steps_.push_back({from, to});
  for (auto& [id, t] : tasks_)
    if (t.lease) {
      t.clock_set_under_lease = true;
      t.lease_begins = std::min(t.lease_begins, to);
    }
  for (auto& [held, sent_at] : sent_extensions_)
    sent_at = std::min(sent_at, to);
}

bool task_auditor::may_have_run_out(const task_model& t, core::instant at) const {
  // As of a microsecond before the step was noticed: see `core::heed_clock`.
  return at >= t.lease->expires_at
         || (t.clock_set_under_lease
             && at >= t.lease_begins + queues_.at(t.queue).ttl_min - core::duration{1});
}

void task_auditor::check_limits(const task_model& t, const core::insert_task_lease& w) {
  const auto& q = queues_[t.queue];
  const auto& type = t.spec.type;
  require(!q.row.paused && !t.progress.paused
              && std::count(q.row.paused_types.begin(), q.row.paused_types.end(), type) == 0,
          "pause", w.task, "a lease was granted on what is paused");
  require(is_due(t, w.lease.granted_at), "next action", w.task,
          "a lease was granted before the task was due");
  std::uint32_t all = 0;
  std::uint32_t of_type = 0;
  std::uint32_t of_key = 0;
  const auto suspect = [&](const task_model& m) {
    return core::is_suspect(q.policy, m.spec.type, m.progress.crashes);
  };
  bool beside_suspect = false;
  for (const auto& [id, other] : tasks_)
    if (other.lease && other.queue == t.queue) {
      ++all;
      of_type += other.spec.type == type ? 1 : 0;
      of_key += other.spec.key == t.spec.key ? 1 : 0;
      beside_suspect = beside_suspect || (other.lease->owner == w.lease.owner && suspect(other));
    }
  const auto free = [](std::uint32_t most, std::uint32_t now) { return most == 0 || now < most; };
  require(free(q.policy.running_max, all) && free(q.policy.running_per_key_max, of_key)
              && free(rules_of(q.policy, type).running_max, of_type),
          "limits", w.task, "a lease was granted above a limit");
  require(!beside_suspect || !suspect(t), "limits", w.task, "a worker was given two suspects");
}

void task_auditor::follow(const core::insert_task_lease& w) {
  touched_.insert(w.task);
  auto* t = model_of(w.task, "a lease was granted on a task that was never made");
  if (t == nullptr || !require(!t->over, "I-13", w.task, "a lease was granted on a finished task"))
    return;
  require(!t->lease, "I-2", w.task, "two active leases on one task");
  require(t->grants.empty() || w.lease.token > t->grants.rbegin()->first, "I-3", w.task,
          "a lease was granted under an old token");
  const auto forgotten = forgotten_tokens_.find(w.task);
  require(forgotten == forgotten_tokens_.end() || w.lease.token > forgotten->second, "I-3", w.task,
          "a lease was granted under a token that a forgotten lease had");
  const auto sent = sent_claims_.find(w.lease.id);
  if (!require(sent != sent_claims_.end() && sent->second.request.worker == w.lease.owner
                   && sent->second.request.queue == t->queue,
               "I-12", w.task, "a lease that nobody has asked for"))
    return;
  auto& q = queues_[t->queue];
  require(w.lease.expires_at == w.lease.granted_at + q.policy.lease.ttl, "lease policy", w.task,
          "a fresh lease does not last for its time to live");
  if (!sent->second.by_name) {
    check_limits(*t, w);
    const auto& types = sent->second.request.types;
    require(types.empty() || std::count(types.begin(), types.end(), t->spec.type) != 0, "I-12",
            w.task, "a worker was given a type that it does not know");
  }
  t->grants[w.lease.token] = {w.lease.owner, w.lease.id};
  t->lease = w.lease;
  t->lease_begins = w.lease.granted_at;
  t->clock_set_under_lease = is_ahead(w.lease.granted_at);
  if (t->clock_set_under_lease)
    t->lease_begins = clock_steps_.back().to;
  q.last_move = w.lease.granted_at;
}

void task_auditor::follow(const core::extend_task_lease& w) {
  touched_.insert(w.task);
  auto* t = model_of(w.task, "a lease was extended on a task that was never made");
  if (t == nullptr
      || !require(t->lease && t->lease->token == w.token, "I-3", w.task,
                  "a lease was extended under another token"))
    return;
  // A lease that was shortened after a step back is stored as such before it ends.
  const bool is_shorter = w.expires_at < t->lease->expires_at && t->clock_set_under_lease;
  require((w.expires_at > t->lease->expires_at || t->clock_set_under_lease)
              && w.expires_at <= t->lease->granted_at + queues_[t->queue].total_max,
          "lease policy", w.task, "a lease was extended beyond what its policy allows, or back");
  require(is_shorter || sent_extensions_.count({w.task, w.token}) != 0, "I-12", w.task,
          "an extension that nobody has asked for");
  t->lease->expires_at = w.expires_at;
  t->lease->granted_at = std::min(t->lease->granted_at, w.expires_at - core::duration{1});
  if (!is_shorter)
    seen_.count(task_event::extended);
}

void task_auditor::check_crash(const task_model& t, bool by_death, core::instant at) {
  if (by_death)
    require(tied_.count(t.lease->owner) != 0 && died_.count(t.lease->owner) != 0, "I-12", t.spec.id,
            "a lease was lost with a worker that has not died");
  else
    require(may_have_run_out(t, at), "lease policy", t.spec.id, "a lease ran out before its end");
}

void task_auditor::check_timeout(const task_model& t, core::instant at) {
  // The last extension need not have been written.
  const auto begin = std::min(t.lease_begins, t.lease->granted_at);
  require(at >= begin + queues_[t.queue].total_min, "lease policy", t.spec.id,
          "a lease has timed out before its time");
}

void task_auditor::follow(const core::end_task_lease& w) {
  touched_.insert(w.task);
  auto* t = model_of(w.task, "a lease ended on a task that was never made");
  if (t == nullptr
      || !require(t->lease && t->lease->token == w.token, "I-3", w.task,
                  "a lease ended under another token"))
    return;
  using core::attempt_ending;
  const hold held{w.task, w.token};
  switch (w.how) {
  case attempt_ending::released:
    if (w.error.code == "PAYLOAD_UNREACHABLE") {
      seen_.count(task_event::payload_away);
      require(objects_ != nullptr && objects_->have_struck(), "I-12", w.task,
              "a payload could not be read though the store was well");
    } else if (w.error.code == "GRANT_NOT_DELIVERED") {
      seen_.count(task_event::undelivered);
      given_back_.insert(w.task);
      check_crash(*t, !may_have_run_out(*t, w.at), w.at);
    } else {
      require(sent_releases_.count(held) != 0, "I-12", w.task, "nobody has released this lease");
    }
    break;
  case attempt_ending::failed:
    if (w.error.code == "TIMEOUT")
      check_timeout(*t, w.at);
    else
      require(sent_failures_[held].count(1) != 0, "I-12", w.task, "nobody has reported this error");
    break;
  case attempt_ending::rate_limited:
    require(sent_failures_[held].count(3) != 0, "I-12", w.task, "nobody has reported this limit");
    break;
  case attempt_ending::expired:
    seen_.count(task_event::expired);
    check_crash(*t, false, w.at);
    break;
  case attempt_ending::lost:
    seen_.count(task_event::lost);
    check_crash(*t, true, w.at);
    break;
  case attempt_ending::ejected:
    seen_.count(task_event::ejected);
    require(sent_ejections_.count(w.task) != 0, "I-12", w.task, "nobody has ejected this task");
    break;
  case attempt_ending::canceled:
    require(false, "I-12", w.task, "a canceled task lives on");
    break;
  }
  t->lease.reset();
  queues_[t->queue].last_move = w.at;
}

void task_auditor::check_completion(const task_model& t, const core::finish_task& w) {
  seen_.count(task_event::completed);
  const hold held{w.task, w.token};
  require(w.token != 0, "I-3", w.task, "a task was completed without a lease");
  const auto sent = sent_results_.find(held);
  require(sent != sent_results_.end() && sent->second.count(w.result) != 0, "I-3", w.task,
          "a result was stored that nobody has sent under this token");
  // An extension that is not written yet keeps a lease alive that looks over.
  require(!t.lease || w.at < t.lease->expires_at || sent_extensions_.count(held) != 0, "I-3",
          w.task, "a result was accepted after the end of the lease");
}

void task_auditor::follow(const core::finish_task& w) {
  touched_.insert(w.task);
  auto* t = model_of(w.task, "a task was finished that was never made");
  if (t == nullptr || !require(!t->over, "I-13", w.task, "a task was finished twice"))
    return;
  require((t->lease ? t->lease->token : 0) == w.token, "I-3", w.task,
          "a task was finished under another token than that of its lease");
  const hold held{w.task, w.token};
  const auto failed_with = [&](std::uint8_t kind) {
    const auto sent = sent_failures_.find(held);
    return sent != sent_failures_.end() && sent->second.count(kind) != 0;
  };
  switch (w.ending) {
  case task_ending::completed:
    check_completion(*t, w);
    break;
  case task_ending::failed:
    seen_.count(task_event::failed);
    if (w.error.code == "PAYLOAD_MISSING") {
      seen_.count(task_event::payload_lost);
      require(lost_payload(*t), "I-12", w.task, "a payload is missing that nothing has taken away");
    } else {
      require(failed_with(2), "I-12", w.task, "a task has failed without its worker saying so");
    }
    break;
  case task_ending::canceled:
    seen_.count(task_event::canceled);
    require(sent_cancellations_.count(w.task) != 0, "I-12", w.task,
            "nobody has canceled this task");
    break;
  case task_ending::dead: {
    seen_.count(task_event::dead);
    const auto& retry = retry_of(queues_[t->queue].policy, t->spec.type);
    const auto most = t->spec.max_attempts != 0 ? t->spec.max_attempts : retry.max_attempts;
    const auto no_tries_left =
        w.progress.attempts >= most || w.progress.failures >= failures_most(retry, most);
    if (w.error.code == "NO_PROGRESS") {
      require(sent_releases_.count(held) != 0, "I-12", w.task, "nobody has released this lease");
    } else if (w.error.code == "TIMEOUT") {
      if (require(t->lease.has_value(), "I-12", w.task, "a task is dead without a lease"))
        check_timeout(*t, w.at);
      require(no_tries_left, "I-12", w.task, "a task is dead with tries left");
    } else if (w.error.code != "WORKER_LOST") {
      // A worker whose answer is lost may send a failure of another kind
      // under the same lease: one of the kinds that it has sent must explain it.
      const auto no_pauses_left = w.progress.pauses >= retry.pauses_max;
      require((failed_with(1) && no_tries_left) || (failed_with(3) && no_pauses_left), "I-12",
              w.task, "a task is dead with tries or pauses left");
    } else if (require(t->lease.has_value(), "I-12", w.task, "a task is dead without a lease")) {
      require(w.progress.crashes >= retry.crashes_max
                  || w.progress.failures >= failures_most(retry, most),
              "I-12", w.task, "a task is dead though few workers were lost");
      check_crash(*t, !may_have_run_out(*t, w.at), w.at);
    }
    break;
  }
  }
  check_marks(*t, w.progress);
  if (t->lease)
    queues_[t->queue].last_move = w.at;
  set_progress(*t, w.progress);
  t->progress.failures = 0; // what has ended keeps none of this
  t->progress.ejection = {};
  t->progress.saved_under = t->progress.saved_number = 0;
  t->progress.pauses = t->progress.idle_releases = 0;
  t->lease.reset();
  t->over = w;
}

void task_auditor::follow(const core::revive_task& w) {
  touched_.insert(w.task);
  seen_.count(task_event::revived);
  auto* t = model_of(w.task, "a task was revived that was never made");
  if (t == nullptr || !require(t->over.has_value(), "I-13", w.task, "a live task was revived"))
    return;
  require(t->over->ending == task_ending::dead || t->over->ending == task_ending::failed, "I-13",
          w.task, "a task was revived that had ended for good");
  require(sent_redrives_.count(t->queue) != 0, "I-12", w.task, "nobody has asked for the revival");
  if (!t->spec.unique_key.empty())
    for (const auto& [other, o] : tasks_)
      require(o.over || o.queue != t->queue || o.spec.unique_key != t->spec.unique_key,
              "unique key", w.task, "two live tasks have one unique key");
  ++queues_[t->queue].revived;
  check_marks(*t, w.progress);
  set_progress(*t, w.progress);
  t->over.reset();
}

void task_auditor::follow(const core::insert_late_result& w) {
  seen_.count(task_event::late_result);
  ++late_results_;
  const auto* t = model_of(w.task, "a late result of a task that was never made");
  const auto forgotten = forgotten_tokens_.find(w.task);
  // A worker may make a token up. Of those below the ones of this generation nobody knows whether
  // they were granted.
  const auto is_old = [&] {
    return (forgotten != forgotten_tokens_.end() && w.token <= forgotten->second)
           || (has_gone_back_ && !t->grants.empty() && w.token < t->grants.rbegin()->first);
  };
  require(t == nullptr || t->grants.count(w.token) != 0 || is_old(), "I-12", w.task,
          "a late result under a token that was never granted");
}

// --- the tables ---

void task_auditor::check_row(const core::task_id& id) {
  const auto& t = tasks_.at(id);
  const auto live = t_.tasks.find(id);
  const auto over = t_.finished_tasks.find(id);
  if (!require((live != t_.tasks.end()) == !t.over, "I-13", id,
               "a task that was committed as live is not, or the other way round")
      || !require((over != t_.finished_tasks.end()) == t.over.has_value(), "I-13", id,
                  "a task that was committed as finished is not, or the other way round"))
    return;
  const auto lease = t_.task_leases.find(id);
  require((lease != t_.task_leases.end()) == t.lease.has_value()
              && (!t.lease || same(lease->second, *t.lease)),
          "I-2", id, "the active lease is not the one that was granted");
  const auto& row = t.over ? over->second.task : live->second;
  require(row.queue == t.queue && same(whole(row.progress), t.progress)
              && whole(row.spec.body) == t.spec.body && row.spec.unique_key == t.spec.unique_key,
          "I-12", id, "a task is not as it was committed");
  if (t.over)
    require(over->second.ending == t.over->ending && whole(over->second.result) == t.over->result
                && (over->second.lease ? over->second.lease->token : 0) == t.over->token,
            "I-12", id, "a task has not ended as it was committed");
  std::size_t leases = lease != t_.task_leases.end() ? 1 : 0;
  leases += t.over && over->second.lease ? 1 : 0;
  const auto [begin, end] = persistence::memory::rows_of(t_.task_attempts, id);
  leases += static_cast<std::size_t>(std::distance(begin, end));
  require(leases == t.grants.size(), "I-3", id,
          "two leases share a token, or a granted lease has vanished");
}

void task_auditor::check_touched() {
  for (const auto& id : touched_)
    if (tasks_.count(id) != 0)
      check_row(id);
  for (const auto& name : touched_queues_) {
    const auto& known = queues_.at(name).row;
    const auto row = t_.queues.find(name);
    if (row == t_.queues.end() || row->second.revision != known.revision
        || row->second.definition != known.definition || row->second.paused != known.paused
        || row->second.paused_types != known.paused_types)
      blame_("I-12", "queue " + name + " is not as it was committed");
  }
  if (t_.late_results.size() != late_results_)
    blame_("I-12", "late results have vanished, or come from nowhere");
  check_stage();
  schedules_.check_rows();
  touched_.clear();
  touched_queues_.clear();
}

void task_auditor::check_all() {
  std::size_t live = 0;
  std::size_t held = 0;
  for (const auto& [id, t] : tasks_) {
    check_row(id);
    live += t.over ? 0 : 1;
    held += t.lease ? 1 : 0;
  }
  if (t_.tasks.size() != live || t_.finished_tasks.size() != tasks_.size() - live)
    blame_("I-13", "the tables hold other tasks than were made");
  if (t_.task_leases.size() != held)
    blame_("I-2", "the tables hold other leases than were granted");
  std::set<std::pair<core::queue_name, std::string>> unique;
  for (const auto& [id, row] : t_.tasks)
    require(row.spec.unique_key.empty() || unique.insert({row.queue, row.spec.unique_key}).second,
            "unique key", id, "two live tasks have one unique key");
  for (const auto& id : told_new_)
    require(tasks_.count(id) != 0, "I-12", id, "an acknowledged task is not in the database");
}

std::string task_auditor::unfinished() const {
  for (const auto& [id, sent] : sent_tasks_)
    if (told_.count(id) == 0 && sent_as_next_.count(id) == 0)
      return "nobody was told what has become of the request to make a task" + dump(id);
  for (const auto& [id, row] : t_.tasks)
    return "I-9: a task is not finished" + dump(id);
  if (!to_be_staged_.empty())
    return "a producer has not staged its task" + dump(*to_be_staged_.begin());
  for (const auto& [id, row] : staged_)
    if (!row.refused)
      return "I-13: a staged task is not taken in" + dump(row.request.task);
  return schedules_.unfinished();
}

void task_auditor::check_prompt(core::instant since, core::instant now) {
  for (const auto& [id, lease] : t_.task_leases)
    require(std::max(since, lease.expires_at) > now - task_expiry_bound, "I-9", id,
            "a lease has run out long ago and is still there");
  for (const auto& [worker, wait] : waiting_) {
    const auto& [name, begun] = wait;
    const auto known = queues_.find(name);
    if (known == queues_.end() || known->second.row.paused)
      continue;
    const auto& q = known->second;
    // A lease that is out may count against a limit; what it has kept back is due when it ends.
    auto quiet_since = std::max({since, begun, q.last_move, q.row.at});
    for (const auto& [id, t] : tasks_)
      if (t.queue == name && t.lease)
        quiet_since = now;
    if (quiet_since > now - due_bound)
      continue;
    const auto& held_back = q.row.paused_types;
    for (const auto& [id, t] : tasks_)
      if (t.queue == name && !t.over && !t.progress.paused
          && std::count(held_back.begin(), held_back.end(), t.spec.type) == 0)
        require(std::max({quiet_since, t.progress.next_action, t.progress.last_action})
                    > now - due_bound,
                "I-9", id, "a task is due, a worker waits, and nothing happens");
  }
}

void task_auditor::check_quiescent(core::instant now) {
  check_all();
  for (const auto& [id, row] : t_.tasks)
    check_swept(row, {});
  for (const auto& [id, row] : t_.finished_tasks)
    check_swept(row.task, row.result);
  if (const auto open = unfinished(); !open.empty())
    blame_("liveness", open);
  for (const auto& [id, lease] : t_.task_leases)
    require(lease.expires_at > now - task_expiry_bound, "I-9", id,
            "a lease has run out long ago and is still there");
}

} // namespace holdfast::sim
