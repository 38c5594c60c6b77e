#include "actors/payload_bytes.hpp"
#include "actors/step_state.hpp"
#include "core/errors.hpp"
#include "core/offering.hpp"

#include <algorithm>
#include <memory>
#include <unordered_set>
#include <utility>

namespace holdfast::actors {

namespace {

/// How many units may refuse one request before it is told that none is available. A refusal means
/// that the step knew less than the unit, which it learns by it; more than a few in a row mean a
/// crash nearby.
constexpr std::uint32_t tries_max = 8;

/// Assignments that are over and still remembered, of one contributor: as many as one may have
/// asked for at once. Whoever asks for the next has had the answer to those before; what comes late
/// all the same is looked up.
constexpr std::size_t over_max = 8;

void fail(const held_promise& promise, core::errc code, std::string detail) {
  promise.deliver(msg::to_error(code, std::move(detail)));
}

void forget_held(step_ptr self, const core::contributor_id& contributor,
                 const core::unit_id& unit) {
  auto& held = self->state.held;
  const auto found = held.find(contributor);
  if (found == held.end())
    return;
  auto& leases = found->second;
  leases.erase(
      std::remove_if(leases.begin(), leases.end(), [&](const auto& l) { return l.unit == unit; }),
      leases.end());
  if (leases.empty())
    held.erase(found);
}

void fail_as_over(const held_promise& promise) {
  fail(promise, core::errc::lease_expired,
       "the lease that was granted under this assignment id is over; ask with a new id");
}

void refuse_as_lacking(step_ptr self, const held_promise& promise,
                       const std::vector<std::string>& lacks) {
  refuse(self, promise, {core::errc::not_qualified, core::text_of_lacks(lacks)});
}

/// Nothing was granted after all: the slot and the contributor's chance come back.
void take_back_offer(step_ptr self, const core::contributor_id& contributor,
                     const core::unit_id& unit) {
  auto& st = self->state;
  forget_held(self, contributor, unit);
  st.board->withdrawn(contributor, unit);
  unreserve(self, unit);
  st.ready.bar(unit, contributor, now(self, st.context));
  st.ready.give_back(unit);
}

/// Forwards a request to its unit.
template <class Request>
void forward(step_ptr self, const held_promise& promise, const core::unit_id& unit,
             Request request) {
  with_unit(self, unit,
            [self, promise, request = std::move(request)](const caf::actor& actor,
                                                          const core::failure& why) mutable {
              if (!actor)
                return promise.deliver(msg::to_error(why));
              heed_cancellation(self, actor);
              promise.delegate(actor, unit_command{std::move(request), promise.take_note()});
            });
}

/// Decides a contributor's request at once, or in its turn while a judgment of theirs is being
/// stored.
template <class Request, class Handler>
void in_turn(step_ptr self, Request& m, Handler decide) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  const auto contributor = m.request.contributor;
  if (!st.judgment_lines.must_wait(contributor))
    return decide(self, promise, m);
  const auto& settings = st.context->settings;
  const auto bytes = payload_bytes(m.request);
  if (!st.judgment_lines.wait(contributor,
                              {settings.batching.high_water, settings.object_bytes_most}, bytes,
                              [=, m = std::move(m)]() mutable { decide(self, promise, m); }))
    fail(promise, core::errc::overloaded,
         "too many requests wait for judgments that are being stored");
}

/// `ref`: what stands for the payload, when that is in the store.
void hand_in(step_ptr self, const held_promise& promise, owned_submit m, std::string ref) {
  const auto unit = m.request.unit;
  const auto& board = *self->state.board;
  const auto trust = trust_now(self, m.request.contributor);
  const bool removed = may_not_work(self, m.request.contributor);
  const auto before = board.judged_before(m.request.contributor);
  // It goes the way of the offers: a slot that was reserved for somebody before is leased when it
  // comes to the unit, so that a late judgment does not find it free; and one that is reserved
  // after that is refused there if this has taken it.
  forward(self, promise, unit,
          trusted_submit{std::move(m), trust, removed, std::move(ref), before});
}

/// A judgment that is too large for its row: its unit looks at the whole of it, then it is stored,
/// then it is handed in. What the unit would refuse fills no disk.
void store_and_hand_in(step_ptr self, const held_promise& promise, owned_submit& m) {
  const auto contributor = m.request.contributor;
  const auto unit = m.request.unit;
  const auto judgment = std::make_shared<trusted_submit>(trusted_submit{
      std::move(m), trust_now(self, contributor), may_not_work(self, contributor), {}});
  self->state.judgment_lines.hold(contributor);
  const auto refuse_it = [=](const core::failure& why) {
    promise.deliver(msg::to_error(why));
    self->state.judgment_lines.go_on(contributor);
  };
  const auto store = [=] {
    auto& text = judgment->submit.request.payload;
    put_payloads(self, self->state.links.objects, {{&text, &judgment->ref}},
                 [=](const std::vector<core::failure>& outcomes) {
                   if (const auto why = first_failure(outcomes); why.code != core::errc::none)
                     return refuse_it(why);
                   hand_in(self, promise, std::move(judgment->submit), std::move(judgment->ref));
                   self->state.judgment_lines.go_on(contributor);
                 });
  };
  with_unit(self, unit, [=](const caf::actor& actor, const core::failure& why) {
    if (!actor)
      return refuse_it(why);
    heed_cancellation(self, actor);
    self->request(actor, internal_timeout, unit_command{check_judgment{judgment}})
        .then([=](judgment_checked) { store(); },
              [=](const caf::error& error) { refuse_it(msg::failure_of(error)); });
  });
}

/// Whether the slot that was reserved for this request still is: when the unit's actor has crashed
/// since, the step has forgotten all that was under way to it.
bool still_offered(step_ptr self, const owned_ask& ask, const core::unit_id& unit) {
  const auto& held = self->state.held;
  const auto found = held.find(ask.request.contributor);
  return ask.reserved && found != held.end()
         && std::any_of(found->second.begin(), found->second.end(), [&](const auto& lease) {
              return lease.unit == unit && lease.assignment == ask.request.assignment;
            });
}

void offer(step_ptr self, const held_promise& promise, owned_ask& ask);

void remember_over(step_ptr self, const core::contributor_id& contributor,
                   const core::assignment_id& assignment) {
  auto& over = self->state.over[contributor];
  over.latest.push_back(assignment);
  if (over.latest.size() <= over_max)
    return;
  over.forgotten = core::forgotten_with(over.latest.front(), over.forgotten);
  over.latest.erase(over.latest.begin());
}

bool is_known_as_over(step_ptr self, const msg::ask_assignment& request) {
  const auto& all = self->state.over;
  const auto over = all.find(request.contributor);
  return over != all.end()
         && std::count(over->second.latest.begin(), over->second.latest.end(), request.assignment)
                != 0;
}

bool may_be_late(step_ptr self, const msg::ask_assignment& request) {
  const auto& st = self->state;
  const auto over = st.over.find(request.contributor);
  const auto forgotten = over == st.over.end() ? core::instant{} : over->second.forgotten;
  return core::may_be_late(request.assignment, {st.loaded_at, forgotten}, now(self, st.context));
}

/// Looks all up at once that have come since the last look.
void look_up_late_asks(step_ptr self) {
  auto& st = self->state;
  if (st.looking_up || st.late_asks.empty())
    return;
  st.looking_up = true;
  const auto asks =
      std::make_shared<std::vector<step_state::late_ask>>(std::exchange(st.late_asks, {}));
  // The step may have been loaded that long ago, and the answer to the first be as old by then.
  const auto since = now(self, st.context) - 2 * core::late_request_most;
  std::vector<core::assignment_id> assignments;
  for (const auto& late : *asks)
    assignments.push_back(late.ask.request.assignment);
  const auto go_on = [=] {
    self->state.looking_up = false;
    look_up_late_asks(self);
  };
  read(self, st.links.reader,
       [=](persistence::store& db) { return db.find_over(assignments, since); })
      .then(
          [=](const std::vector<core::assignment_id>& found) {
            const std::unordered_set<core::assignment_id> over{found.begin(), found.end()};
            for (auto& [promise, ask] : *asks) {
              if (over.count(ask.request.assignment) != 0) {
                remember_over(self, ask.request.contributor, ask.request.assignment);
                fail_as_over(promise);
                continue;
              }
              ask.is_new = true;
              offer(self, promise, ask);
            }
            go_on();
          },
          [=](const core::failure& why) {
            for (const auto& late : *asks)
              late.promise.deliver(msg::to_error(why));
            go_on();
          });
}

/// When it is known whether an earlier host of the step has answered it.
void ask_later(step_ptr self, const held_promise& promise, owned_ask& ask) {
  auto& st = self->state;
  if (st.late_asks.size() >= st.context->settings.batching.high_water)
    return fail(promise, core::errc::overloaded, "too many requests wait for the database");
  st.late_asks.push_back({promise, std::move(ask)});
  look_up_late_asks(self);
}

/// Takes a request to the unit that is offered for it; when that cannot be loaded, nothing is.
void hand_over(step_ptr self, const held_promise& promise, const core::unit_id& unit,
               owned_ask request) {
  with_unit(
      self, unit,
      [=, ask = std::move(request)](const caf::actor& actor, const core::failure& why) mutable {
        if (actor) {
          heed_cancellation(self, actor); // it may have been canceled since it was offered
          promise.delegate(actor, unit_command{std::move(ask)});
          return;
        }
        if (still_offered(self, ask, unit))
          take_back_offer(self, ask.request.contributor, unit);
        if (core::describe(why.code).retryable)
          return promise.deliver(msg::to_error(why));
        ask.input.clear();
        ++ask.tries; // it is offered to nobody now: there may be another one
        offer(self, promise, ask);
      });
}

/// Whether the request comes too often. If so, it has been refused.
bool refused_as_too_often(step_ptr self, const held_promise& promise, owned_ask& ask) {
  auto& st = self->state;
  if (ask.admitted)
    return false;
  const auto& policy = definition_of(st).assignment_rate;
  st.rate.set(policy);
  const auto [reached, wait] = st.rate.admit(ask.request.contributor, now(self, st.context),
                                             writers_are_busy(*st.context, st.reserved.size()));
  ask.admitted = reached == core::assignment_rate::bound::none;
  if (ask.admitted)
    return false;
  ++st.context->gauges.rate_limited;
  promise.deliver(msg::to_error(core::refusal_of(policy, reached, st.rate.share(), wait)));
  return true;
}

void offer(step_ptr self, const held_promise& promise, owned_ask& ask) {
  auto& st = self->state;
  const auto& request = ask.request;
  ask.reserved = false;
  heed_removals(self);
  if (refused_as_held(self, promise, request.contributor)
      || refused_as_removed(self, promise, request.contributor))
    return;
  // That of the newest version, whatever that of the unit is: test questions are of the version in
  // which they were added, and nobody is to tell them apart.
  ask.ui = definition_of(st).ui;
  if (const auto found = st.held.find(request.contributor); found != st.held.end())
    for (auto& lease : found->second)
      if (lease.assignment == request.assignment) {
        lease.owner = ask.owner;
        const auto unit = lease.unit;
        return forward(self, promise, unit, std::move(ask));
      }
  if (is_known_as_over(self, request))
    return fail_as_over(promise);
  if (st.step.row.status == core::step_status::canceled)
    return refuse(self, promise, {core::errc::wrong_state, "the step is canceled"});
  if (st.step.row.status != core::step_status::open)
    return refuse(self, promise,
                  {core::errc::no_unit_available,
                   "the step is " + std::string{to_string(st.step.row.status)}});
  if (refused_as_too_often(self, promise, ask))
    return;
  if (!ask.is_new && may_be_late(self, request))
    return ask_later(self, promise, ask);
  if (refused_as_capped(self, promise, ask))
    return;
  const auto lacks = known_lacks(self, request.contributor);
  if (!lacks)
    return with_lacks(self, request.contributor, [=](const core::failure& why, const auto& found) {
      if (why.code != core::errc::none)
        promise.deliver(msg::to_error(why));
      else if (!found.empty())
        refuse_as_lacking(self, promise, found);
      else
        promise.delegate(caf::actor_cast<caf::actor>(self), ask);
    });
  if (!lacks->empty())
    return refuse_as_lacking(self, promise, *lacks);
  if (ask.tries >= tries_max)
    return fail(promise, core::errc::no_unit_available, {});
  if (const auto why = room_to_write(*st.context, st.reserved.size()); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const auto [refusal, unit] =
      core::offer_next(*st.board, st.ready, request.contributor, now(self, st.context));
  if (refusal != core::errc::none)
    return refuse(self, promise, {refusal, {}});
  if (!unit)
    return fail(promise, core::errc::no_unit_available, {});
  st.held[request.contributor].push_back({request.assignment, *unit, ask.owner});
  ++st.reserved[*unit];
  ask.reserved = true;
  hand_over(self, promise, *unit, std::move(ask));
}

/// Nobody is given the unit until its requester says so: then its input must be there again.
void pause_unreadable(step_ptr self, const core::unit_id& unit, const core::failure& why) {
  auto& st = self->state;
  st.context->log(
      log_level::error, "payload_unreadable",
      {{"step", to_string(st.identity.step())}, {"unit", to_string(unit)}, {"reason", why.detail}});
  st.ready.suspend(unit); // at once: the next one is being picked
  if (st.board->is_question(unit))
    st.board->set_open(unit, false);
  with_unit(self, unit, [=](const caf::actor& actor, const core::failure&) {
    if (actor) // nobody waits for its answer
      caf::anon_send(
          actor, unit_command{msg::change_unit{self->state.identity.step(), unit,
                                               static_cast<std::uint8_t>(core::unit_verb::pause)}});
  });
}

/// The contributor is offered something else.
void offer_another(step_ptr self, const held_promise& promise, const core::unit_id& unit,
                   owned_ask& ask) {
  if (still_offered(self, ask, unit))
    take_back_offer(self, ask.request.contributor, unit);
  ask.input.clear();
  ++ask.tries;
  offer(self, promise, ask);
}

/// Goes on with an offer for which a slot was reserved some time ago.
void offer_again(step_ptr self, const held_promise& promise, const core::unit_id& unit,
                 owned_ask& ask) {
  const auto& st = self->state;
  // Whoever was removed meanwhile had their leases ended, and this is none yet.
  if (!still_offered(self, ask, unit) || may_not_work(self, ask.request.contributor)
      || st.step.row.status != core::step_status::open)
    return offer_another(self, promise, unit, ask);
  hand_over(self, promise, unit, std::move(ask));
}

void on_input(step_ptr self, const held_promise& promise, input_wanted& wanted,
              const core::failure& why) {
  auto& ask = wanted.ask;
  if (why.code == core::errc::none) {
    if (ask.reserved)
      return offer_again(self, promise, wanted.unit, ask);
    return forward(self, promise, wanted.unit, std::move(ask));
  }
  const bool lost = is_lost(why);
  if (lost)
    pause_unreadable(self, wanted.unit, why);
  if (lost && ask.reserved)
    return offer_another(self, promise, wanted.unit, ask);
  if (still_offered(self, ask, wanted.unit))
    take_back_offer(self, ask.request.contributor, wanted.unit);
  fail(promise, core::errc::unavailable, "the unit's input cannot be read now: " + why.detail);
}

} // namespace

void end_held(step_ptr self, const core::contributor_id& contributor, const core::unit_id& unit) {
  const auto found = self->state.held.find(contributor);
  if (found == self->state.held.end())
    return;
  for (const auto& lease : found->second) {
    if (lease.unit != unit)
      continue;
    remember_over(self, contributor, lease.assignment);
    if (lease.owner)
      self->send(lease.owner, lease_over{unit, lease.assignment});
  }
  forget_held(self, contributor, unit);
}

void on_ask(step_ptr self, owned_ask& m) { in_turn(self, m, offer); }

void on_offer_refused(step_ptr self, offer_refused& refused) {
  const held_promise promise{self->make_response_promise()};
  const auto& contributor = refused.ask.request.contributor;
  // A repeated request went to the unit of its first answer, and found that lease run out.
  if (const auto found = self->state.held.find(contributor);
      !refused.ask.reserved && found != self->state.held.end())
    for (const auto& lease : found->second)
      if (lease.assignment == refused.ask.request.assignment && lease.unit == refused.unit)
        return fail_as_over(promise);
  forget_held(self, contributor, refused.unit);
  if (refused.ask.reserved)
    self->state.board->withdrawn(contributor, refused.unit);
  self->state.ready.bar(refused.unit, contributor, refused.barred_until);
  ++refused.ask.tries;
  offer(self, promise, refused.ask);
}

void on_part_undone(step_ptr self, const part_undone& undone) {
  auto& st = self->state;
  const auto& who = undone.contributor;
  if (undone.judged && st.tally)
    st.tally->taken_back(who);
  if (undone.judged && st.model)
    st.model->withdraw(undone.unit, who);
  forget_held(self, who, undone.unit);
  if (!undone.held) {
    if (undone.offered)
      st.board->withdrawn(who, undone.unit);
    return st.ready.bar(undone.unit, who, now(self, st.context));
  }
  // Its owner has been told that it is over, and asks for it no more when the session ends.
  if (const auto over = st.over.find(who); over != st.over.end()) {
    auto& latest = over->second.latest;
    latest.erase(std::remove(latest.begin(), latest.end(), *undone.held), latest.end());
  }
  st.held[who].push_back({*undone.held, undone.unit, {}});
  st.board->holding(who, undone.unit);
  st.ready.bar(undone.unit, who, core::instant::max());
}

void on_input_wanted(step_ptr self, input_wanted& wanted) {
  auto& fetching = self->state.fetching;
  const held_promise promise{self->make_response_promise()};
  const auto assignment = wanted.ask.request.assignment;
  // What becomes of the offer is decided once. After a crash, or under an id that somebody else
  // has, this may be another one.
  if (!fetching.insert(assignment).second) {
    if (still_offered(self, wanted.ask, wanted.unit))
      take_back_offer(self, wanted.ask.request.contributor, wanted.unit);
    return fail(promise, core::errc::unavailable, "no answer yet; ask again with the same id");
  }
  const auto kept = std::make_shared<input_wanted>(std::move(wanted));
  kept->ask.input = kept->ref;
  kept->ask.input_of = kept->ref;
  get_payloads(self, self->state.links.objects, {&kept->ask.input}, internal_timeout,
               [=](const std::vector<core::failure>& outcomes) {
                 self->state.fetching.erase(assignment);
                 on_input(self, promise, *kept, outcomes.front());
               });
}

void on_offer_delayed(step_ptr self, offer_delayed& delayed) {
  const held_promise promise{self->make_response_promise()};
  offer_again(self, promise, delayed.unit, delayed.ask);
}

void on_release(step_ptr self, owned_release& m) {
  in_turn(self, m, [](step_ptr step, const held_promise& promise, owned_release& turn) {
    const auto unit = turn.request.unit;
    forward(step, promise, unit, std::move(turn));
  });
}

// Never in turn: a lease must not run out because a judgment is being stored.
void on_extend(step_ptr self, owned_extend& m) {
  const held_promise promise{self->make_response_promise()};
  if (refused_as_held(self, promise, m.request.contributor))
    return;
  const auto unit = m.request.unit;
  forward(self, promise, unit, std::move(m));
}

namespace {

/// Answers whether the next request of the contributor must wait.
bool take_judgment(step_ptr self, const held_promise& promise, owned_submit& m) {
  const bool large = is_large(self->state.context->settings, m.request.payload);
  if (large)
    store_and_hand_in(self, promise, m);
  else
    hand_in(self, promise, std::move(m), {});
  return large;
}

/// First finds out how far they are trusted, where the step goes by that.
void take_trusted_judgment(step_ptr self, const held_promise& promise, owned_submit& m) {
  const auto contributor = m.request.contributor;
  heed_removals(self);
  if (refused_as_held(self, promise, contributor))
    return;
  if (trust_is_known(self, contributor)) {
    take_judgment(self, promise, m);
    return;
  }
  self->state.judgment_lines.hold(contributor);
  const auto judgment = std::make_shared<owned_submit>(std::move(m));
  learn_trust(self, contributor, [=](const core::failure& why) {
    const bool failed = why.code != core::errc::none;
    if (failed)
      promise.deliver(msg::to_error(why));
    if (failed || !take_judgment(self, promise, *judgment))
      self->state.judgment_lines.go_on(contributor);
  });
}

} // namespace

void on_submit(step_ptr self, owned_submit& m) { in_turn(self, m, take_trusted_judgment); }

void on_change_unit(step_ptr self, const msg::change_unit& m) {
  forward(self, held_promise{self->make_response_promise()}, m.unit, m);
  if (static_cast<core::unit_verb>(m.verb) != core::unit_verb::resume)
    return;
  disregard_removed(self, m.unit);
  aggregate_mended(self, m.unit);
}

} // namespace holdfast::actors
