// The part of the task auditor that remembers what clients have sent, and checks what they are
// told.

#include "tests/sim/task_audit.hpp"

#include <algorithm>

namespace holdfast::sim {

using core::task_ending;

// --- what is sent ---

void task_auditor::sending(const msg::enqueue_tasks& m, core::instant) {
  for (const auto& task : m.tasks) {
    auto& sent = sent_tasks_[task.task];
    sent.request = task;
    sent.queues.insert(m.queue);
  }
}

void task_auditor::staged(core::staging_id id, const core::queue_name& queue,
                          const msg::task_request& request) {
  to_be_staged_.erase(request.task);
  staged_[id] = {queue, request, false};
}

void task_auditor::not_staged(const core::queue_name& queue, const msg::task_request& request,
                              const std::optional<core::task_id>& told) {
  const auto& key = request.unique_key;
  std::set<core::task_id> holders;
  for (const auto& [id, row] : t_.tasks)
    if (row.queue == queue && row.spec.unique_key == key)
      holders.insert(id);
  for (const auto& [id, row] : t_.task_intake)
    if (!row.refused && row.queue == queue && row.task.spec.unique_key == key)
      holders.insert(row.task.spec.id);
  if (told)
    require(!key.empty() && !request.reject_duplicate && holders.count(*told) != 0, "I-13",
            request.task, "a producer was told of a task that has not got the unique key");
  if (!key.empty() && !holders.empty())
    to_be_staged_.erase(request.task);
}

void task_auditor::sending(const msg::claim_tasks& m, core::instant) {
  sent_claims_[m.claim] = {m, false};
  if (m.tied)
    tied_.insert(m.worker);
}

void task_auditor::sending(const msg::extend_tasks& m, core::instant now) {
  for (const auto& ref : m.tasks)
    sent_extensions_.emplace(hold{ref.task, ref.token}, now);
}

void task_auditor::sending(const msg::save_task& m, core::instant now) {
  sent_extensions_.emplace(hold{m.task.task, m.task.token}, now);
  if (!m.update.execution_state.empty())
    sent_bookmarks_[m.update.execution_state] = {m.task.task, m.task.token, m.worker, 0};
}

void task_auditor::sending(const msg::save_task_in_order& m, core::instant now) {
  sent_extensions_.emplace(hold{m.task.task, m.task.token}, now);
  sent_bookmarks_[m.update.execution_state] = {m.task.task, m.task.token, m.worker, m.number};
}

void task_auditor::sending(const msg::release_task& m, core::instant) {
  sent_releases_.insert({m.task.task, m.task.token});
  if (!m.update.execution_state.empty())
    sent_bookmarks_[m.update.execution_state] = {m.task.task, m.task.token, m.worker, 0};
}

void task_auditor::sending(const msg::complete_tasks& m, core::instant) {
  for (const auto& item : m.tasks)
    sent_results_[{item.task.task, item.task.token}].insert(item.result);
}

void task_auditor::sending(const msg::follow_task& m, core::instant) {
  sent_results_[{m.done.task.task, m.done.task.token}].insert(m.done.result);
  auto& sent = sent_tasks_[m.next.task];
  sent.request = m.next;
  sent.queues.insert(m.queue);
  sent_as_next_.insert(m.next.task);
  msg::claim_tasks claim;
  claim.queue = m.queue;
  claim.worker = m.worker;
  claim.claim = m.claim;
  sent_claims_[m.claim] = {claim, true};
}

void task_auditor::sending(const msg::fail_task& m, core::instant) {
  sent_failures_[{m.task.task, m.task.token}].insert(m.kind);
}

void task_auditor::sending(const msg::eject_task& m, core::instant) {
  sent_ejections_.insert(m.task);
  if (m.worker.empty())
    return;
  msg::claim_tasks claim;
  claim.queue = m.queue;
  claim.worker = m.worker;
  claim.claim = m.claim;
  sent_claims_[m.claim] = {claim, true};
}

void task_auditor::sending(const msg::change_task& m, core::instant) {
  if (static_cast<core::task_verb>(m.verb) == core::task_verb::cancel)
    sent_cancellations_.insert(m.task);
}

void task_auditor::sending(const msg::redrive_tasks& m, core::instant) {
  sent_redrives_.insert(m.queue);
}

void task_auditor::died(const core::worker_id& worker) { died_.insert(worker); }

// --- what is answered ---

const core::lease* task_auditor::lease_of(const core::task_id& task, core::token token) const {
  if (const auto active = t_.task_leases.find(task);
      active != t_.task_leases.end() && active->second.token == token)
    return &active->second;
  if (const auto attempt = t_.task_attempts.find({task, token}); attempt != t_.task_attempts.end())
    return &attempt->second.lease;
  const auto over = t_.finished_tasks.find(task);
  if (over != t_.finished_tasks.end() && over->second.lease && over->second.lease->token == token)
    return &*over->second.lease;
  return nullptr;
}

void task_auditor::check_view(const core::queue_name& queue, const msg::queue_view& answer) {
  const auto row = t_.queues.find(queue);
  if (answer.queue != queue || row == t_.queues.end() || row->second.revision < answer.revision)
    return blame_("I-12", "an acknowledged change of queue " + queue + " is not in the database");
  const auto& now = row->second;
  if (now.revision == answer.revision
      && (now.definition != answer.policy || now.paused != answer.paused
          || now.paused_types != answer.paused_types))
    blame_("I-12", "queue " + queue + " was acknowledged in another state than its revision's");
}

void task_auditor::acknowledged(const msg::put_queue& asked, const msg::queue_view& answer) {
  check_view(asked.queue, answer);
  if (answer.policy != asked.policy)
    blame_("I-12", "queue " + asked.queue + " was acknowledged with another policy");
}

void task_auditor::acknowledged(const msg::pause_queue& asked, const msg::queue_view& answer) {
  check_view(asked.queue, answer);
  const auto& types = answer.paused_types;
  const bool paused = asked.type.empty()
                          ? answer.paused
                          : std::find(types.begin(), types.end(), asked.type) != types.end();
  if (paused != asked.paused)
    blame_("I-12", "queue " + asked.queue + " was acknowledged otherwise than it was asked to be");
}

void task_auditor::acknowledged(const msg::enqueue_tasks& asked, const msg::task_outcomes& answer) {
  if (answer.outcomes.size() != asked.tasks.size())
    return blame_("I-12", "not one outcome for each task");
  for (std::size_t i = 0; i < asked.tasks.size(); ++i) {
    const auto& request = asked.tasks[i];
    const auto& outcome = answer.outcomes[i];
    if (outcome.refusal == core::errc::overloaded || outcome.refusal == core::errc::unavailable)
      continue;
    told_.insert(request.task);
    const auto known = tasks_.find(outcome.task);
    if (outcome.refusal == core::errc::already_exists)
      require((known != tasks_.end() && known->second.queue != asked.queue)
                  || request.reject_duplicate,
              "I-12", request.task, "a task was refused as if there were another one");
    if (outcome.refusal != core::errc::none)
      continue;
    if (!require(known != tasks_.end() && known->second.queue == asked.queue, "I-12", outcome.task,
                 "an acknowledged task is not in the database"))
      continue;
    if (outcome.task != request.task) {
      seen_.count(task_event::key_taken);
      require(!request.unique_key.empty() && !request.reject_duplicate && outcome.repeated
                  && known->second.spec.unique_key == request.unique_key,
              "unique key", request.task, "another task was named that does not have its key");
    } else if (!outcome.repeated)
      require(told_new_.insert(request.task).second, "I-13", request.task,
              "a task was acknowledged as new twice");
  }
}

void task_auditor::check_leased(const core::queue_name& queue, const core::worker_id& worker,
                                const core::assignment_id& claim, const msg::leased_task& leased) {
  const auto* lease = lease_of(leased.task, leased.token);
  if (!require(lease != nullptr && lease->owner == worker && lease->id == claim, "I-12",
               leased.task, "an acknowledged lease is not in the database"))
    return;
  const auto found = tasks_.find(leased.task);
  if (!require(found != tasks_.end(), "I-13", leased.task, "a task was leased that was never made"))
    return;
  const auto& known = found->second;
  // The end of a lease that is being extended is told before it is written.
  require(lease->expires_at >= leased.expires_at
              || sent_extensions_.count({leased.task, leased.token}) != 0,
          "I-12", leased.task, "a lease was acknowledged that is longer than the one stored");
  require(known.queue == queue && known.spec.type == leased.type && known.spec.body == leased.body,
          "I-12", leased.task, "a worker was given something else than the task");
  require(known.data.count(leased.data) != 0, "I-12", leased.task,
          "a worker was given data that is not in the database");
  // What is behind an acknowledged bookmark is done: whoever has the task next begins there.
  const auto given = known.bookmarks.find(leased.execution_state);
  std::size_t least = 0;
  for (const auto& [token, place] : known.acknowledged_marks)
    if (token < leased.token)
      least = std::max(least, place);
  require((given == known.bookmarks.end() ? 0 : given->second) >= least, "I-14", leased.task,
          "a worker was given an older bookmark than one that was acknowledged");
}

void task_auditor::acknowledged(const msg::claim_tasks& asked, const msg::leased_tasks& answer) {
  if (answer.tasks.size() > asked.most)
    blame_("I-12", "a worker was given more tasks than it asked for");
  for (const auto& leased : answer.tasks)
    check_leased(asked.queue, asked.worker, asked.claim, leased);
}

void task_auditor::acknowledged(const msg::extend_tasks& asked, const msg::task_outcomes& answer) {
  if (answer.outcomes.size() != asked.tasks.size())
    return blame_("I-12", "not one outcome for each task");
  for (std::size_t i = 0; i < asked.tasks.size(); ++i) {
    const auto& [task, token] = asked.tasks[i];
    if (answer.outcomes[i].refusal != core::errc::none)
      continue;
    const auto* lease = lease_of(task, token);
    if (!require(lease != nullptr && lease->owner == asked.worker, "I-12", task,
                 "a lease was extended that is not in the database"))
      continue;
    const auto& q = queues_.at(asked.queue);
    const auto active = t_.task_leases.find(task);
    if (active == t_.task_leases.end() || active->second.token != token)
      continue; // it has ended since, and what was not written yet never will be
    if (clock_was_set())
      continue; // nodes follow later, and by their clock it ends earlier than by that of now
    require(lease->expires_at >= std::min(sent_extensions_.at({task, token}) + q.ttl_min,
                                          lease->granted_at + q.total_min),
            "I-12", task, "an acknowledged extension is not in the database");
  }
}

void task_auditor::acknowledged(const msg::save_task& asked, const msg::task_outcome& answer) {
  if (answer.refusal != core::errc::none)
    return;
  const auto known = tasks_.find(asked.task.task);
  require(known != tasks_.end() && known->second.bookmarks.count(asked.update.execution_state) != 0,
          "I-12", asked.task.task, "acknowledged progress is not in the database");
  if (known == tasks_.end())
    return;
  const auto& marks = known->second.bookmarks;
  if (const auto stored = marks.find(asked.update.execution_state); stored != marks.end()) {
    auto& place = known->second.acknowledged_marks[asked.task.token];
    place = std::max(place, stored->second);
  }
}

void task_auditor::acknowledged(const msg::save_task_in_order& asked,
                                const msg::task_outcome& answer) {
  const auto known = tasks_.find(asked.task.task);
  if (answer.refusal == core::errc::none && known != tasks_.end()
      && known->second.bookmarks.count(asked.update.execution_state) == 0) {
    require(known->second.saved_numbers[asked.task.token] > asked.number, "I-12", asked.task.task,
            "acknowledged progress is not in the database, nor any that came later");
    return;
  }
  acknowledged(msg::save_task{asked.queue, asked.worker, asked.task, asked.update}, answer);
}

void task_auditor::check_over(const msg::task_ref& ref, const char* what) {
  const auto active = t_.task_leases.find(ref.task);
  require(lease_of(ref.task, ref.token) != nullptr
              && (active == t_.task_leases.end() || active->second.token != ref.token),
          "I-12", ref.task, what);
}

void task_auditor::acknowledged(const msg::release_task& asked, const msg::task_outcome& answer) {
  if (answer.refusal != core::errc::none)
    return;
  const auto attempt = t_.task_attempts.find({asked.task.task, asked.task.token});
  require(attempt != t_.task_attempts.end()
              && attempt->second.ending == to_string(core::attempt_ending::released)
              && attempt->second.lease.owner == asked.worker,
          "I-12", asked.task.task, "an acknowledged release is not in the database");
}

void task_auditor::acknowledged(const msg::complete_tasks& asked,
                                const msg::task_outcomes& answer) {
  if (answer.outcomes.size() != asked.tasks.size())
    return blame_("I-12", "not one outcome for each task");
  for (std::size_t i = 0; i < asked.tasks.size(); ++i) {
    const auto& [ref, result] = asked.tasks[i];
    const auto& outcome = answer.outcomes[i];
    if (outcome.refusal == core::errc::not_found)
      if (const auto known = tasks_.find(ref.task); known != tasks_.end())
        require(known->second.queue != asked.queue, "I-12", ref.task,
                "a task is unknown to its own queue");
    if (outcome.refusal != core::errc::none)
      continue;
    const auto over = t_.finished_tasks.find(ref.task);
    if (!require(over != t_.finished_tasks.end() && over->second.ending == task_ending::completed
                     && over->second.lease && over->second.lease->token == ref.token,
                 "I-12", ref.task, "an acknowledged completion is not in the database"))
      continue;
    if (outcome.repeated)
      continue;
    require(whole(over->second.result) == result && over->second.lease->owner == asked.worker,
            "I-12", ref.task, "a task was completed with another result than the acknowledged one");
    require(told_completed_new_.insert(ref.task).second, "I-13", ref.task,
            "two completions of one task were acknowledged as the first");
  }
}

void task_auditor::acknowledged(const msg::follow_task& asked, const msg::leased_tasks& answer) {
  const auto over = t_.finished_tasks.find(asked.done.task.task);
  require(over != t_.finished_tasks.end() && over->second.ending == task_ending::completed
              && whole(over->second.result) == asked.done.result,
          "I-12", asked.done.task.task, "an acknowledged completion is not in the database");
  for (const auto& leased : answer.tasks) {
    seen_.count(task_event::followed);
    require(leased.task == asked.next.task, "I-12", leased.task, "another task follows");
    check_leased(asked.queue, asked.worker, asked.claim, leased);
  }
}

void task_auditor::acknowledged(const msg::fail_task& asked, const msg::task_outcome& answer) {
  if (answer.refusal == core::errc::none)
    check_over(asked.task, "an acknowledged error is not in the database");
}

void task_auditor::acknowledged(const msg::eject_task& asked, const msg::leased_tasks& answer) {
  const auto known = tasks_.find(asked.task);
  if (!require(
          known != tasks_.end()
              && (asked.update.data.empty() || known->second.data.count(asked.update.data) != 0),
          "I-12", asked.task, "an acknowledged ejection is not in the database"))
    return;
  const bool may_be_withheld = objects_ != nullptr && objects_->have_struck();
  // Nothing is ejected a second time for the same request: what it leased may be over, or somebody
  // else may have the task since. And what has run out before its grant was durable is nobody's.
  const auto& [grants, lease] = std::tie(known->second.grants, known->second.lease);
  const bool may_be_over =
      lease ? lease->id != asked.claim || lease->expires_at <= now_()
            : std::any_of(grants.begin(), grants.end(),
                          [&](const auto& granted) { return granted.second.claim == asked.claim; });
  if (answer.tasks.size() != (asked.worker.empty() ? 0 : 1)
      && !(answer.tasks.empty() && (may_be_withheld || may_be_over)))
    return blame_("I-12",
                  "an ejection was answered with another number of tasks than it asks for; claim "
                      + to_string(asked.claim) + ", in the database "
                      + (lease ? to_string(lease->id) : "no lease"));
  for (const auto& leased : answer.tasks)
    check_leased(asked.queue, asked.worker, asked.claim, leased);
}

void task_auditor::acknowledged(const msg::change_task& asked, const msg::task_changed& answer) {
  const auto known = tasks_.find(asked.task);
  if (!require(known != tasks_.end() && answer.task == asked.task, "I-12", asked.task,
               "a task was changed that is not in the database"))
    return;
  const auto& t = known->second;
  switch (static_cast<core::task_verb>(asked.verb)) {
  case core::task_verb::cancel:
    require(t.over && t.over->ending == task_ending::canceled, "I-12", asked.task,
            "an acknowledged cancellation is not in the database");
    break;
  case core::task_verb::pause:
    require(t.was_paused, "I-12", asked.task, "an acknowledged pause is not in the database");
    break;
  case core::task_verb::resume:
    require(t.was_running, "I-12", asked.task, "an acknowledged resumption is not in the database");
    break;
  case core::task_verb::retry:
    break;
  }
}

void task_auditor::acknowledged(const msg::redrive_tasks& asked,
                                const msg::tasks_redriven& answer) {
  auto& q = queues_[asked.queue];
  q.revivals_told += answer.redriven;
  if (q.revivals_told > q.revived)
    blame_("I-12", "acknowledged revivals are not in the database, queue " + asked.queue);
}

void task_auditor::acknowledged(const msg::get_queue_statistics& asked,
                                const msg::queue_statistics& answer) {
  const auto all = static_cast<std::uint64_t>(
      std::count_if(tasks_.begin(), tasks_.end(),
                    [&](const auto& entry) { return entry.second.queue == asked.queue; }));
  if (answer.live + answer.completed + answer.failed + answer.canceled + answer.dead > all
      || answer.leased > answer.live)
    blame_("I-13", "the statistics of queue " + asked.queue + " count more tasks than were made");
}

void task_auditor::acknowledged(const msg::get_task& asked, const msg::task_view& answer) {
  const auto known = tasks_.find(asked.task);
  require(known != tasks_.end() && answer.task == asked.task && known->second.queue == answer.queue
              && known->second.spec.body == whole(answer.body)
              && known->second.data.count(whole(answer.data)) != 0,
          "I-12", asked.task, "a task was shown that is not in the database");
}

void task_auditor::told_lost(const msg::tasks_lost& told) {
  seen_.count(task_event::told_lost);
  for (const auto& ref : told.tasks) {
    // The end of which it is told may be one that the database has forgotten.
    const auto forgotten = forgotten_tokens_.find(ref.task);
    if (forgotten == forgotten_tokens_.end() || ref.token > forgotten->second)
      check_over(ref, "a worker was told that a lease is lost, and it is not");
  }
}

} // namespace holdfast::sim
