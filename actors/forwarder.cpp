#include "actors/forwarder.hpp"

#include "actors/outside.hpp"

#include "actors/actor_guard.hpp"
#include "actors/drain.hpp"
#include "core/step_index.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<forwarder_state>*;

/// Between two looks after requests that wait.
constexpr std::chrono::milliseconds wait_interval{50};

bool is_worth_another_try(core::errc code) {
  return code == core::errc::unavailable || code == core::errc::fenced;
}

void wait(self_ptr self) {
  if (std::exchange(self->state.waiting, true))
    return;
  self->delayed_send(self, wait_interval, patience_tick{});
}

/// Whether this is the answer that the call waits for; the call is over then.
bool is_answered(self_ptr self, std::uint64_t number, std::uint64_t attempt) {
  auto& calls = self->state.calls;
  const auto found = calls.find(number);
  if (found == calls.end() || found->second.attempt != attempt)
    return false;
  calls.erase(found);
  return true;
}

/// Whether the failure is the caller's; the call is over then. Else it waits for another try.
bool is_final(self_ptr self, std::uint64_t number, std::uint64_t attempt, core::failure why) {
  auto& calls = self->state.calls;
  const auto found = calls.find(number);
  if (found == calls.end() || found->second.attempt != attempt)
    return false;
  auto& call = found->second;
  if (!is_worth_another_try(why.code) || self->clock().now() >= call.deadline) {
    calls.erase(found);
    return true;
  }
  call.last_problem = std::move(why);
  call.at = {};
  wait(self);
  return false;
}

/// Sends the call to the host of its shard, if that is known, or lets it wait.
void attempt(self_ptr self, std::uint64_t number, forwarder_state::call& call) {
  const auto& host = self->state.now->by_shard[call.request.shard];
  const auto attempt = ++call.attempt;
  if (!host.door) {
    call.at = {};
    return wait(self);
  }
  call.at = host.incarnation;
  call.request.send(
      self, host.door, call.request, host.protocol,
      [=, promise = call.promise](caf::message&& answer) {
        if (is_answered(self, number, attempt))
          promise.deliver(std::move(answer));
      },
      [=, promise = call.promise](const caf::error& error) {
        auto why = msg::failure_of(error);
        if (is_final(self, number, attempt, why))
          promise.deliver(msg::to_error(why));
      });
}

void carry(self_ptr self, forwarded& request) {
  auto& st = self->state;
  const auto number = ++st.last_call;
  const auto shard = request.shard;
  forwarder_state::call call{std::move(request), held_promise{self->make_response_promise()}};
  call.deadline = self->clock().now() + st.context->settings.forward_patience;
  call.last_problem = {core::errc::unavailable,
                       "the host of shard " + std::to_string(shard) + " is not reached"};
  attempt(self, number, st.calls.emplace(number, std::move(call)).first->second);
}

/// Those that wait go out again, or have waited for long enough.
void look_after_waiting(self_ptr self) {
  auto& st = self->state;
  const auto now = self->clock().now();
  for (auto it = st.calls.begin(); it != st.calls.end();) {
    auto& call = it->second;
    if (call.at || now < call.deadline) {
      if (!call.at)
        attempt(self, it->first, call);
      ++it;
    } else {
      call.promise.deliver(msg::to_error(call.last_problem));
      it = st.calls.erase(it);
    }
  }
}

/// What a host that is not reached any more has been asked is asked again; the rest goes on.
void on_routes(self_ptr self, const routes_changed& changed) {
  auto& st = self->state;
  st.now = changed.now;
  for (auto& [number, call] : st.calls) {
    const bool still = std::any_of(
        st.now->by_shard.begin(), st.now->by_shard.end(),
        [&, at = call.at](const auto& host) { return host.incarnation == at && host.door; });
    if (call.at && !still) {
      ++call.attempt; // its answer would come too late
      call.at = {};
      call.last_problem = {core::errc::unavailable, "the node that hosted the shard is gone"};
    }
  }
  look_after_waiting(self);
}

/// A session may be known to every node whose steps the contributor has worked on.
void end_sessions(self_ptr self, const msg::end_session& request) {
  struct progress {
    held_promise promise;
    std::size_t open;
    msg::session_ended all{};
  };
  const auto& doors = self->state.now->doors;
  const auto whole = std::make_shared<progress>(
      progress{held_promise{self->make_response_promise()}, doors.size() + 1, {}});
  const auto one_done = [=](std::uint32_t released) {
    whole->all.released += released;
    if (--whole->open == 0)
      whole->promise.deliver(whole->all);
  };
  for (const auto& door : doors)
    self->request(door, internal_timeout, request)
        .then([=](const msg::session_ended& ended) { one_done(ended.released); },
              [=](const caf::error&) { one_done(0); }); // its leases run out by themselves
  one_done(0);
}

/// Each node has the steps that it hosts.
void find_steps(self_ptr self, const msg::find_steps& request) {
  struct progress {
    held_promise promise;
    std::size_t open;
    msg::step_offers all{};
  };
  const auto& now = *self->state.now;
  const auto whole = std::make_shared<progress>(
      progress{held_promise{self->make_response_promise()}, now.doors.size() + 1, {}});
  whole->all.complete = std::all_of(now.by_shard.begin(), now.by_shard.end(),
                                    [](const auto& host) { return host.door != nullptr; });
  const auto one_done = [=] {
    if (--whole->open > 0)
      return;
    auto& found = whole->all.steps;
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
      return core::step_rank{a.priority, a.step} < core::step_rank{b.priority, b.step};
    });
    // While a shard moves, two nodes may have what is in it.
    const auto same = [](const auto& a, const auto& b) { return a.step == b.step; };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    if (found.size() > request.limit)
      found.resize(request.limit);
    whole->promise.deliver(std::move(whole->all));
  };
  for (const auto& door : now.doors)
    self->request(door, internal_timeout, request)
        .then(
            [=](msg::step_offers& offers) {
              std::move(offers.steps.begin(), offers.steps.end(),
                        std::back_inserter(whole->all.steps));
              whole->all.complete = whole->all.complete && offers.complete;
              one_done();
            },
            [=](const caf::error&) {
              whole->all.complete = false;
              one_done();
            });
  one_done();
}

/// Each node lists what it hosts anew.
void rebuild_step_index(self_ptr self, const msg::rebuild_step_index& request) {
  struct progress {
    held_promise promise;
    std::size_t open;
    msg::step_index_rebuilt all{};
    caf::error problem{};
  };
  const auto& now = *self->state.now;
  const auto whole = std::make_shared<progress>(
      progress{held_promise{self->make_response_promise()}, now.doors.size() + 1, {}, {}});
  whole->all.complete = std::all_of(now.by_shard.begin(), now.by_shard.end(),
                                    [](const auto& host) { return host.door != nullptr; });
  const auto one_done = [=] {
    if (--whole->open > 0)
      return;
    if (whole->all.nodes == 0 && whole->problem)
      whole->promise.deliver(std::move(whole->problem));
    else
      whole->promise.deliver(whole->all);
  };
  for (const auto& door : now.doors)
    self->request(door, internal_timeout, request)
        .then(
            [=](const msg::step_index_rebuilt& rebuilt) {
              whole->all.nodes += rebuilt.nodes;
              whole->all.steps += rebuilt.steps;
              whole->all.complete = whole->all.complete && rebuilt.complete;
              one_done();
            },
            [=](caf::error& error) {
              whole->all.complete = false;
              whole->problem = std::move(error);
              one_done();
            });
  one_done();
}

} // namespace

caf::behavior forwarder(caf::stateful_actor<forwarder_state>* self, context_ptr context,
                        caf::strong_actor_ptr client, std::shared_ptr<const routes> now) {
  guard(self, context);
  self->state.context = std::move(context);
  if (const auto& publish = what_is_outside().publish)
    self->state.published = publish(self->id(), reach::nodes);
  self->state.client = caf::actor_cast<caf::actor_addr>(client);
  self->state.now = std::move(now);
  self->monitor(caf::actor_cast<caf::actor>(client));
  self->set_down_handler([=](const caf::down_msg&) {
    if (self->state.draining)
      self->quit(caf::exit_reason::user_shutdown);
    else
      self->quit();
  });
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](forwarded& m) { carry(self, m); },
      [=](routes_changed& m) { on_routes(self, m); },
      [=](patience_tick) {
        self->state.waiting = false;
        look_after_waiting(self);
      },
      [=](const drain&) { self->state.draining = true; },
      [=](const msg::tasks_lost& lost) {
        if (const auto to = caf::actor_cast<caf::strong_actor_ptr>(self->state.client))
          self->send(caf::actor_cast<caf::actor>(to), lost);
      },
      [=](const msg::end_session& m) { end_sessions(self, m); },
      [=](const msg::find_steps& m) { find_steps(self, m); },
      [=](const msg::rebuild_step_index& m) { rebuild_step_index(self, m); },
  };
}

} // namespace holdfast::actors
