#pragma once

#include "core/change.hpp"
#include "core/queue.hpp"
#include "core/task_events.hpp"
#include "tests/core/describe.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace holdfast::test {

/// What a database would know of one queue if it applied the changes that decisions emit, and
/// nothing else. A queue whose host has died is loaded from this, so it must tell the same story as
/// the queue in memory.
///
/// Applying throws where the store would refuse.
class queue_mirror {
public:
  struct finished {
    core::task_spec spec;
    core::task_progress progress;
    core::task_ending ending;
    core::token last_token = 0;
  };

  explicit queue_mirror(core::queue_name name) { row_.name = std::move(name); }

  /// The ends that are events from now on.
  void tells(std::set<core::task_ending> endings) { told_ = std::move(endings); }

  void apply(const core::change& c) {
    check_told(c);
    std::set<std::pair<std::size_t, core::task_id>> written;
    for (const auto& w : c.writes) {
      // The store applies a change kind by kind, so there must be no order among those of a kind.
      if (const auto task = std::visit([](const auto& op) { return task_of(op); }, w))
        refuse_unless(written.emplace(w.index(), task).second, "one row written twice");
      std::visit([this](const auto& op) { write(op); }, w);
    }
    // I-13
    refuse_unless(created_ == live_.size() + finished_.size(), "I-13, a task is lost");
  }

  /// The queue as its next host would load it.
  core::queue load(const core::queue_policy& policy) const {
    core::queue q;
    q.name = row_.name;
    q.policy = policy;
    q.definition = row_.definition;
    q.paused = row_.paused;
    q.paused_types = {row_.paused_types.begin(), row_.paused_types.end()};
    q.revision = row_.revision;
    for (const auto& [id, t] : live_)
      enter(q, t);
    return q;
  }

  const std::map<core::task_id, core::task>& live() const { return live_; }
  const std::map<core::task_id, finished>& ended() const { return finished_; }
  std::size_t late_results() const { return late_results_; }

  /// How the queue in memory differs from what is stored; empty when it does not.
  std::string difference(const core::queue& q) const {
    const auto row = row_of(q, row_.at);
    if (std::tie(row.name, row.definition, row.paused, row.paused_types, row.revision)
        != std::tie(row_.name, row_.definition, row_.paused, row_.paused_types, row_.revision))
      return "in memory:\n" + write_text{}(row) + "\nstored:\n" + write_text{}(row_);
    return difference(q.tasks, live_);
  }

  template <class Tasks>
  static std::string difference(const Tasks& found,
                                const std::map<core::task_id, core::task>& expected) {
    for (const auto& [id, t] : expected) {
      const auto same = found.find(id);
      if (same == found.end())
        return "missing: " + describe(t);
      if (!equal(same->second, t))
        return describe(same->second) + "\nshould be\n" + describe(t);
    }
    return found.size() == expected.size() ? "" : "there are more tasks than there should be";
  }

  /// What is derived from the tasks agrees with them; empty, or what does not.
  static std::string disagreement(const core::queue& q) {
    std::size_t leased = 0;
    std::size_t waiting = 0;
    std::set<std::pair<core::instant, core::task_id>> expiries;
    std::map<std::string, core::task_id> unique;
    std::set<std::pair<core::assignment_id, core::task_id>> claims;
    std::set<std::pair<core::worker_id, core::task_id>> held;
    for (const auto& [id, t] : q.tasks) {
      if (t.spec.id != id)
        return "a task is under another id than its own";
      if (t.leases.active.size() > 1) // I-2
        return "I-2: two leases of one task";
      if (!t.spec.unique_key.empty() && !unique.emplace(t.spec.unique_key, id).second)
        return "two live tasks have the unique key " + t.spec.unique_key;
      if (const auto* l = t.held()) {
        ++leased;
        expiries.emplace(l->expires_at, id);
        claims.emplace(l->id, id);
        held.emplace(l->owner, id);
      } else if (!t.progress.paused) {
        ++waiting;
      }
    }
    for (const auto& [at, id] : q.sleeping) {
      const auto found = q.tasks.find(id);
      if (found == q.tasks.end())
        return "a finished task sleeps";
      const auto& t = found->second;
      if (t.held() != nullptr || t.progress.paused || t.progress.next_action != at)
        return "a task sleeps that is leased, paused or due at another time: " + describe(t);
    }
    if (q.sleeping.size() + q.ready.waiting() != waiting)
      return std::to_string(q.sleeping.size()) + " sleep and " + std::to_string(q.ready.waiting())
             + " are ready, but " + std::to_string(waiting) + " wait";
    if (q.ready.running() != leased)
      return std::to_string(q.ready.running()) + " run, but " + std::to_string(leased)
             + " are leased";
    if (q.expiries != expiries)
      return "the expiries are not those of the leases";
    if (std::map<std::string, core::task_id>{q.unique.begin(), q.unique.end()} != unique)
      return "the unique keys are not those of the tasks";
    for (const auto& [claim, tasks] : q.claims)
      for (const auto& id : tasks)
        if (claims.erase({claim, id}) == 0)
          return "a claim has a task that is not leased under it";
    for (const auto& [worker, tasks] : q.held)
      for (const auto& id : tasks)
        if (held.erase({worker, id}) == 0)
          return "a worker has a task that it does not hold";
    if (!claims.empty() || !held.empty())
      return "a lease is missing from its claim or its worker";
    return {};
  }

private:
  /// Each end that the queue tells of has its one event in the change that ends the task, and
  /// nothing else has any.
  void check_told(const core::change& c) const {
    std::multiset<std::pair<core::event_type, core::task_id>> expected;
    for (const auto& w : c.writes)
      if (const auto* gone = std::get_if<core::finish_task>(&w))
        if (told_.count(gone->ending) != 0)
          expected.emplace(core::event_type_of(gone->ending), gone->task);
    std::multiset<std::pair<core::event_type, core::task_id>> found;
    for (const auto& e : c.events) {
      refuse_unless(e.queue == row_.name, "an event names another queue");
      found.emplace(e.type, e.task);
    }
    refuse_unless(found == expected, "the events are not those of the tasks that have ended");
  }

  static bool equal(const core::task& a, const core::task& b) {
    const auto spec = [](const core::task_spec& s) {
      return std::tie(s.id, s.type, s.version, s.body, s.trace_id, s.span_id, s.priority, s.key,
                      s.credential, s.unique_key, s.max_attempts, s.owner_id, s.run_as_id,
                      s.created_at);
    };
    const auto progress = [](const core::task_progress& p) {
      return std::tie(p.state, p.data, p.execution_state, p.percent, p.attempts, p.crashes,
                      p.next_action, p.last_change, p.last_action, p.paused, p.failures, p.ejection,
                      p.saved_under, p.saved_number, p.pauses, p.idle_releases);
    };
    const auto lease = [](const core::lease& l) {
      return std::tie(l.id, l.owner, l.token, l.granted_at, l.expires_at);
    };
    return spec(a.spec) == spec(b.spec) && progress(a.progress) == progress(b.progress)
           && a.leases.last_token == b.leases.last_token
           && std::equal(a.leases.active.begin(), a.leases.active.end(), b.leases.active.begin(),
                         b.leases.active.end(), [&](const core::lease& x, const core::lease& y) {
                           return lease(x) == lease(y);
                         });
  }

  static void refuse_unless(bool accepted, const std::string& why) {
    if (!accepted)
      throw std::logic_error("the store would refuse: " + why);
  }

  static core::task_id task_of(const core::insert_task& w) { return w.spec.id; }
  // Of a worker that comes too late there may be any number.
  static core::task_id task_of(const core::insert_late_result&) { return {}; }
  static core::task_id task_of(const core::put_queue&) { return {}; }
  static core::task_id task_of(const core::stage_task&) { return {}; }
  template <class Write>
  static auto task_of(const Write& w) -> decltype(w.task) {
    return w.task;
  }
  template <class... Other>
  static core::task_id task_of(const Other&...) {
    return {};
  }

  core::task& live(const core::task_id& id) {
    const auto found = live_.find(id);
    refuse_unless(found != live_.end(), "the task is not live");
    return found->second;
  }

  /// The task, leased under exactly this token.
  core::task& leased(const core::task_id& id, core::token token) {
    auto& t = live(id);
    refuse_unless(t.held() != nullptr && t.held()->token == token, "no lease under this token");
    return t;
  }

  void take_unique(const std::string& key) {
    if (!key.empty())
      refuse_unless(unique_.insert(key).second, "a second live task of the unique key " + key);
  }

  void write(const core::put_queue& w) {
    refuse_unless(w.name == row_.name, "another queue");
    refuse_unless(w.revision == row_.revision + 1, "a revision left out");
    row_ = w;
  }
  void write(const core::insert_task& w) {
    refuse_unless(w.queue == row_.name, "another queue");
    refuse_unless(w.spec.id && live_.count(w.spec.id) == 0 && finished_.count(w.spec.id) == 0,
                  "a task of this id exists");
    take_unique(w.spec.unique_key);
    live_[w.spec.id] = {w.spec, w.progress, {}};
    ++created_;
  }
  void write(const core::update_task& w) { live(w.task).progress = w.progress; }
  void write(const core::insert_task_lease& w) {
    auto& leases = live(w.task).leases;
    refuse_unless(leases.active.empty(), "I-2, a second lease of one task");
    refuse_unless(w.lease.token == leases.last_token + 1, "I-3, tokens grow by one");
    refuse_unless(w.lease.granted_at < w.lease.expires_at, "a lease without duration");
    leases.active.push_back(w.lease);
    leases.last_token = w.lease.token;
  }
  void write(const core::extend_task_lease& w) {
    auto& held = leased(w.task, w.token).leases.active.front();
    refuse_unless(held.expires_at < w.expires_at, "an extension that extends nothing");
    held.expires_at = w.expires_at;
  }
  void write(const core::end_task_lease& w) { leased(w.task, w.token).leases.active.clear(); }
  void write(const core::finish_task& w) {
    auto& t = w.token != 0 ? leased(w.task, w.token) : live(w.task);
    refuse_unless(w.token != 0 || t.held() == nullptr, "the task is leased");
    refuse_unless(w.unique_key == t.spec.unique_key, "another unique key");
    unique_.erase(w.unique_key);
    finished_[w.task] = {t.spec, w.progress, w.ending, t.leases.last_token};
    live_.erase(w.task);
  }
  void write(const core::revive_task& w) {
    const auto found = finished_.find(w.task);
    refuse_unless(found != finished_.end(), "the task is not finished");
    auto& past = found->second;
    refuse_unless(w.unique_key == past.spec.unique_key, "another unique key");
    take_unique(w.unique_key);
    live_[w.task] = {past.spec, w.progress, {{}, past.last_token}};
    finished_.erase(found);
  }
  void write(const core::insert_late_result& w) {
    refuse_unless(w.token >= 1, "no lease has the token 0");
    ++late_results_;
  }
  template <class Other>
  void write(const Other&) {
    refuse_unless(false, "a queue's decision does not write this");
  }

  core::put_queue row_{{}, {}, false, {}, 0, {}};
  std::set<core::task_ending> told_;
  std::map<core::task_id, core::task> live_;
  std::map<core::task_id, finished> finished_;
  std::set<std::string> unique_;
  std::size_t created_ = 0;
  std::size_t late_results_ = 0;
};

} // namespace holdfast::test
