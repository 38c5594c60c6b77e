#include "actors/membership.hpp"

#include "actors/actor_guard.hpp"
#include "core/backoff.hpp"

#include <algorithm>
#include <chrono>
#include <functional>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<membership_state>*;
using shard_list = std::vector<core::shard_id>;

persistence::store& open(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  return *st.store;
}

std::string listed(const shard_list& shards) {
  std::string text;
  for (const auto shard : shards)
    text += (text.empty() ? "" : ",") + std::to_string(shard);
  return text;
}

void look(self_ptr self);

// --- shards that come ---

/// Tells the writers first, then those who follow, the last first: the relay must know before the
/// first event is committed.
void adopt(self_ptr self, const std::vector<persistence::shard_fence>& fences) {
  auto& st = self->state;
  const auto lanes = st.writers.size();
  std::vector<adopt_shards> adopted(lanes);
  shards_gained gained;
  for (const auto& fence : fences) {
    auto& above = st.context->tokens_above;
    above = std::max(above.load(), fence.tokens_above);
    st.hosted[fence.shard] = fence.epoch;
    adopted[fence.shard % lanes].fences.push_back(fence);
    gained.shards.push_back(fence.shard);
  }
  for (std::size_t lane = 0; lane < lanes; ++lane)
    self->send(st.writers[lane], std::move(adopted[lane]));
  for (auto follower = st.followers.rbegin(); follower != st.followers.rend(); ++follower)
    self->send(*follower, gained);
  st.context->gauges.shards_hosted = static_cast<std::uint32_t>(st.hosted.size());
  st.context->log(log_level::info, "shards_hosted",
                  {{"shards", listed(gained.shards)}, {"count", std::to_string(st.hosted.size())}});
}

/// Becomes host of `wanted`, as far as the database lets it, and notes that in `view`.
core::failure take(self_ptr self, const shard_list& wanted, core::cluster_view& view) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  const auto fences = open(self).take_over(settings.name, settings.incarnation, wanted,
                                           settings.lease_time, st.dead.all());
  if (!fences)
    return fences.error();
  if (fences->empty())
    return {};
  for (const auto& fence : *fences) {
    const auto seen = std::find_if(view.shards.begin(), view.shards.end(),
                                   [&](const auto& shard) { return shard.shard == fence.shard; });
    const bool was_free = seen == view.shards.end() || seen->host == core::incarnation_id{};
    st.context->registry->count(metrics::metric::takeovers_total, {was_free ? "free" : "host_gone"})
        .add();
  }
  adopt(self, *fences);
  for (auto& shard : view.shards)
    if (const auto mine = st.hosted.find(shard.shard); mine != st.hosted.end()) {
      shard.host = settings.incarnation;
      shard.at = mine->second;
    }
  if (st.peer_nodes)
    self->send(st.peer_nodes, announce_change{});
  return {};
}

// --- shards that go ---

/// Sends `question` to all `targets` and goes on when each has answered, or has ended or failed to
/// answer in time: what must not happen twice is fenced in the database, so waiting longer would
/// only keep the shard from its next host.
template <class Question>
void ask_all(self_ptr self, const std::vector<caf::actor>& targets, const Question& question,
             std::function<void()> then) {
  const auto open = std::make_shared<std::size_t>(targets.size() + 1);
  const auto one_done = [=] {
    if (--*open == 0)
      then();
  };
  for (const auto& target : targets)
    self->request(target, internal_timeout, question)
        .then([=](settled) { one_done(); }, [=](const caf::error&) { one_done(); });
  one_done();
}

void have_left(self_ptr self, const shard_list& shards) {
  auto& st = self->state;
  for (const auto shard : shards)
    st.leaving.erase(shard);
  if (st.peer_nodes)
    self->send(st.peer_nodes, announce_change{});
  look(self);
}

/// Ends all work for the shards; then they are free for others.
void end_work(self_ptr self, const shard_list& shards, const std::function<void()>& then) {
  ask_all(self, self->state.followers, leave_shards{shards},
          [=] { ask_all(self, self->state.writers, abandon_shards{shards}, then); });
}

void stop_deciding(self_ptr self, const shard_list& shards) {
  auto& st = self->state;
  for (const auto shard : shards) {
    st.context->hosting.put(shard, false);
    st.hosted.erase(shard);
    st.leaving.insert(shard);
  }
  st.context->gauges.shards_hosted = static_cast<std::uint32_t>(st.hosted.size());
}

void give_free(self_ptr self, const shard_list& shards) {
  const auto given = open(self).hand_over(self->state.context->settings.incarnation, shards);
  if (!given) // the next look finds them hosted here by nobody
    self->state.context->log(log_level::warning, "handover_failed",
                             {{"reason", given.error().detail}});
}

/// Two rounds, as with a drain: what was on its way through the actors while the first one ended is
/// in the writers by the second.
void hand_over(self_ptr self, const shard_list& shards) {
  if (shards.empty())
    return;
  auto& st = self->state;
  st.context->log(log_level::info, "shards_handed_over", {{"shards", listed(shards)}});
  stop_deciding(self, shards);
  ask_all(self, st.writers, settle_shards{shards}, [=] {
    ask_all(self, self->state.writers, settle_shards{shards}, [=] {
      end_work(self, shards, [=] {
        give_free(self, shards);
        have_left(self, shards);
      });
    });
  });
}

/// Another node has taken them: nothing that is decided here counts any more.
void lose(self_ptr self, const shard_list& shards) {
  if (shards.empty())
    return;
  self->state.context->log(log_level::warning, "shards_lost", {{"shards", listed(shards)}});
  self->state.context->registry->count(metrics::metric::shards_lost_total).add(shards.size());
  stop_deciding(self, shards);
  end_work(self, shards, [=] { have_left(self, shards); });
}

// --- looking ---

/// Registers the node; after that it is seen by the others.
core::failure enter(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  // Once it was in, the number of shards stands in the database. Where it does not, somebody is
  // restoring that, and must not find rows in the way.
  if (!st.ready)
    if (const auto fixed = open(self).ensure_shards(settings.shards); !fixed)
      return fixed.error();
  const auto& limits = settings.json;
  if (const auto told = open(self).publish_limits({static_cast<std::uint32_t>(limits.bytes_max),
                                                   static_cast<std::uint32_t>(limits.depth_max)});
      !told)
    return told.error();
  if (const auto known =
          open(self).register_node(settings.name, settings.incarnation, settings.address);
      !known)
    return known.error();
  const auto alive = open(self).take_over(settings.name, settings.incarnation, {},
                                          settings.lease_time, st.dead.all());
  if (!alive)
    return alive.error();
  st.registered = true;
  return {};
}

/// Who hosts a shard by `view`, against what this node knows.
struct discrepancies {
  shard_list lost;   ///< Hosted here until now.
  shard_list strays; ///< Ours in the database, and nobody here works for them.
};

discrepancies compare(const membership_state& st, const core::cluster_view& view) {
  discrepancies found;
  const auto& me = st.context->settings.incarnation;
  for (const auto& shard : view.shards) {
    if (st.leaving.count(shard.shard) != 0)
      continue;
    const auto known = st.hosted.find(shard.shard);
    const bool ours = shard.host == me;
    if (known == st.hosted.end() && ours)
      found.strays.push_back(shard.shard);
    else if (known != st.hosted.end() && !(ours && known->second == shard.at))
      found.lost.push_back(shard.shard);
  }
  return found;
}

void remove_all(shard_list& from, const shard_list& what) {
  from.erase(std::remove_if(from.begin(), from.end(),
                            [&](core::shard_id shard) {
                              return std::find(what.begin(), what.end(), shard) != what.end();
                            }),
             from.end());
}

/// Brings this node in line with the cluster.
core::failure follow_plan(self_ptr self, core::cluster_view& view) {
  auto& st = self->state;
  auto plan = core::plan_hosting(view, st.context->settings.incarnation, st.dead.all(),
                                 st.lease.waits_for_others(view.now));
  if (plan.superseded)
    return {core::errc::fenced, "a later process of node '" + st.context->settings.name + "' runs"};
  const shard_list leaving{st.leaving.begin(), st.leaving.end()};
  remove_all(plan.take, leaving);
  remove_all(plan.hand_over, leaving);
  auto [lost, strays] = compare(st, view);
  remove_all(plan.hand_over, lost);
  remove_all(plan.take, lost); // not before their work here has ended
  lose(self, lost);
  if (auto given = strays; !given.empty()) {
    remove_all(strays, plan.hand_over);
    remove_all(given, strays);
    remove_all(plan.hand_over, given);
    if (!given.empty())
      give_free(self, given);
    plan.take.insert(plan.take.end(), strays.begin(), strays.end());
  }
  hand_over(self, plan.hand_over);
  return plan.take.empty() ? core::failure{} : take(self, plan.take, view);
}

void tell(self_ptr self, core::cluster_view view) {
  auto& st = self->state;
  if (!st.ready && core::is_complete(view, st.dead.all())) {
    st.ready = true;
    if (st.context->started_at == core::instant{})
      st.context->started_at = view.now;
    for (auto& promise : st.waiting)
      promise.deliver(shards_hosted{});
    st.waiting.clear();
  }
  if (st.peer_nodes)
    self->send(st.peer_nodes, cluster_seen{std::move(view), st.dead.all()});
}

/// Lets those know that have work of other processes. While others may still come back, whoever is
/// missing is not gone.
void note_processes(self_ptr self, const core::cluster_view& view) {
  auto& st = self->state;
  if (st.lease.waits_for_others(view.now))
    return;
  auto& processes = st.context->processes;
  auto living = core::living(view, st.dead.all());
  const auto before = processes.last();
  const bool changed = !before || before->alive != living.alive;
  processes.put(std::move(living));
  if (changed && st.shards)
    self->send(st.shards, processes_changed{});
}

/// Says that the node decides nothing any more, if it has come to that.
void note_fence(self_ptr self, const std::string& why) {
  auto& st = self->state;
  const auto now = self->clock().now();
  const auto left = st.context->hosting.sure_for(now);
  if (!st.ready || st.fenced_since || left.count() > 0)
    return;
  st.fenced_since = now + left;
  st.context->fence.begin(st.context->clock.at(now + left), why);
  st.context->log(log_level::warning, "fenced",
                  {{"shards", std::to_string(st.hosted.size())},
                   {"reason", why},
                   {"what", "the node's lease may have run out; it decides nothing until it has "
                            "renewed it"}});
}

void note_renewal(self_ptr self) {
  auto& st = self->state;
  st.context->fence.end(); // also that of an earlier life of this actor
  if (!st.fenced_since)
    return;
  const auto span =
      std::chrono::duration_cast<std::chrono::milliseconds>(self->clock().now() - *st.fenced_since);
  st.fenced_since.reset();
  // As severe as the beginning: a log that has the one has the other.
  st.context->log(log_level::warning, "fence_lifted", {{"after_ms", std::to_string(span.count())}});
}

shard_list all_hosted(const membership_state& st) {
  shard_list shards;
  for (const auto& [shard, at] : st.hosted)
    shards.push_back(shard);
  return shards;
}

/// The database has forgotten what was committed, or may have: it is not where it was. What this
/// node knows stands on that, so nothing here decides on; the shards are taken anew, in a new
/// generation, in which nothing has a number that was given out before.
core::failure start_anew(self_ptr self, const std::string& forgotten) {
  auto& st = self->state;
  const auto why = forgotten.empty()
                       ? std::string{"the database is on another server or timeline than before"}
                       : "the database has lost commits: " + forgotten;
  const auto shards = all_hosted(st);
  if (const auto fence = st.context->fence.read();
      fence.since == core::instant{} || fence.why != why) { // once, and not at every look
    st.context->log(log_level::error, "history_lost",
                    {{"reason", why}, {"shards", listed(shards)}});
    st.context->fence.begin(now(self, st.context), why);
  }
  persistence::known_history known{st.history.generation(), {}};
  for (const auto& [shard, mark] : st.history.marks())
    known.shards.push_back({shard, mark.at, mark.batches, mark.events});
  const auto begun = open(self).begin_generation(known, false);
  lose(self, shards);
  if (!begun)
    return begun.error();
  st.context->log(log_level::warning, "generation_begun",
                  {{"by", *begun ? "this node" : "another node"}});
  if (shards.empty()) // else `have_left` looks again
    self->send(self, look_now{});
  return {};
}

/// The connection leads to a server in whose place another one was promoted. Nothing of what this
/// node hosts goes on there, nor does it begin a generation: its history has ended. The next look
/// connects anew, because the name may lead to the right server by then.
core::failure leave_replaced(self_ptr self, const std::string& why) {
  auto& st = self->state;
  const auto shards = all_hosted(st);
  if (const auto fence = st.context->fence.read();
      fence.since == core::instant{} || fence.why != why) { // once, and not at every look
    st.context->log(log_level::error, "server_replaced",
                    {{"reason", why},
                     {"shards", listed(shards)},
                     {"what", "have the connection lead to the server that was promoted; if this "
                              "database is to go on in its place, run holdfast restored"}});
    st.context->fence.begin(now(self, st.context), why);
  }
  st.store.reset();
  lose(self, shards);
  return {core::errc::unavailable, why};
}

/// A writer has found that the database does not know what it has committed. Where the look does
/// not find the same, the two disagree about a batch for another reason; taking the shard anew ends
/// that as well.
void on_history_doubted(self_ptr self, const history_doubted& doubted) {
  look(self);
  shard_list shards;
  for (const auto& [shard, at] : doubted.shards)
    if (const auto mine = self->state.hosted.find(shard);
        mine != self->state.hosted.end() && mine->second == at)
      shards.push_back(shard);
  lose(self, shards);
}

/// Renews the node's lease and looks at the cluster.
core::failure try_to_look(self_ptr self) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  if (!st.registered)
    if (auto why = enter(self); why.code != core::errc::none)
      return why;
  const auto written = st.context->written.read(); // whatever the database knows less of is lost
  const auto asked = self->clock().now();
  const auto leased_from = st.context->hosting.lease_time(asked);
  auto view = open(self).renew(settings.incarnation, settings.lease_time);
  if (!view)
    return view.error();
  st.context->clock.follow(view->now, asked, self->clock().now());
  if (const auto why = st.history.replaced(*view); !why.empty())
    return leave_replaced(self, why);
  if (const auto forgotten = st.history.look(*view, written); !forgotten.empty() || view->moved)
    return start_anew(self, forgotten);
  if (core::find_node(*view, settings.incarnation) == nullptr) {
    st.registered = false; // somebody has struck us off
    return {core::errc::unavailable, "the node's row is gone; it registers anew"};
  }
  note_fence(self, "the database kept the renewal waiting");
  // Before the lease counts: a node that was frozen may have lost shards whose actors still run.
  for (const auto shard : compare(st, *view).lost)
    st.context->hosting.put(shard, false);
  st.context->hosting.sure_until(leased_from + settings.lease_time);
  if (st.context->hosting.sure(self->clock().now()))
    note_renewal(self);
  st.context->hosting.set_alone(view->nodes.size() == 1);
  st.dead.look(*view);
  st.lease.look(*view, settings.incarnation, settings.heartbeat_interval);
  st.next_look = core::next_look(*view, settings.incarnation, settings.heartbeat_interval);
  note_processes(self, *view);
  if (auto why = follow_plan(self, *view); why.code != core::errc::none)
    return why;
  tell(self, std::move(*view));
  return {};
}

void look(self_ptr self) {
  auto& st = self->state;
  if (st.resigned)
    return;
  const auto why = try_to_look(self);
  st.context->gauges.database_up = why.code != core::errc::unavailable;
  if (why.code == core::errc::none) {
    st.attempts = 0;
    return;
  }
  // A wrong configuration does not get better by waiting, nor a lost name.
  if (why.code == core::errc::invalid_argument || why.code == core::errc::fenced)
    return self->quit(msg::to_error(why));
  // Else not a reason to stop: epochs fence every write, and nobody else may have noticed.
  note_fence(self, why.detail);
  ++st.attempts;
  st.context->log(log_level::warning, st.ready ? "renewal_failed" : "join_failed",
                  {{"reason", why.detail}});
}

/// After a failure. One of these looks comes with the end of the lease, to say so.
core::duration pause_of_member(self_ptr self) {
  const auto& st = self->state;
  const auto& heartbeat = st.context->settings.heartbeat_interval;
  const auto left =
      std::chrono::duration_cast<core::duration>(st.context->hosting.sure_for(self->clock().now()));
  return left.count() > 0 ? std::min(heartbeat, left + core::duration{1}) : heartbeat;
}

/// Until the node is in it looks more often.
void rest(self_ptr self) {
  const auto& st = self->state;
  const auto& settings = st.context->settings;
  if (st.attempts == 0)
    self->delayed_send(self, st.next_look, renew_tick{});
  else if (st.ready)
    self->delayed_send(self, pause_of_member(self), renew_tick{});
  else
    self->delayed_send(
        self,
        core::backoff(st.attempts, settings.writer_retry_min,
                      std::min(settings.writer_retry_max, settings.heartbeat_interval)),
        renew_tick{});
}

void follow(self_ptr self, const caf::actor& follower) {
  auto& st = self->state;
  st.followers.push_back(follower);
  self->monitor(follower);
  shards_gained gained;
  for (const auto& [shard, epoch] : st.hosted)
    gained.shards.push_back(shard);
  if (!gained.shards.empty())
    self->send(follower, std::move(gained));
}

void forget(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  st.followers.erase(
      std::remove_if(st.followers.begin(), st.followers.end(),
                     [&](const caf::actor& follower) { return follower == down.source; }),
      st.followers.end());
  if (st.peer_nodes == down.source)
    st.peer_nodes = nullptr;
  if (st.shards == down.source)
    st.shards = nullptr;
}

caf::result<settled> on_resign(self_ptr self) {
  auto& st = self->state;
  st.resigned = true;
  const auto resigned = open(self).resign(st.context->settings.incarnation);
  if (!resigned)
    return msg::to_error(resigned.error());
  if (st.peer_nodes)
    self->send(st.peer_nodes, announce_change{});
  return settled{};
}

} // namespace

caf::behavior membership(caf::stateful_actor<membership_state>* self, context_ptr context,
                         std::vector<caf::actor> writers) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.writers = std::move(writers);
  self->state.next_look = self->state.context->settings.heartbeat_interval;
  for (const auto* reason : {"free", "host_gone"}) // from 0 on: an increase is seen
    self->state.context->registry->count(metrics::metric::takeovers_total, {reason});
  self->set_down_handler([=](const caf::down_msg& down) { forget(self, down); });
  self->send(self, renew_tick{});
  return {
      [=](renew_tick) {
        look(self);
        rest(self);
      },
      [=](look_now) { look(self); },
      [=](const process_gone& gone) {
        self->state.dead.add(gone.incarnation);
        look(self);
      },
      [=](const shard_doubted& doubted) {
        if (self->state.hosted.count(doubted.shard) != 0)
          lose(self, {doubted.shard});
      },
      [=](const history_doubted& doubted) { on_history_doubted(self, doubted); },
      [=](const follow_hosting& m) { follow(self, m.follower); },
      [=](const follow_cluster& m) {
        self->state.peer_nodes = m.peer_nodes;
        self->monitor(m.peer_nodes);
        look(self);
      },
      [=](const follow_processes& m) { // a follower of hosting, too, so it is monitored
        self->state.shards = m.follower;
      },
      [=](await_shards) -> caf::result<shards_hosted> {
        if (self->state.ready)
          return shards_hosted{};
        auto promise = self->make_response_promise<shards_hosted>();
        self->state.waiting.push_back(promise);
        return promise;
      },
      [=](resign) { return on_resign(self); },
  };
}

} // namespace holdfast::actors
