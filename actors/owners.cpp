#include "actors/owners.hpp"

#include "actors/actor_guard.hpp"
#include "actors/repeated_request.hpp"
#include "actors/routing_messages.hpp"
#include "core/explanation.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

namespace {

using owners_ptr = caf::stateful_actor<owners_state>*;

core::step_id step_of(const msg::explain_unit& m) { return m.step; }
core::step_id step_of(const msg::explain_contributor& m) { return m.step; }
template <class Request>
core::step_id step_of(const owned<Request>& m) {
  return m.request.step;
}

/// The message on its way to the step that it is about.
template <class Message>
routed to_step(Message m) {
  const auto step = step_of(m);
  return route_to(step, std::move(m));
}

/// Why nobody more gets a session, asked for by `client`; `none` when there is room. Sessions begun
/// by messages without a sender (`client` is null) count in the node's number only.
core::failure room_for_session(owners_ptr self, const caf::actor_addr& client) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  // CAF's hash of an address dereferences it.
  const auto of_client = client ? st.of_client.find(client) : st.of_client.end();
  core::failure why;
  if (st.by_contributor.size() >= settings.sessions_max)
    why = {core::errc::overloaded, "this node has sessions of "
                                       + std::to_string(settings.sessions_max)
                                       + " contributors already (owner.sessions_max)"};
  else if (of_client != st.of_client.end() && of_client->second >= settings.sessions_per_client)
    why = {core::errc::limit_reached, "this client has sessions of "
                                          + std::to_string(settings.sessions_per_client)
                                          + " contributors already (owner.sessions_per_client)"};
  if (why.code != core::errc::none)
    ++st.context->gauges.overloaded;
  return why;
}

template <class Message>
void hand(owners_ptr self, Message& m) {
  auto& st = self->state;
  auto actor = st.by_contributor.find(m.contributor);
  if (!actor) {
    const auto client = caf::actor_cast<caf::actor_addr>(self->current_sender());
    if (const auto why = room_for_session(self, client); why.code != core::errc::none)
      return self->make_response_promise().deliver(msg::to_error(why));
    if (client)
      ++st.of_client[client];
    st.handed[m.contributor].client = client;
    actor =
        self->spawn(owner, st.context, m.contributor, caf::actor_cast<caf::actor>(self), st.shards);
    self->monitor(actor);
    st.by_contributor.put(m.contributor, actor);
    st.context->gauges.sessions = st.by_contributor.size();
  }
  ++st.handed[m.contributor].requests;
  self->make_response_promise().delegate(actor, std::move(m));
}

/// A request about a contributor, who need not have a session for it.
template <class Message>
void hand_about(owners_ptr self, Message& m) {
  auto& st = self->state;
  if (st.by_contributor.find(m.contributor))
    return hand(self, m);
  self->make_response_promise().delegate(st.shards, to_step(std::move(m)));
}

void forget(owners_ptr self, const core::contributor_id& contributor) {
  auto& st = self->state;
  if (const auto session = st.handed.find(contributor); session != st.handed.end()) {
    const auto& client = session->second.client;
    const auto of_client = client ? st.of_client.find(client) : st.of_client.end();
    if (of_client != st.of_client.end() && --of_client->second == 0)
      st.of_client.erase(of_client);
    st.handed.erase(session);
  }
  st.context->gauges.sessions = st.by_contributor.size();
}

using owner_ptr = caf::stateful_actor<owner_state>*;

core::instant time(owner_ptr self) { return now(self, self->state.context); }

bool is_connected(const owner_state& st) {
  return std::any_of(st.speakers.begin(), st.speakers.end(),
                     [](const auto& each) { return !each.second.gone; });
}

bool has_nothing_to_do(const owner_state& st) {
  return st.asking.empty() && st.held.empty() && st.under_way == 0;
}

void stop_if_idle(owner_ptr self) {
  auto& st = self->state;
  if (!is_connected(st) && has_nothing_to_do(st))
    self->send(st.owners, owner_idle{st.contributor, st.requests_seen});
}

/// A request that this one waited for is answered, and so is whoever asked for it.
void answered(owner_ptr self) {
  --self->state.under_way;
  stop_if_idle(self);
}

/// Looks now and then whether the session is of any use: one that holds nothing and that nobody has
/// asked for anything is begun again by the next request. Else one connection could fill the memory
/// with names that it asks for once.
void watch_use(owner_ptr self) {
  constexpr core::duration pause_least = std::chrono::seconds{1};
  auto& st = self->state;
  if (std::exchange(st.use_watched, true))
    return;
  self->delayed_send(self, std::max(pause_least, st.context->settings.session_grace),
                     session_tick{st.requests_seen});
}

/// Leases that have run out no longer count; the unit's step ends them.
void drop_expired(owner_ptr self) {
  const auto at = time(self);
  auto& held = self->state.held;
  for (auto it = held.begin(); it != held.end();)
    it = it->second.expires_at <= at ? held.erase(it) : std::next(it);
}

/// Of the ends of its leases it is told by the actors that granted them; those that have started
/// anew since do not know it.
void on_session_tick(owner_ptr self, const session_tick& tick) {
  auto& st = self->state;
  st.use_watched = false;
  drop_expired(self);
  if (tick.requests_seen == st.requests_seen && has_nothing_to_do(st))
    self->send(st.owners, owner_idle{st.contributor, st.requests_seen});
  else
    watch_use(self);
}

/// Whether the end of this client would give something back.
bool has_stake(const owner_state& st, const caf::actor_addr& client) {
  const auto is_its = [&](const auto& each) { return each.second.client == client; };
  return std::any_of(st.held.begin(), st.held.end(), is_its)
         || std::any_of(st.asking.begin(), st.asking.end(), is_its);
}

/// Moves the leases and asks of one client to another.
void hand_over(owner_state& st, const caf::actor_addr& from, const caf::actor_addr& to) {
  for (auto& [unit, lease] : st.held)
    if (lease.client == from)
      lease.client = to;
  for (auto& [assignment, ask] : st.asking)
    if (ask.client == from)
      ask.client = to;
}

/// One that speaks now goes on with the leases of those that are gone: it may be the same program,
/// which has come back over another connection.
void take_over_from_gone(owner_state& st, const caf::actor_addr& client) {
  for (auto at = st.speakers.begin(); at != st.speakers.end();) {
    if (!at->second.gone) {
      ++at;
      continue;
    }
    hand_over(st, at->first, client);
    at = st.speakers.erase(at);
  }
}

void forget_speakers_without_stake(owner_ptr self) {
  auto& st = self->state;
  for (auto at = st.speakers.begin(); at != st.speakers.end();) {
    if (has_stake(st, at->first)) {
      ++at;
      continue;
    }
    self->demonitor(at->first);
    at = st.speakers.erase(at);
  }
}

/// Notes that a request came, and from whom.
void meet_client(owner_ptr self) {
  auto& st = self->state;
  ++st.requests_seen;
  watch_use(self);
  const auto& sender = self->current_sender();
  if (!sender)
    return;
  const auto client = caf::actor_cast<caf::actor_addr>(sender);
  take_over_from_gone(st, client);
  if (st.speakers.count(client) != 0)
    return;
  forget_speakers_without_stake(self);
  st.speakers.emplace(client, owner_state::speaker{});
  st.over = false;
  self->monitor(caf::actor_cast<caf::actor>(sender));
}

/// Looks after the asks that wait, every so often while there are any. One timer per ask would cost
/// more than the ask.
void watch_asks(owner_ptr self) {
  auto& st = self->state;
  if (st.watching || st.asking.empty())
    return;
  st.watching = true;
  self->delayed_send(self, internal_timeout, overdue_tick{});
}

/// Tells who waits for too long. Their asks still count: each of them may yet become a lease.
void answer_overdue(owner_ptr self) {
  auto& st = self->state;
  const auto at = time(self);
  for (auto& [assignment, ask] : st.asking) {
    if (at < ask.since + internal_timeout)
      continue;
    for (const auto& promise : ask.waiting)
      promise.deliver(
          msg::to_error(core::errc::unavailable, "no answer yet; ask again with the same id"));
    ask.waiting.clear();
  }
  st.watching = false;
  watch_asks(self);
}

void release_all(owner_ptr self, std::function<void(std::uint32_t)> done);
void release_of(owner_ptr self, const caf::actor_addr& client);

/// The ask, which is answered now.
owner_state::open_ask ask_answered(owner_ptr self, const core::assignment_id& assignment) {
  auto& asking = self->state.asking;
  const auto found = asking.find(assignment);
  auto ask = std::move(found->second);
  asking.erase(found);
  return ask;
}

/// Whether one more lease is within the limit.
bool may_hold_more(owner_ptr self) {
  const auto& st = self->state;
  const auto within = [&] {
    return st.held.size() + st.asking.size() < st.context->settings.leases_max;
  };
  if (within())
    return true;
  drop_expired(self);
  return within();
}

/// Whether it may, or the lease is one of those held that is asked for again.
bool may_ask(owner_ptr self, const core::assignment_id& assignment) {
  const auto& st = self->state;
  return may_hold_more(self) || std::any_of(st.held.begin(), st.held.end(), [&](const auto& held) {
           return held.second.assignment == assignment;
         });
}

/// Whether the limit has a say in what is explained.
bool needs_a_lease(const msg::contributor_explanation&) { return true; }
bool needs_a_lease(const msg::unit_explanation& told) { return core::is_open(told.state); }

/// The step explains; of the limit only its owner knows. The one who asks need not be the
/// contributor's client.
template <class Explanation, class Message>
void on_explain(owner_ptr self, Message& m) {
  auto& st = self->state;
  ++st.requests_seen;
  if (may_hold_more(self)) {
    self->make_response_promise().delegate(st.shards, to_step(std::move(m)));
    return stop_if_idle(self);
  }
  ++st.under_way;
  const held_promise promise{self->make_response_promise()};
  self->request(st.shards, internal_timeout, to_step(std::move(m)))
      .then(
          [=](Explanation& told) {
            auto& state = self->state;
            if (needs_a_lease(told)) {
              auto why = core::leases_full(state.contributor, state.context->settings.leases_max);
              told.reasons.push_back({std::move(why.code), std::move(why.text)});
            }
            promise.deliver(std::move(told));
            answered(self);
          },
          [=](caf::error& error) {
            promise.deliver(std::move(error));
            answered(self);
          });
}

void on_ask(owner_ptr self, msg::ask_assignment& ask) {
  auto& st = self->state;
  // Before the promise, which takes the sender along.
  const auto client = caf::actor_cast<caf::actor_addr>(self->current_sender());
  held_promise promise{self->make_response_promise()};
  const auto assignment = ask.assignment;
  if (const auto found = st.asking.find(assignment); found != st.asking.end()) {
    auto& open = found->second; // impatient: one answer serves them all
    if (open.waiting.empty())
      open.since = time(self);
    open.client = client;
    add_repetition(open.waiting, std::move(promise));
    return;
  }
  if (!may_ask(self, assignment)) {
    promise.deliver(msg::to_error(core::errc::limit_reached,
                                  "at most " + std::to_string(st.context->settings.leases_max)
                                      + " leases at a time"));
    return;
  }
  st.asking[assignment] = {{std::move(promise)}, time(self), client};
  watch_asks(self);
  self->request(
          st.shards, caf::infinite,
          to_step(owned_ask{{std::move(ask), caf::actor_cast<caf::actor>(self)}, 0, false, {}}))
      .then(
          [=](msg::assignment& granted) {
            auto& state = self->state;
            const auto answered_now = ask_answered(self, assignment);
            const auto& asker = answered_now.client;
            state.held[granted.unit] = {granted.step, granted.id, granted.token, granted.expires_at,
                                        asker};
            for (const auto& waiting : answered_now.waiting)
              waiting.deliver(granted);
            if (state.over)
              release_all(self, [](std::uint32_t) {});
            else if (asker && state.speakers.count(asker) == 0)
              release_of(self, asker);
          },
          [=](const caf::error& error) {
            for (const auto& waiting : ask_answered(self, assignment).waiting)
              waiting.deliver(error);
            stop_if_idle(self);
          });
}

/// Passed on by request, because the owner has to know until when it holds the lease. It is the
/// lease of the client that extends it.
void on_extend(owner_ptr self, msg::extend_assignment& extend) {
  const auto client = caf::actor_cast<caf::actor_addr>(self->current_sender());
  const held_promise promise{self->make_response_promise()};
  ++self->state.under_way;
  self->request(self->state.shards, internal_timeout, to_step(owned_extend{std::move(extend), {}}))
      .then(
          [=](const msg::assignment_extended& extended) {
            auto& state = self->state;
            if (const auto found = state.held.find(extended.unit); found != state.held.end()) {
              found->second.expires_at = extended.expires_at;
              if (client && state.speakers.count(client) != 0)
                found->second.client = client;
            }
            promise.deliver(extended);
            answered(self);
          },
          [=](caf::error& error) {
            promise.deliver(std::move(error));
            answered(self);
          });
}

/// Gives these leases back, which are not among those held any more; `done` gets how many were.
/// Until then the owner stays: the steps tell it that its leases are over before they answer, and
/// it would end with nobody told.
void give_back(owner_ptr self,
               const std::unordered_map<core::unit_id, owner_state::held_lease>& leases,
               std::function<void(std::uint32_t)> done) {
  auto& st = self->state;
  ++st.under_way;
  struct progress {
    std::size_t open = 1;
    std::uint32_t released = 0;
  };
  auto all = std::make_shared<progress>();
  const auto one_done = [=] {
    if (--all->open > 0)
      return;
    done(all->released);
    answered(self);
  };
  for (const auto& [unit, lease] : leases) {
    ++all->open;
    self->request(
            st.shards, internal_timeout,
            to_step(owned_release{{lease.step, unit, st.contributor, lease.token, false}, {}}))
        .then(
            [=](const msg::assignment_released&) {
              ++all->released;
              one_done();
            },
            [=](const caf::error&) { one_done(); }); // it runs out by itself
  }
  one_done();
}

/// Gives every lease back; `done` gets how many were.
void release_all(owner_ptr self, std::function<void(std::uint32_t)> done) {
  drop_expired(self);
  give_back(self, std::exchange(self->state.held, {}), std::move(done));
}

/// Gives the leases of one client back.
void release_of(owner_ptr self, const caf::actor_addr& client) {
  drop_expired(self);
  auto& held = self->state.held;
  std::unordered_map<core::unit_id, owner_state::held_lease> leases;
  for (auto at = held.begin(); at != held.end();) {
    const auto current = at++;
    if (current->second.client == client)
      leases.insert(held.extract(current));
  }
  give_back(self, leases, [](std::uint32_t) {});
}

void on_client_down(owner_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto found = st.speakers.find(down.source);
  if (found == st.speakers.end() || found->second.gone)
    return;
  found->second = {true, ++st.graces};
  self->delayed_send(self, st.context->settings.session_grace, grace_tick{st.graces});
}

/// The grace time of a client is over, and nobody has spoken for the contributor since. With the
/// last one the session ends, and all goes back that is left.
void on_grace_tick(owner_ptr self, const grace_tick& tick) {
  auto& st = self->state;
  const auto found = std::find_if(st.speakers.begin(), st.speakers.end(), [&](const auto& each) {
    return each.second.gone && each.second.grace == tick.session;
  });
  if (found == st.speakers.end())
    return;
  const auto client = found->first;
  st.speakers.erase(found);
  if (!st.speakers.empty())
    return release_of(self, client);
  st.over = true;
  release_all(self, [](std::uint32_t) {});
}

/// Ends the session of all clients that speak for the contributor.
void on_end_session(owner_ptr self) {
  auto& st = self->state;
  ++st.requests_seen;
  for (const auto& [client, known] : st.speakers)
    if (!known.gone)
      self->demonitor(client);
  st.speakers.clear();
  st.over = true;
  const held_promise promise{self->make_response_promise()};
  release_all(self, [=](std::uint32_t released) { promise.deliver(msg::session_ended{released}); });
}

} // namespace

caf::behavior owners(caf::stateful_actor<owners_state>* self, context_ptr context,
                     caf::actor shards) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.shards = std::move(shards);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (const auto* contributor = self->state.by_contributor.ended(down.source))
      forget(self, *contributor);
  });
  return {
      [=](msg::ask_assignment& m) { hand(self, m); },
      [=](msg::release_assignment& m) { hand(self, m); },
      [=](msg::extend_assignment& m) { hand(self, m); },
      [=](msg::submit_judgment& m) { hand(self, m); },
      [=](msg::end_session& m) { hand(self, m); },
      [=](msg::explain_unit& m) { hand_about(self, m); },
      [=](msg::explain_contributor& m) { hand_about(self, m); },
      [=](const owner_idle& idle) {
        auto& st = self->state;
        const auto handed = st.handed.find(idle.contributor);
        if (handed == st.handed.end() || handed->second.requests != idle.requests_seen)
          return; // a request is on its way to it
        const auto actor = st.by_contributor.find(idle.contributor);
        st.by_contributor.release(idle.contributor);
        forget(self, idle.contributor);
        self->send(actor, stop_owner{});
      },
  };
}

caf::behavior owner(caf::stateful_actor<owner_state>* self, context_ptr context,
                    core::contributor_id contributor, caf::actor owners, caf::actor shards) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.contributor = std::move(contributor);
  st.owners = std::move(owners);
  st.shards = std::move(shards);
  self->set_down_handler([=](const caf::down_msg& down) { on_client_down(self, down); });
  const auto pass_on = [=](auto owned_request) {
    self->make_response_promise().delegate(self->state.shards, to_step(std::move(owned_request)));
  };
  return {
      [=](msg::ask_assignment& m) {
        meet_client(self);
        on_ask(self, m);
      },
      [=](msg::release_assignment& m) {
        meet_client(self);
        pass_on(owned_release{std::move(m), {}});
      },
      [=](msg::extend_assignment& m) {
        meet_client(self);
        on_extend(self, m);
      },
      [=](msg::submit_judgment& m) {
        meet_client(self);
        pass_on(owned_submit{std::move(m), {}});
      },
      [=](const msg::end_session&) { on_end_session(self); },
      [=](msg::explain_unit& m) { on_explain<msg::unit_explanation>(self, m); },
      [=](msg::explain_contributor& m) { on_explain<msg::contributor_explanation>(self, m); },
      [=](const lease_over& over) {
        auto& held = self->state.held;
        const auto found = held.find(over.unit);
        if (found != held.end() && found->second.assignment == over.assignment)
          held.erase(found);
        stop_if_idle(self);
      },
      [=](overdue_tick) { answer_overdue(self); },
      [=](const session_tick& tick) { on_session_tick(self, tick); },
      [=](const grace_tick& tick) { on_grace_tick(self, tick); },
      [=](stop_owner) { self->quit(); },
  };
}

} // namespace holdfast::actors
