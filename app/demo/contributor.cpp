#include "app/demo/contributor.hpp"

#include "app/demo/clock.hpp"
#include "app/demo/workload.hpp"
#include "core/backoff.hpp"
#include "messages/errors.hpp"

#include <caf/exit_reason.hpp>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

namespace holdfast::app::demo {

namespace {

using self_ptr = caf::stateful_actor<contributor_state>*;
using namespace std::chrono_literals;

/// How soon somebody looks again who found nothing: others may let their leases go at any time, but
/// every look costs the node a request.
constexpr core::duration idle_min = 20ms;
constexpr core::duration idle_max = 250ms;
/// The same once all of them work slowly, for an hour or more: what they wait for is as slow.
constexpr core::duration slow_idle_max = 5s;

/// Beyond the end of the lease, for a submission that is late for certain: the node's clock may be
/// a little behind ours.
constexpr core::duration late_by = 200ms;

core::uuid new_id(self_ptr self) { return self->state.ids->next(wall_clock()); }

std::string reason_of(const core::failure& why) {
  auto text = std::string{core::to_string(why.code)};
  return why.detail.empty() ? text : text + " (" + why.detail + ')';
}

void wrong(self_ptr self, const std::string& what) {
  self->state.deps.log->wrong(self->state.deps.name + ": " + what);
}

/// Sends `request`; `answered` and `failed` run on this actor.
template <class Answer, class Request, class Answered, class Failed>
void send(self_ptr self, const Request& request, Answered answered, Failed failed) {
  const auto& deps = self->state.deps;
  self->request(deps.gateway, deps.request_timeout, request)
      .then([answered](const Answer& answer) { answered(answer); },
            [failed](const caf::error& error) { failed(msg::failure_of(error)); });
}

bool lease_is_gone(core::errc code) {
  return code == core::errc::lease_expired || code == core::errc::lease_not_held
         || code == core::errc::stale_token;
}

// --- looking for work ---

void go_home(self_ptr self) {
  const auto leave = [self] {
    --self->state.deps.log->working;
    self->quit();
  };
  send<msg::session_ended>(
      self, msg::end_session{self->state.deps.name},
      [leave](const msg::session_ended&) { leave(); },
      [self, leave](const core::failure& why) {
        wrong(self, "could not end the session: " + reason_of(why));
        leave();
      });
}

void look_again(self_ptr self) {
  auto& state = self->state;
  state.looking = true;
  state.idle_rounds = 0;
  self->send(self, look_for_work{});
}

void look_again_later(self_ptr self) {
  auto& state = self->state;
  const auto& pace = state.deps.pace;
  const auto longest = pace && pace->is_slow() ? slow_idle_max : idle_max;
  self->delayed_send(self,
                     core::equal_jitter(++state.idle_rounds, idle_min, longest, state.random()),
                     look_for_work{});
}

/// One of the requests that run beside the search for work has been answered.
void request_done(self_ptr self) {
  auto& state = self->state;
  --state.open_requests;
  if (state.open_requests == 0 && !state.looking)
    go_home(self);
}

// --- handing in ---

msg::submit_judgment judgment_of(self_ptr self, const contributor_state::work& work) {
  return {self->state.deps.step, work.given.unit, self->state.deps.name,
          work.given.token,      work.judgment,   payload_of_label(work.answer.label)};
}

void submit_again(self_ptr self, const msg::submit_judgment& judgment) {
  ++self->state.open_requests;
  ++self->state.deps.log->double_submissions;
  send<msg::judgment_accepted>(
      self, judgment,
      [self](const msg::judgment_accepted& accepted) {
        if (!accepted.repeated)
          wrong(self, "a repeated submission was taken for a new one");
        request_done(self);
      },
      [self](const core::failure& why) {
        wrong(self, "a repeated submission was refused: " + reason_of(why));
        request_done(self);
      });
}

/// The lease has ended under their hands; the answer is for the next one.
void lease_was_lost(self_ptr self, const contributor_state::work& work) {
  auto& state = self->state;
  --state.deps.log->holding;
  ++state.deps.log->lost_leases;
  state.deps.answers.emplace(work.task, work.answer);
  if (!state.looking)
    look_again(self);
}

void submit(self_ptr self, const contributor_state::work& work) {
  const auto judgment = judgment_of(self, work);
  send<msg::judgment_accepted>(
      self, judgment,
      [self, judgment, how = work.answer.how](const msg::judgment_accepted& accepted) {
        auto& state = self->state;
        if (accepted.judgment != judgment.judgment)
          wrong(self, "another judgment was acknowledged than was submitted");
        state.deps.log->acknowledged(judgment.judgment, state.deps.set);
        --state.deps.log->holding;
        if (how == habit::submits_twice)
          submit_again(self, judgment);
        request_done(self);
      },
      [self, work](const core::failure& why) {
        if (lease_is_gone(why.code)) {
          lease_was_lost(self, work);
        } else {
          // Not tried again: that the answer is missing at the end is part of the report.
          wrong(self, "a submission was refused: " + reason_of(why));
          --self->state.deps.log->holding;
        }
        request_done(self);
      });
}

/// Sends something that must be refused with one of `expected`, then goes on with `next`.
template <class Next>
void submit_wrongly(self_ptr self, const msg::submit_judgment& judgment, const char* what,
                    std::vector<core::errc> expected, Next next) {
  send<msg::judgment_accepted>(
      self, judgment,
      [self, what, next](const msg::judgment_accepted&) {
        wrong(self, std::string{what} + " was accepted");
        next();
      },
      [self, what, expected, next](const core::failure& why) {
        const bool as_it_should =
            std::find(expected.begin(), expected.end(), why.code) != expected.end();
        // Whoever sends a bad payload must be told what is bad about it.
        const bool precise = why.code != core::errc::payload_invalid || !why.detail.empty();
        if (!as_it_should || !precise)
          wrong(self, std::string{what} + " was refused with " + reason_of(why));
        next();
      });
}

/// The lease may end while the wrong submission is on its way, if the node is killed.
std::vector<core::errc> or_lease_gone(core::errc expected) {
  return {expected, core::errc::lease_expired, core::errc::lease_not_held, core::errc::stale_token};
}

contributor_state::work take_from_hand(self_ptr self) {
  auto work = std::move(*self->state.at_hand);
  self->state.at_hand.reset();
  return work;
}

/// Hands in the answer and looks for the next unit meanwhile.
void hand_in(self_ptr self) {
  auto& state = self->state;
  auto work = take_from_hand(self);
  work.judgment = core::judgment_id{new_id(self)};
  state.deps.answers.erase(work.task);
  ++state.open_requests;
  auto judgment = judgment_of(self, work);
  const auto properly = [self, work] { submit(self, work); };
  switch (work.answer.how) {
  case habit::sends_nonsense:
    ++state.deps.log->invalid_payloads;
    judgment.payload = R"({"answer": false})";
    submit_wrongly(self, judgment, "a payload that breaks the schema",
                   or_lease_gone(core::errc::payload_invalid), properly);
    break;
  case habit::mistakes_token:
    ++state.deps.log->stale_tokens;
    judgment.token += 1000000;
    submit_wrongly(self, judgment, "a token that was never given",
                   or_lease_gone(core::errc::stale_token), properly);
    break;
  default:
    properly();
  }
  look_again(self);
}

/// Takes the unit and does nothing about it. The next time it is an ordinary one.
void forget(self_ptr self) {
  auto& state = self->state;
  auto work = take_from_hand(self);
  ++state.deps.log->let_expire;
  --state.deps.log->holding;
  state.deps.answers[work.task].how = habit::plain;
  if (work.answer.how == habit::submits_late) {
    work.judgment = core::judgment_id{new_id(self)};
    ++state.open_requests; // until the late submission is answered
    // A whole ttl from now it is over by any clock: it was granted before.
    self->delayed_send(self, state.deps.lease.ttl + late_by,
                       submit_too_late{judgment_of(self, work)});
  }
  look_again(self);
}

// --- the unit at hand ---

void think(self_ptr self) {
  auto& work = *self->state.at_hand;
  if (work.left <= core::duration::zero()) {
    hand_in(self);
    return;
  }
  // Half a lease, so that extending it may take as long again.
  const auto now = std::min(work.left, self->state.deps.lease.ttl / 2);
  work.left -= now;
  self->delayed_send(self, now, go_on_thinking{work.given.id});
}

void extend(self_ptr self) {
  const auto& work = *self->state.at_hand;
  send<msg::assignment_extended>(
      self,
      msg::extend_assignment{self->state.deps.step, work.given.unit, self->state.deps.name,
                             work.given.token},
      [self](const msg::assignment_extended&) { think(self); },
      [self](const core::failure& why) {
        if (why.code == core::errc::not_extendable) {
          think(self);
          return;
        }
        if (!lease_is_gone(why.code))
          wrong(self, "a lease was not extended: " + reason_of(why));
        lease_was_lost(self, take_from_hand(self));
        look_again(self);
      });
}

void decline(self_ptr self, const msg::assignment& given) {
  ++self->state.open_requests;
  ++self->state.deps.log->declined;
  send<msg::assignment_released>(
      self,
      msg::release_assignment{self->state.deps.step, given.unit, self->state.deps.name, given.token,
                              true},
      [self](const msg::assignment_released&) { request_done(self); },
      [self](const core::failure& why) {
        if (!lease_is_gone(why.code)) // it ran out while the node was down
          wrong(self, "a unit could not be declined: " + reason_of(why));
        request_done(self);
      });
}

void receive(self_ptr self, const msg::assignment& given) {
  auto& state = self->state;
  state.deps.log->granted(given.expires_at - state.deps.lease.ttl);
  const auto task = task_of_input(given.input);
  const auto known = state.deps.answers.find(task);
  if (known == state.deps.answers.end()) {
    decline(self, given);
    look_again(self);
    return;
  }
  ++state.deps.log->holding;
  const auto& pace = state.deps.pace;
  const auto planned = known->second.thinking;
  const auto thinking = pace ? pace->thinking(planned, wall_clock()) : planned;
  state.at_hand = contributor_state::work{given, task, known->second, thinking, {}};
  if (known->second.how == habit::lets_expire || known->second.how == habit::submits_late)
    forget(self);
  else
    think(self);
}

void ask(self_ptr self) {
  auto& state = self->state;
  if (state.deps.answers.empty()) {
    state.looking = false;
    if (state.open_requests == 0)
      go_home(self);
    return; // whoever waits for the last answer goes home with it
  }
  send<msg::assignment>(
      self,
      msg::ask_assignment{state.deps.step, state.deps.name, core::assignment_id{new_id(self)}},
      [self](const msg::assignment& given) { receive(self, given); },
      [self](const core::failure& why) {
        // `already_exists`, or that it is gone: the lease of a question that was repeated has run
        // out since, while the node was down.
        if (why.code != core::errc::no_unit_available && why.code != core::errc::limit_reached
            && why.code != core::errc::already_exists && !lease_is_gone(why.code))
          wrong(self, "a question was refused: " + reason_of(why));
        look_again_later(self);
      });
}

} // namespace

caf::behavior contributor(self_ptr self, contributor_deps deps) {
  auto& state = self->state;
  state.random.seed(deps.seed);
  state.ids.emplace(deps.seed);
  state.deps = std::move(deps);
  look_again(self);
  return {
      [self](const look_for_work&) { ask(self); },
      [self](const go_on_thinking& about) {
        auto& at_hand = self->state.at_hand;
        if (!at_hand || at_hand->given.id != about.assignment)
          return;
        if (at_hand->left > core::duration::zero())
          extend(self);
        else
          think(self);
      },
      [self](const submit_too_late& late) {
        ++self->state.deps.log->late_submissions;
        submit_wrongly(self, late.judgment, "a submission after the end of its lease",
                       {core::errc::lease_expired, core::errc::lease_not_held,
                        core::errc::stale_token, core::errc::already_judged,
                        core::errc::wrong_state},
                       [self] { request_done(self); });
      },
  };
}

} // namespace holdfast::app::demo
