#include "client/contributor_agent.hpp"

#include "client/lease_end.hpp"
#include "core/backoff.hpp"
#include "messages/errors.hpp"

#include <utility>
#include <vector>

namespace holdfast::client {

namespace {

using agent_ptr = contributor_agent_actor::stateful_pointer<contributor_agent_state>;
using search = contributor_agent_state::search;

/// Between two questions for units while there are none. The node has no list of those who wait:
/// a unit that is made or given back is found within the longest pause.
constexpr core::duration seek_pause_min = std::chrono::milliseconds{100};
constexpr core::duration seek_pause_max = std::chrono::seconds{2};

/// Whoever holds the unit may drop it.
bool is_over(core::errc code) { return lease_is_over(code) || code == core::errc::already_judged; }

void deliver_unit(search& of, unit_delivery what) {
  if (of.waiting)
    std::exchange(of.waiting, std::nullopt)->deliver(std::move(what));
}

void refuse_unit(search& of, const core::failure& why) {
  if (of.waiting)
    std::exchange(of.waiting, std::nullopt)->deliver(msg::to_error(why));
}

void seek(agent_ptr self, const core::step_id& step);

/// Nobody waits for it any more: others shall have it at once.
void give_back_unit(agent_ptr self, const msg::assignment& lease) {
  const auto& deps = self->state.deps;
  self->request(
          deps.gateway, deps.request_timeout,
          msg::release_assignment{lease.step, lease.unit, deps.contributor, lease.token, false})
      .then([](const msg::assignment_released&) {}, [](const caf::error&) {}); // then it runs out
}

void on_granted(agent_ptr self, const core::step_id& step, msg::assignment& given) {
  auto& st = self->state;
  const auto found = st.searches.find(step);
  if (found == st.searches.end() || !found->second.waiting) {
    if (found != st.searches.end())
      st.searches.erase(found);
    return give_back_unit(self, given);
  }
  auto& held = st.held[given.unit];
  // The lease that is held already comes again when the same was asked twice.
  if (!held.judgment || held.lease.token != given.token)
    held.judgment.value = st.ids.next(st.deps.now());
  held.lease = given;
  deliver_unit(found->second, {std::move(given)});
  st.searches.erase(found);
}

void on_none(agent_ptr self, const core::step_id& step, const core::failure& why) {
  auto& st = self->state;
  const auto found = st.searches.find(step);
  if (found == st.searches.end())
    return;
  auto& of = found->second;
  of.under_way = false;
  of.unknown = core::is_transient(why.code);
  const bool may_come = of.unknown || why.code == core::errc::no_unit_available;
  if (!may_come) {
    refuse_unit(of, why);
    st.searches.erase(found);
    return;
  }
  if (of.due && of.unknown)
    refuse_unit(of, why);
  else if (of.due)
    deliver_unit(of, {});
  of.paused = true;
  self->delayed_send(
      self, core::full_jitter(++of.in_vain, seek_pause_min, seek_pause_max, st.ids.random()),
      seek_again{step});
}

void seek(agent_ptr self, const core::step_id& step) {
  auto& st = self->state;
  auto& of = st.searches[step];
  if (of.under_way || of.paused)
    return;
  of.under_way = true;
  if (!of.id)
    of.id.value = st.ids.next(st.deps.now());
  self->request(st.deps.gateway, st.deps.request_timeout,
                msg::ask_assignment{step, st.deps.contributor, of.id})
      .then([=](msg::assignment& given) { on_granted(self, step, given); },
            [=](const caf::error& error) { on_none(self, step, msg::failure_of(error)); });
}

caf::result<unit_delivery> on_next_unit(agent_ptr self, const next_unit& wanted) {
  auto& st = self->state;
  auto& of = st.searches[wanted.step];
  deliver_unit(of, {}); // to whoever asked before
  const auto promise = self->make_response_promise<unit_delivery>();
  of.waiting = promise;
  of.question = ++st.questions;
  of.due = wanted.wait <= core::duration::zero();
  if (of.due && of.paused) { // there was none a moment ago
    deliver_unit(of, {});
    return promise;
  }
  if (!of.due)
    self->delayed_send(self, wanted.wait, unit_due{wanted.step, of.question});
  seek(self, wanted.step);
  return promise;
}

void on_seek_again(agent_ptr self, const core::step_id& step) {
  auto& st = self->state;
  const auto found = st.searches.find(step);
  if (found == st.searches.end())
    return;
  found->second.paused = false;
  if (found->second.waiting)
    seek(self, step);
  else if (!found->second.unknown) // else its id is needed by whoever asks next
    st.searches.erase(found);
}

void on_unit_due(agent_ptr self, const unit_due& due) {
  auto& st = self->state;
  const auto found = st.searches.find(due.step);
  if (found == st.searches.end() || found->second.question != due.question
      || !found->second.waiting)
    return;
  auto& of = found->second;
  of.due = true;
  if (of.under_way) // what it is given must not get lost
    return;
  if (of.unknown)
    refuse_unit(of, {core::errc::unavailable, "no node was reached while this was waited for"});
  else
    deliver_unit(of, {});
}

core::failure not_held(const core::unit_id& unit) {
  return {core::errc::lease_not_held,
          "this session holds no lease on unit " + core::to_string(unit)};
}

/// Sends what is said of a held unit, and forgets the unit when that was its end. `ends`: it is
/// when it goes well.
template <class Answer, class Request>
caf::result<Answer> say(agent_ptr self, const core::unit_id& unit, std::uint64_t token,
                        Request request, bool ends) {
  const auto& deps = self->state.deps;
  auto promise = self->template make_response_promise<Answer>();
  const auto forget = [=] {
    auto& held = self->state.held;
    const auto found = held.find(unit);
    // A unit that has come again meanwhile is another lease.
    if (found != held.end() && found->second.lease.token == token)
      held.erase(found);
  };
  self->request(deps.gateway, deps.request_timeout, std::move(request))
      .then(
          [=](Answer& answer) mutable {
            if (ends)
              forget();
            promise.deliver(std::move(answer));
          },
          [=](caf::error& error) mutable {
            if (is_over(msg::failure_of(error).code))
              forget();
            promise.deliver(std::move(error));
          });
  return promise;
}

/// The same of what is no unit's.
template <class Answer, class Request>
caf::result<Answer> pass_on(agent_ptr self, Request request) {
  const auto& deps = self->state.deps;
  auto promise = self->template make_response_promise<Answer>();
  self->request(deps.gateway, deps.request_timeout, std::move(request))
      .then([=](Answer& answer) mutable { promise.deliver(std::move(answer)); },
            [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

caf::result<msg::judgment_accepted> on_submit(agent_ptr self, submit_unit& submit) {
  const auto& st = self->state;
  const auto found = st.held.find(submit.unit);
  if (found == st.held.end())
    return msg::to_error(not_held(submit.unit));
  const auto& [lease, judgment] = found->second;
  return say<msg::judgment_accepted>(self, lease.unit, lease.token,
                                     msg::submit_judgment{lease.step, lease.unit,
                                                          st.deps.contributor, lease.token,
                                                          judgment, std::move(submit.payload)},
                                     true);
}

caf::result<msg::assignment_released> on_release(agent_ptr self, const release_unit& release) {
  const auto& st = self->state;
  const auto found = st.held.find(release.unit);
  if (found == st.held.end())
    return msg::to_error(not_held(release.unit));
  const auto& lease = found->second.lease;
  return say<msg::assignment_released>(self, lease.unit, lease.token,
                                       msg::release_assignment{lease.step, lease.unit,
                                                               st.deps.contributor, lease.token,
                                                               release.decline},
                                       true);
}

caf::result<msg::assignment_extended> on_extend(agent_ptr self, const extend_unit& extend) {
  const auto& st = self->state;
  const auto found = st.held.find(extend.unit);
  if (found == st.held.end())
    return msg::to_error(not_held(extend.unit));
  const auto& lease = found->second.lease;
  return say<msg::assignment_extended>(
      self, lease.unit, lease.token,
      msg::extend_assignment{lease.step, lease.unit, st.deps.contributor, lease.token}, false);
}

caf::result<msg::session_ended> on_leave(agent_ptr self) {
  auto& st = self->state;
  std::vector<core::step_id> idle;
  for (auto& [step, of] : st.searches) {
    deliver_unit(of, {});
    if (!of.under_way) // what is still given is given back
      idle.push_back(step);
  }
  for (const auto& step : idle)
    st.searches.erase(step);
  auto promise = self->make_response_promise<msg::session_ended>();
  self->request(st.deps.gateway, st.deps.request_timeout, msg::end_session{st.deps.contributor})
      .then(
          [=](const msg::session_ended& ended) mutable {
            self->state.held.clear();
            promise.deliver(ended);
          },
          [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

} // namespace

contributor_agent_actor::behavior_type contributor_agent(agent_ptr self,
                                                         contributor_agent_deps deps) {
  auto& st = self->state;
  st.deps = std::move(deps);
  st.ids = core::uuid_source{st.deps.seed};
  self->monitor(st.deps.gateway);
  self->set_down_handler([self](const caf::down_msg& down) {
    for (auto& [step, of] : self->state.searches)
      refuse_unit(of, {core::errc::unavailable, "the connection was closed by its owner"});
    self->quit(down.reason);
  });
  return {
      [self](const next_unit& wanted) { return on_next_unit(self, wanted); },
      [self](submit_unit& submit) { return on_submit(self, submit); },
      [self](const release_unit& release) { return on_release(self, release); },
      [self](const extend_unit& extend) { return on_extend(self, extend); },
      [self](const unit_feedback& asked) {
        return pass_on<msg::judgment_feedback>(
            self, msg::get_feedback{asked.step, asked.unit, self->state.deps.contributor});
      },
      [self](const offered_steps& asked) {
        msg::find_steps request;
        request.contributor = self->state.deps.contributor;
        request.limit = asked.limit;
        return pass_on<msg::step_offers>(self, std::move(request));
      },
      [self](const leave_session&) { return on_leave(self); },
      [self](const seek_again& again) { on_seek_again(self, again.step); },
      [self](const unit_due& due) { on_unit_due(self, due); },
  };
}

} // namespace holdfast::client
