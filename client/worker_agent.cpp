#include "client/worker_agent.hpp"

#include "client/lease_end.hpp"
#include "core/backoff.hpp"
#include "messages/errors.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <variant>

namespace holdfast::client {

namespace {

using self_ptr = worker_agent_actor::stateful_pointer<worker_agent_state>;
using std::chrono::steady_clock;

/// Of one completion: well below a frame of 16 MiB, and what one commit takes gladly.
constexpr std::size_t completed_max = 1000;
constexpr std::size_t completed_bytes_max = std::size_t{4} * 1024 * 1024;

/// A claim that fails has been repeated for the whole deadline, or was refused, e.g. because the
/// queue is not there yet.
constexpr core::duration claim_pause_min = std::chrono::milliseconds{100};
constexpr core::duration claim_pause_max = std::chrono::seconds{10};

/// An end that is not taken now, for instance because the object store is away: the node is well
/// and says so at once. The longest pause is shorter than most leases.
constexpr core::duration end_pause_min = std::chrono::milliseconds{100};
constexpr core::duration end_pause_max = std::chrono::seconds{5};

/// A third: after one extension that was late or lost there is still time for the next.
constexpr int extensions_per_ttl = 3;

void claim(self_ptr self);
void hand_in(self_ptr self, const lease_key& key);

msg::task_ref ref_of(const lease_key& key) { return {key.first, key.second}; }

lease_holder holder_of(self_ptr self, const lease_key& key) {
  return {self->state.deps.queue, self->state.deps.name, ref_of(key)};
}

void report(self_ptr self, std::string what, const core::task_id& task, core::failure why) {
  if (self->state.deps.on_problem)
    self->state.deps.on_problem({std::move(what), task, std::move(why)});
}

void mark_lost(self_ptr self, const lease_key& key, held_lease& lease, core::failure why) {
  if (lease.lost)
    return;
  lease.lost = true;
  lease.watch->over = true;
  ++self->state.deps.counters->lost;
  report(self, "a lease was lost", key.first, std::move(why));
}

void end_when_nothing_is_left(self_ptr self) {
  auto& st = self->state;
  // Once its time is up it does not wait for a node that is not there to answer a claim.
  if (st.stopping && st.held.empty() && (st.claims_open == 0 || st.time_is_up))
    self->quit();
}

void forget(self_ptr self, const lease_key& key) {
  self->state.held.erase(key);
  end_when_nothing_is_left(self);
}

// --- extension ---

steady_clock::time_point extension_due(const held_lease& lease) {
  return lease.asked_at + lease.ttl / extensions_per_ttl;
}

void arm_extension(self_ptr self, steady_clock::time_point due) {
  auto& st = self->state;
  if (st.extending || due >= st.extend_at)
    return;
  st.extend_at = due;
  const auto pause = std::chrono::duration_cast<core::duration>(due - self->clock().now());
  self->delayed_send(self, std::max(core::duration{1}, pause), extend_now{due});
}

void arm_extension(self_ptr self) {
  auto due = steady_clock::time_point::max();
  for (const auto& [key, lease] : self->state.held)
    if (!lease.lost && lease.extendable)
      due = std::min(due, extension_due(lease));
  arm_extension(self, due);
}

void extended(self_ptr self, const std::vector<lease_key>& asked, steady_clock::time_point asked_at,
              const std::vector<msg::task_outcome>& outcomes) {
  for (std::size_t i = 0; i < asked.size() && i < outcomes.size(); ++i) {
    const auto found = self->state.held.find(asked[i]);
    if (found == self->state.held.end())
      continue;
    auto& lease = found->second;
    const auto code = outcomes[i].refusal;
    if (code == core::errc::none) {
      lease.surely_until = lease.watch->ends;
      lease.watch->ends = lease.perhaps_until = asked_at + lease.ttl;
    } else if (code == core::errc::not_extendable) {
      // It lives until its end, which the handler sees coming. That of the extension before may lie
      // beyond: it was as much as there still was.
      lease.extendable = false;
      lease.watch->ends = lease.surely_until;
    } else if (lease_is_over(code) && lease.running) {
      mark_lost(self, asked[i], lease, {code, outcomes[i].detail});
    }
    // Else its end was faster than the extension; the answer to that tells.
  }
}

void extend(self_ptr self) {
  auto& st = self->state;
  const auto now = self->clock().now();
  msg::extend_tasks request{st.deps.queue, st.deps.name, {}};
  std::vector<lease_key> asked;
  bool due = false;
  for (const auto& [key, lease] : st.held)
    if (!lease.lost && lease.extendable) {
      due = due || extension_due(lease) <= now;
      asked.push_back(key);
      request.tasks.push_back(ref_of(key));
    }
  if (!due)
    return arm_extension(self);
  for (const auto& key : asked)
    st.held.at(key).asked_at = now;
  st.extending = true;
  const auto settled = [self] {
    self->state.extending = false;
    arm_extension(self);
  };
  self->request(st.deps.gateway, st.deps.request_timeout, std::move(request))
      .then(
          [=](const msg::task_outcomes& answer) {
            extended(self, asked, now, answer.outcomes);
            settled();
          },
          [=](const caf::error& error) {
            report(self, "leases could not be extended", {}, msg::failure_of(error));
            settled();
          });
}

// --- ends ---

/// An end was not taken. Repeats it after a pause, puts the last resort in its place, or gives the
/// task up.
void end_failed(self_ptr self, const lease_key& key, core::failure why) {
  auto& st = self->state;
  const auto found = st.held.find(key);
  if (found == st.held.end())
    return;
  auto& lease = found->second;
  const bool alive = !lease.lost && !st.time_is_up && self->clock().now() < lease.perhaps_until;
  if (core::is_transient(why.code) && alive) {
    // Those of a short lease are shorter: it is to be tried again before its end.
    const auto longest =
        std::clamp<core::duration>(lease.ttl / extensions_per_ttl, end_pause_min, end_pause_max);
    const auto pause =
        core::full_jitter(++lease.end_failures, end_pause_min, longest, st.ids.random());
    self->delayed_send(self, pause, end_again{key});
    return;
  }
  if (core::is_transient(why.code) || lease_is_over(why.code) || lease.end_refused) {
    mark_lost(self, key, lease, std::move(why));
    return forget(self, key);
  }
  report(self, "what a handler returned was refused", key.first, why);
  lease.end_refused = true;
  lease.end = std::make_shared<const outcome>(refused_outcome(why, *lease.end));
  hand_in(self, key);
}

void ended_well(self_ptr self, const lease_key& key, std::atomic<std::uint64_t>& counter) {
  const auto found = self->state.held.find(key);
  if (found == self->state.held.end())
    return;
  if (!found->second.lost) // else it has been counted, wrongly as it turns out
    ++counter;
  forget(self, key);
}

void complete_finished(self_ptr self) {
  auto& st = self->state;
  if (st.completing || st.finished.empty())
    return;
  msg::complete_tasks request{st.deps.queue, st.deps.name, {}};
  std::vector<lease_key> asked;
  for (std::size_t bytes = 0; !st.finished.empty() && asked.size() < completed_max;) {
    const auto key = st.finished.front();
    const auto& end = std::get<done>(*st.held.at(key).end);
    bytes += end.result.size();
    if (!asked.empty() && bytes > completed_bytes_max)
      break;
    request.tasks.push_back(lease_end(holder_of(self, key), end));
    asked.push_back(key);
    st.finished.pop_front();
  }
  st.completing = true;
  self->request(st.deps.gateway, st.deps.request_timeout, std::move(request))
      .then(
          [=](const msg::task_outcomes& answer) {
            self->state.completing = false;
            for (std::size_t i = 0; i < asked.size() && i < answer.outcomes.size(); ++i) {
              const auto& outcome = answer.outcomes[i];
              if (outcome.refusal == core::errc::none)
                ended_well(self, asked[i], self->state.deps.counters->completed);
              else
                end_failed(self, asked[i], {outcome.refusal, outcome.detail});
            }
            complete_finished(self);
          },
          [=](const caf::error& error) {
            self->state.completing = false;
            for (const auto& key : asked)
              end_failed(self, key, msg::failure_of(error));
            complete_finished(self);
          });
}

/// Sends an end that is answered by one outcome.
template <class Request>
void send_end(self_ptr self, const lease_key& key, Request request,
              std::atomic<std::uint64_t>& counter) {
  const auto& deps = self->state.deps;
  self->request(deps.gateway, deps.request_timeout, std::move(request))
      .then(
          [=, &counter](const msg::task_outcome& answer) {
            if (answer.refusal == core::errc::none)
              ended_well(self, key, counter);
            else
              end_failed(self, key, {answer.refusal, answer.detail});
          },
          [=](const caf::error& error) { end_failed(self, key, msg::failure_of(error)); });
}

void begin(self_ptr self, msg::leased_task task);

void follow(self_ptr self, const lease_key& key, const held_lease& lease) {
  auto& st = self->state;
  auto request = lease_end(holder_of(self, key), std::get<next>(*lease.end), lease.follow_claim);
  ++st.threads_kept; // the task that follows is leased to us whether we have a thread or not
  self->request(st.deps.gateway, st.deps.request_timeout, std::move(request))
      .then(
          [=](msg::leased_tasks& answer) {
            --self->state.threads_kept;
            for (auto& task : answer.tasks)
              begin(self, std::move(task));
            ended_well(self, key, self->state.deps.counters->completed);
            claim(self);
          },
          [=](const caf::error& error) {
            --self->state.threads_kept;
            end_failed(self, key, msg::failure_of(error));
            claim(self);
          });
}

/// Tells the node how a lease ends.
void hand_in(self_ptr self, const lease_key& key) {
  auto& st = self->state;
  auto& lease = st.held.at(key);
  auto& counters = *st.deps.counters;
  if (std::holds_alternative<done>(*lease.end)) {
    st.finished.push_back(key);
    complete_finished(self);
  } else if (const auto* wait = std::get_if<wait_until>(lease.end.get())) {
    send_end(self, key, lease_end(holder_of(self, key), *wait), counters.released);
  } else if (const auto* error = std::get_if<failed>(lease.end.get())) {
    send_end(self, key, lease_end(holder_of(self, key), *error), counters.failed);
  } else {
    follow(self, key, lease);
  }
}

void give_back(self_ptr self, const lease_key& key) {
  auto& lease = self->state.held.at(key);
  lease.running = false;
  lease.end = std::make_shared<const outcome>(wait_until{});
  hand_in(self, key);
}

void on_ended(self_ptr self, const task_ended& ended) {
  auto& st = self->state;
  --st.threads_used;
  const auto found = st.held.find(ended.lease);
  if (found != st.held.end() && found->second.running) { // else it was given back before
    auto& lease = found->second;
    lease.running = false;
    lease.end = ended.how;
    if (std::holds_alternative<next>(*lease.end)) {
      auto named = std::get<next>(*lease.end);
      if (!named.task.task)
        named.task.task.value = st.ids.next(st.deps.now());
      lease.end = std::make_shared<const outcome>(std::move(named));
      lease.follow_claim.value = st.ids.next(st.deps.now());
    }
    // What came of the task is worth sending although the lease is lost: it is refused, but
    // recorded. That it shall wait is not.
    if (lease.lost && std::holds_alternative<wait_until>(*lease.end))
      forget(self, ended.lease);
    else
      hand_in(self, ended.lease);
  }
  claim(self);
}

// --- claims ---

/// How long a lease still is ours, by the clock of the nodes.
core::duration time_left(self_ptr self, core::instant expires_at) {
  const auto& deps = self->state.deps;
  const auto until = deps.clock ? deps.clock->not_after(expires_at) : std::nullopt;
  const auto left = until ? std::chrono::duration_cast<core::duration>(*until - self->clock().now())
                          : expires_at - deps.now();
  return std::max(core::duration::zero(), left);
}

void begin(self_ptr self, msg::leased_task task) {
  auto& st = self->state;
  const lease_key key{task.task, task.token};
  if (st.held.count(key) > 0)
    return; // a repeated answer
  ++st.deps.counters->claimed;
  const auto& types = st.deps.types;
  const bool known = std::find(types.begin(), types.end(), task.type) != types.end();
  auto& lease = st.held[key];
  lease.asked_at = self->clock().now();
  lease.ttl = time_left(self, task.expires_at);
  lease.watch = std::make_shared<lease_watch>();
  lease.watch->ends = lease.surely_until = lease.perhaps_until = lease.asked_at + lease.ttl;
  lease.task = std::make_shared<const msg::leased_task>(std::move(task));
  if (lease.ttl == core::duration::zero())
    report(self, "a lease was over when it came", key.first,
           {core::errc::lease_expired, "the answer to its claim took longer than the lease"});
  if (st.stopping || !known || lease.ttl == core::duration::zero())
    return give_back(self, key);
  ++st.threads_used;
  st.deps.run(lease.task, lease.watch);
  arm_extension(self, extension_due(lease));
}

void claim_with(self_ptr self, core::duration wait) {
  auto& st = self->state;
  if (!st.claim)
    st.claim.value = st.ids.next(st.deps.now());
  msg::claim_tasks request;
  request.queue = st.deps.queue;
  request.worker = st.deps.name;
  request.claim = st.claim;
  request.most = std::max(1U, st.deps.capacity - st.threads_used - st.threads_kept);
  request.types = st.deps.types;
  request.wait = wait;
  request.tied = true;
  ++st.claims_open;
  self->request(st.deps.gateway, st.deps.request_timeout, std::move(request))
      .then(
          [=](msg::leased_tasks& answer) {
            auto& state = self->state;
            --state.claims_open;
            state.claim = {};
            state.claim_failures = 0;
            for (auto& task : answer.tasks)
              begin(self, std::move(task));
            claim(self);
            end_when_nothing_is_left(self);
          },
          [=](const caf::error& error) {
            auto& state = self->state;
            --state.claims_open;
            report(self, "a claim failed", {}, msg::failure_of(error));
            if (state.stopping)
              return end_when_nothing_is_left(self);
            // Under the same id: whatever it was granted meanwhile is then ours.
            state.claim_paused = true;
            self->delayed_send(self,
                               core::full_jitter(++state.claim_failures, claim_pause_min,
                                                 claim_pause_max, state.ids.random()),
                               claim_again{});
          });
}

/// Keeps one claim waiting at the node while there are threads to run what comes.
void claim(self_ptr self) {
  auto& st = self->state;
  if (st.stopping || st.claims_open > 0 || st.claim_paused
      || st.threads_used + st.threads_kept >= st.deps.capacity)
    return;
  claim_with(self, st.deps.claim_wait);
}

void on_lost(self_ptr self, const msg::tasks_lost& lost) {
  auto& st = self->state;
  if (lost.queue != st.deps.queue)
    return;
  for (const auto& ref : lost.tasks) {
    const auto found = st.held.find({ref.task, ref.token});
    // One that is being ended is over for that very reason, or the answer to its end will tell.
    if (found != st.held.end() && found->second.running)
      mark_lost(self, found->first, found->second,
                {core::errc::lease_not_held, "it ran out, or somebody took or canceled the task"});
  }
}

void on_stop(self_ptr self) {
  auto& st = self->state;
  if (st.stopping)
    return;
  st.stopping = true;
  // The claim that waits is called off by repeating it without a wait; what either answer brings is
  // given back. So is one that failed: it may have been granted something all the same. Just to end
  // would count as a crash of those tasks.
  if (st.claim)
    claim_with(self, core::duration::zero());
  self->delayed_send(self, std::max(core::duration{1}, st.deps.grace), grace_over{false});
  end_when_nothing_is_left(self);
}

void on_grace_over(self_ptr self, bool last) {
  auto& st = self->state;
  std::vector<lease_key> running;
  for (auto& [key, lease] : st.held)
    if (lease.running) {
      lease.watch->over = true;
      running.push_back(key);
    }
  if (!last) {
    self->delayed_send(self, std::max(core::duration{1}, st.deps.cancel_grace), grace_over{true});
    return;
  }
  st.time_is_up = true;
  for (const auto& key : running)
    if (st.held.at(key).lost)
      forget(self, key);
    else
      give_back(self, key);
  end_when_nothing_is_left(self);
}

/// The connection was closed: there is nobody left to tell anything.
void on_gateway_down(self_ptr self) {
  auto& st = self->state;
  for (auto& [key, lease] : st.held)
    mark_lost(self, key, lease, {core::errc::unavailable, "the connection was closed"});
  self->quit();
}

} // namespace

worker_agent_actor::behavior_type worker_agent(self_ptr self, worker_agent_deps deps) {
  auto& st = self->state;
  st.deps = std::move(deps);
  st.ids = core::uuid_source{st.deps.seed};
  self->monitor(st.deps.gateway);
  self->set_down_handler([=](const caf::down_msg&) { on_gateway_down(self); });
  claim(self);
  return {
      [=](const task_ended& ended) { on_ended(self, ended); },
      [=](const msg::tasks_lost& lost) { on_lost(self, lost); },
      [=](const stop_working&) { on_stop(self); },
      [=](const grace_over& over) { on_grace_over(self, over.last); },
      [=](const claim_again&) {
        self->state.claim_paused = false;
        claim(self);
      },
      [=](const end_again& again) {
        const auto found = self->state.held.find(again.lease);
        if (found != self->state.held.end() && !found->second.running)
          hand_in(self, again.lease);
      },
      [=](const extend_now& tick) {
        auto& state = self->state;
        if (tick.at != state.extend_at)
          return;
        state.extend_at = worker_agent_state::time_point::max();
        extend(self);
      },
  };
}

} // namespace holdfast::client
