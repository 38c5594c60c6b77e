#include "actors/unit.hpp"

#include "actors/actor_guard.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<unit_state>*;

core::instant time(self_ptr self) { return now(self, self->state.shared->node); }

/// Ends an idle actor that its step has sent away.
void stop_if_done(self_ptr self) {
  if (self->state.stopping && self->state.pending.empty())
    self->quit();
}

/// Tells the step what it must know after a decision. At once and not after the commit: the step
/// acts on it only through further decisions, which reach the writer behind this one.
void report(self_ptr self, std::vector<lease_end_report> ended, bool unreserve = false) {
  const auto& unit = self->state.unit;
  self->send(self->state.step, unit_report{unit.id, unit.state, core::free_slots(unit), unreserve,
                                           std::move(ended), core::next_expiry(unit.leases)});
}

/// The leases that `changes` ends.
std::vector<lease_end_report> ended_by(const core::unit& unit, const core::change& changes,
                                       core::instant at) {
  std::vector<lease_end_report> ended;
  for (const auto& write : changes.writes) {
    if (const auto* judged = std::get_if<core::insert_judgment>(&write))
      ended.push_back({judged->owner, true, core::instant::max()});
    if (const auto* over = std::get_if<core::end_lease_row>(&write)) {
      lease_end_report end{over->owner, false, at};
      for (const auto& bar : unit.bars)
        if (bar.contributor == over->owner)
          end.barred_until = bar.until;
      ended.push_back(std::move(end));
    }
  }
  return ended;
}

/// Carries out one decision: memory now (done by `decide`), disk next, the outside world last.
template <class Answer, class Reply>
void carry_out(self_ptr self, caf::response_promise promise, core::decision<Answer> decided,
               Reply make_reply) {
  auto& st = self->state;
  if (decided.refusal != core::errc::none) {
    st.pending.after_all(
        reply_refusal(std::move(promise), {decided.refusal, std::move(decided.detail)}));
    return;
  }
  auto effect = reply(std::move(promise), make_reply(decided.answer));
  if (decided.changes.empty())
    st.pending.after_all(std::move(effect));
  else
    st.pending.write(self, st.shared->writer, st.shared->from, std::move(decided.changes),
                     std::move(effect));
}

void on_ask(self_ptr self, owned_ask& ask) {
  auto& st = self->state;
  const auto& request = ask.request;
  auto decided = core::decide(st.unit, st.shared->lease,
                              core::ask{request.contributor, request.assignment}, time(self));
  auto promise = self->make_response_promise();
  if (ask.reserved || !decided.changes.empty())
    report(self, {}, ask.reserved);
  // The step offered what is not open to this contributor: it did not know all that the unit knows.
  const bool passed_on = decided.refusal == core::errc::no_unit_available
                         || decided.refusal == core::errc::already_judged
                         || decided.refusal == core::errc::already_exists
                         || decided.refusal == core::errc::wrong_state;
  if (passed_on) {
    const auto until = core::barred_until(st.unit, request.contributor, time(self));
    promise.delegate(st.step, offer_refused{st.unit.id, std::move(ask), until});
    return;
  }
  carry_out(self, std::move(promise), std::move(decided), [&](const core::lease& lease) {
    return msg::assignment{lease.id,    st.unit.step,     st.unit.id,
                           lease.token, lease.expires_at, st.unit.input};
  });
}

void on_release(self_ptr self, const owned_release& release) {
  auto& st = self->state;
  const auto at = time(self);
  const auto& request = release.request;
  auto decided =
      core::decide(st.unit, st.shared->lease,
                   core::give_back{request.contributor, request.token, request.decline}, at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, self->make_response_promise(), std::move(decided),
            [&](bool) { return msg::assignment_released{st.unit.id}; });
}

void on_extend(self_ptr self, const owned_extend& extend) {
  auto& st = self->state;
  const auto& request = extend.request;
  auto decided = core::decide(st.unit, st.shared->lease,
                              core::extend{request.contributor, request.token}, time(self));
  if (!decided.changes.empty())
    report(self, {});
  carry_out(self, self->make_response_promise(), std::move(decided), [&](const core::lease& lease) {
    return msg::assignment_extended{st.unit.id, lease.expires_at};
  });
}

void on_submit(self_ptr self, owned_submit& submit) {
  auto& st = self->state;
  auto& request = submit.request;
  const auto at = time(self);
  auto answer = st.shared->checker.answer_of(request.payload);
  if (!answer) {
    st.pending.after_all(reply_refusal(self->make_response_promise(), answer.error()));
    return;
  }
  auto decided = core::decide(st.unit,
                              core::submit{request.contributor, request.token, request.judgment,
                                           std::move(request.payload), std::move(*answer)},
                              at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, self->make_response_promise(), std::move(decided), [](const core::submitted& s) {
    return msg::judgment_accepted{s.judgment, s.repeated};
  });
}

void on_expire(self_ptr self) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided = core::decide(st.unit, st.shared->lease, core::expire{}, at);
  report(self, ended_by(st.unit, decided.changes, at));
  if (!decided.changes.empty())
    st.pending.write(self, st.shared->writer, st.shared->from, std::move(decided.changes),
                     [](const core::failure&) {});
}

void on_judgment_seen(self_ptr self, const judgment_seen& seen) {
  auto& st = self->state;
  auto decided =
      core::decide(st.unit, core::aggregate_if_ready{seen.consumer, seen.message}, time(self));
  if (decided.answer)
    report(self, {});
  carry_out(self, self->make_response_promise(), std::move(decided),
            [](bool) { return events_applied{}; });
}

void on_change(self_ptr self, const msg::change_unit& request) {
  auto& st = self->state;
  const auto at = time(self);
  auto decided =
      core::decide(st.unit, st.shared->lease, static_cast<core::unit_verb>(request.verb), at);
  if (!decided.changes.empty())
    report(self, ended_by(st.unit, decided.changes, at));
  carry_out(self, self->make_response_promise(), std::move(decided), [&](core::unit_state state) {
    return msg::unit_changed{st.unit.id, state};
  });
}

} // namespace

caf::behavior unit_actor(caf::stateful_actor<unit_state>* self, core::unit loaded,
                         std::shared_ptr<const step_context> shared, caf::actor step) {
  guard(self, shared->node);
  ++shared->node->gauges.live_units;
  self->state.unit = std::move(loaded);
  self->state.shared = std::move(shared);
  self->state.step = std::move(step);
  // A unit must not outlive the life of its step that knows it.
  self->monitor(self->state.step);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  return {
      [=](owned_ask& ask) { on_ask(self, ask); },
      [=](const owned_release& release) { on_release(self, release); },
      [=](const owned_extend& extend) { on_extend(self, extend); },
      [=](owned_submit& submit) { on_submit(self, submit); },
      [=](const expire_leases&) { on_expire(self); },
      [=](const judgment_seen& seen) { on_judgment_seen(self, seen); },
      [=](const msg::change_unit& request) { on_change(self, request); },
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
        else
          stop_if_done(self);
      },
      [=](const passivate&) {
        self->state.stopping = true;
        stop_if_done(self);
      },
  };
}

} // namespace holdfast::actors
