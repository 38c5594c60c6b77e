#include "actors/peer_nodes.hpp"

#include "actors/actor_guard.hpp"
#include "actors/drain.hpp"
#include "actors/forwarder.hpp"
#include "actors/routing_messages.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<peer_nodes_state>*;

/// Dials in a row that meet a closed port before the process is taken for dead, and the pause
/// between them.
constexpr std::uint32_t refusals_that_prove = 2;
constexpr std::chrono::milliseconds refusal_pause{100};

/// For the answer to an introduction.
constexpr std::chrono::seconds greeting_timeout{5};

bool same_ways(const routes& a, const routes& b) {
  return a.doors == b.doors
         && std::equal(a.by_shard.begin(), a.by_shard.end(), b.by_shard.begin(), b.by_shard.end(),
                       [](const routes::host& x, const routes::host& y) {
                         return x.incarnation == y.incarnation && x.door == y.door;
                       });
}

/// Works out anew where each shard is reached, and tells the forwarders.
void reroute(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  auto now = std::make_shared<routes>();
  now->by_shard.resize(settings.shards);
  for (const auto& shard : st.view.shards) {
    auto& host = now->by_shard[shard.shard];
    host.incarnation = shard.host;
    if (shard.host == settings.incarnation)
      host.door = st.links.door;
    else if (const auto other = st.others.find(shard.host); other != st.others.end()) {
      host.door = other->second.door;
      host.protocol = other->second.protocol;
    }
  }
  now->doors.push_back(st.links.door);
  for (const auto& [incarnation, other] : st.others)
    if (other.door)
      now->doors.push_back(other.door);
  // Each renewal of the lease looks at the cluster: mostly nothing has changed.
  if (st.now && same_ways(*st.now, *now))
    return;
  st.now = std::move(now);
  st.forwarders.for_each([&](const caf::actor_addr&, const caf::actor& forwarder) {
    self->send(forwarder, routes_changed{st.now});
  });
}

void dial(self_ptr self, const core::incarnation_id& incarnation) {
  auto& st = self->state;
  const auto found = st.others.find(incarnation);
  if (found == st.others.end() || found->second.door || !st.context->settings.dial)
    return;
  st.context->settings.dial(found->second.address, [me = caf::actor_cast<caf::actor>(self),
                                                    incarnation](const dial_result& result) {
    caf::anon_send(me, dialed{incarnation, result});
  });
}

void dial_later(self_ptr self, const core::incarnation_id& incarnation) {
  self->delayed_send(self, self->state.context->settings.dial_interval, dial_tick{incarnation});
}

void on_met(self_ptr self, const core::incarnation_id& expected, const msg::node_met& met) {
  auto& st = self->state;
  const auto found = st.others.find(expected);
  if (found == st.others.end())
    return;
  auto& other = found->second;
  other.failing = false;
  if (met.incarnation == st.context->settings.incarnation) {
    st.context->log(log_level::error, "address_leads_here",
                    {{"node", other.name},
                     {"address", other.address},
                     {"what", "it must be told its node.advertised_address"}});
    return dial_later(self, expected);
  }
  if (met.incarnation != expected) { // another process has its place
    self->send(st.links.membership, process_gone{expected});
    return dial_later(self, expected);
  }
  st.context->log(log_level::info, "node_reached",
                  {{"node", other.name}, {"address", other.address}});
  other.met = true;
  other.refusals = 0;
  other.door = met.door;
  self->monitor(met.door);
  reroute(self);
}

/// Once, and not twice a second.
void tell_not_reached(self_ptr self, peer_nodes_state::peer_node& other, const std::string& why) {
  if (!std::exchange(other.failing, true))
    self->state.context->log(log_level::warning, "node_not_reached",
                             {{"node", other.name}, {"address", other.address}, {"reason", why}});
}

void on_dialed(self_ptr self, const dialed& m) {
  auto& st = self->state;
  const auto found = st.others.find(m.incarnation);
  if (found == st.others.end())
    return;
  if (m.result.gateway) {
    found->second.protocol = m.result.protocol;
    self->request(m.result.gateway, greeting_timeout,
                  msg::meet_node{st.context->settings.incarnation})
        .then([=](const msg::node_met& met) { on_met(self, m.incarnation, met); },
              [=](const caf::error& error) {
                const auto other = self->state.others.find(m.incarnation);
                if (other == self->state.others.end())
                  return;
                tell_not_reached(self, other->second, msg::failure_of(error).detail);
                dial_later(self, m.incarnation);
              });
    return;
  }
  tell_not_reached(self, found->second, m.result.why);
  auto& other = found->second;
  other.refusals = m.result.refused ? other.refusals + 1 : 0;
  // A gateway that is started anew closes the port for a moment.
  if (other.met && other.refusals > 0 && other.refusals < refusals_that_prove)
    return self->delayed_send(self, refusal_pause, dial_tick{m.incarnation});
  if (other.met && other.refusals == refusals_that_prove)
    self->send(st.links.membership, process_gone{m.incarnation});
  dial_later(self, m.incarnation);
}

/// Reaches for those that are new, and forgets those that are gone.
void on_seen(self_ptr self, cluster_seen& seen) {
  auto& st = self->state;
  st.view = std::move(seen.view);
  std::set<core::incarnation_id> here;
  std::vector<core::incarnation_id> added;
  for (const auto* node : core::members(st.view, seen.believed_dead)) {
    if (node->name == st.context->settings.name)
      continue;
    here.insert(node->incarnation);
    const auto [at, is_new] = st.others.try_emplace(node->incarnation);
    if (!is_new)
      continue;
    at->second.name = node->name;
    at->second.address = node->address;
    added.push_back(node->incarnation);
  }
  for (auto it = st.others.begin(); it != st.others.end();) {
    const bool gone = here.count(it->first) == 0;
    if (gone && it->second.door)
      self->demonitor(it->second.door.address());
    it = gone ? st.others.erase(it) : std::next(it);
  }
  for (const auto& incarnation : added)
    dial(self, incarnation);
  reroute(self);
}

/// True when it was a door; else it was a forwarder.
bool on_door_down(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  for (auto& [incarnation, other] : st.others)
    if (other.door == down.source) {
      st.context->log(log_level::warning, "node_lost",
                      {{"node", other.name}, {"reason", caf::to_string(down.reason)}});
      other.door = nullptr;
      reroute(self);
      self->send(st.links.membership, look_now{});
      dial(self, incarnation);
      return true;
    }
  return false;
}

msg::placement placement_now(self_ptr self) {
  const auto& st = self->state;
  msg::placement known;
  const auto& settings = st.context->settings;
  known.node = settings.incarnation;
  known.hosts.resize(settings.shards);
  known.epochs.resize(settings.shards);
  for (const auto& shard : st.view.shards) {
    known.hosts[shard.shard] = shard.host;
    known.epochs[shard.shard] = shard.at;
  }
  return known;
}

/// Hands a request to its sender's forwarder.
template <class Message>
void hand(self_ptr self, Message& m) {
  auto& st = self->state;
  const auto& client = self->current_sender();
  if (!client) // nobody wants to know
    return;
  const auto address = caf::actor_cast<caf::actor_addr>(client);
  auto actor = st.forwarders.find(address);
  if (!actor) {
    actor = self->spawn(forwarder, st.context, client, st.now);
    self->monitor(actor);
    st.forwarders.put(address, actor);
  }
  self->make_response_promise().delegate(actor, std::move(m));
}

} // namespace

caf::behavior peer_nodes(caf::stateful_actor<peer_nodes_state>* self, context_ptr context,
                         peer_nodes_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.links = std::move(links);
  const auto me = caf::actor_cast<caf::actor>(self);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (!on_door_down(self, down))
      self->state.forwarders.ended(down.source);
  });
  reroute(self);
  self->send(self->state.links.membership, follow_cluster{me});
  self->send(self->state.links.shards, forward_through{me});
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](forwarded& m) { hand(self, m); },
      [=](cluster_seen& seen) { on_seen(self, seen); },
      [=](const dialed& m) { on_dialed(self, m); },
      [=](const dial_tick& tick) { dial(self, tick.incarnation); },
      [=](announce_change) {
        const auto& st = self->state;
        for (const auto& [incarnation, other] : st.others)
          if (other.door)
            self->send(other.door, msg::look_at_cluster{st.context->settings.incarnation});
      },
      [=](const drain& m) {
        self->state.forwarders.for_each(
            [&](const auto&, const caf::actor& forwarder) { self->send(forwarder, m); });
      },
      [=](const msg::get_placement&) { return placement_now(self); },
      [=](msg::end_session& m) { hand(self, m); },
      [=](msg::find_steps& m) { hand(self, m); },
      [=](msg::rebuild_step_index& m) { hand(self, m); },
  };
}

} // namespace holdfast::actors
