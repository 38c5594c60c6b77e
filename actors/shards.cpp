#include "actors/shards.hpp"

#include "actors/actor_guard.hpp"
#include "actors/queue.hpp"
#include "actors/reads.hpp"
#include "actors/routing_messages.hpp"
#include "actors/step.hpp"
#include "actors/stored_items.hpp"
#include "actors/workflow_creation.hpp"

#include <map>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<shards_state>*;

/// The last copy of `promise` answers `settled` when all have ended.
class when_all_ended {
public:
  explicit when_all_ended(caf::response_promise promise) : promise_(std::move(promise)) {}
  when_all_ended(const when_all_ended&) = delete;
  when_all_ended& operator=(const when_all_ended&) = delete;
  ~when_all_ended() { promise_.deliver(settled{}); }

private:
  caf::response_promise promise_;
};

void start_host(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  const step_links links{st.links.writers[shard % st.links.writers.size()],
                         st.links.loader,
                         st.links.reader,
                         st.links.refitter,
                         caf::actor_cast<caf::actor>(self),
                         st.links.objects};
  auto host = self->spawn(shard_host, st.context, shard, links);
  self->monitor(host);
  st.hosts.put(shard, host);
  st.context->hosting.put(shard, true);
}

caf::actor host_of(self_ptr self, const hosted_item& item) {
  const auto& st = self->state;
  return st.hosts.find(shard_of(item, st.context->settings.shards));
}

void route(self_ptr self, routed&& m) {
  auto promise = self->make_response_promise();
  if (const auto host = host_of(self, m.item))
    promise.delegate(host, std::move(m));
  else
    promise.deliver(msg::to_error(core::errc::unavailable,
                                  "this node does not host the shard of " + to_string(m.item)));
}

/// The same, also to another node's host. Where the node hosts the shard and its host is just
/// coming back, the sender tries again: through the peer nodes it would only come here again.
template <class Message>
void route_anywhere(self_ptr self, Message& m, core::duration answer_time) {
  const auto& st = self->state;
  const auto shards = st.context->settings.shards;
  auto item = msg::place_of<Message>::item(m);
  const bool ours =
      host_of(self, item) || st.context->hosting.here(shard_of(item, shards), self->clock().now());
  if (!ours && st.peer_nodes)
    self->make_response_promise().delegate(st.peer_nodes,
                                           forward(std::move(m), shards, answer_time));
  else
    route(self, route_to(std::move(item), std::move(m)));
}

template <class Message>
void to_search(self_ptr self, Message&& m) {
  auto promise = self->make_response_promise();
  if (self->state.search)
    promise.delegate(self->state.search, std::forward<Message>(m));
  else
    promise.deliver(msg::to_error(core::errc::unavailable,
                                  "the search is not there yet; ask again in a moment"));
}

/// Of deliveries of events. Inside a node every actor answers or dies, and a delivery waits for as
/// long as the database is away; an answer from another node may be lost, and nobody says so. After
/// this time whoever delivers tries again: a second delivery finds what the first has written. It
/// is long, because while the host's database is away each try waits there beside the others.
constexpr std::chrono::minutes delivery_between_nodes{2};

/// Events of a step's own shard are delivered by the host of that shard: when it has gone from
/// here, the next host delivers them anew, and the two must not meet. Those of other shards may
/// have to travel.
void on_apply(self_ptr self, apply_events& m) {
  const auto step = m.step;
  const auto home = core::shard_of(step, self->state.context->settings.shards);
  if (!m.events.empty() && m.events.front().id.shard == home)
    route(self, route_to(step, std::move(m)));
  else
    route_anywhere(self, m, delivery_between_nodes);
}

void retry_activation(self_ptr self, const core::failure& why) {
  auto& st = self->state;
  if (st.activation_fault.met(why.detail))
    st.context->log(log_level::warning, "activation_failed", {{"reason", why.detail}});
  const auto wait = retry_pause(st.context, ++st.activations_failed);
  self->delayed_send(self, wait, retry_tick{st.activations_failed});
}

void activate_if_hosted(self_ptr self, const hosted_item& item) {
  if (const auto host = host_of(self, item))
    self->send(host, activate{item});
}

/// One after the other: together they might be more than a writer's queue holds, and of the same
/// queues always the same would be refused.
void on_staged(self_ptr self, const tasks_staged& staged) {
  constexpr core::duration apart = std::chrono::milliseconds{2};
  auto wait = core::duration::zero();
  for (const auto& queue : staged.queues)
    if (const auto host = host_of(self, hosted_item{queue})) {
      self->delayed_send(host, wait, take_in_staged{queue});
      wait += apart;
    }
}

/// Each host gets its part of what is known to be late, and looks after all the rest.
void on_look_around(self_ptr self, const look_around& m) {
  auto& st = self->state;
  std::map<core::shard_id, core::sweep_verdict> parts;
  for (const auto& item : m.overdue.late)
    parts[shard_of(item, st.context->settings.shards)].late.push_back(item);
  for (const auto& item : m.overdue.stuck)
    parts[shard_of(item, st.context->settings.shards)].stuck.push_back(item);
  st.hosts.for_each([&](core::shard_id shard, const caf::actor& host) {
    self->send(host, look_around{std::move(parts[shard])});
  });
}

/// `failed`: how many activations had failed when this one began. What has failed since may have
/// been for shards of which this one does not know.
void activate_queues(self_ptr self, std::uint32_t failed) {
  read(self, self->state.links.loader, [](persistence::store& db) { return db.list_queues(); })
      .then(
          [=](const std::vector<core::put_queue>& queues) {
            self->state.activation_fault.over();
            if (self->state.activations_failed == failed)
              self->state.activations_failed = 0;
            for (const auto& queue : queues)
              activate_if_hosted(self, queue.name);
          },
          [=](const core::failure& why) { retry_activation(self, why); });
}

/// Brings everything into memory that may have leases running out or events to act on. Tries until
/// the database answers: without it timers of what nobody asks for would not run.
void activate_all(self_ptr self) {
  const auto failed = self->state.activations_failed;
  read(self, self->state.links.loader, find_live_steps)
      .then(
          [=](const std::vector<core::step_id>& steps) {
            for (const auto& step : steps)
              activate_if_hosted(self, step);
            activate_queues(self, failed);
          },
          [=](const core::failure& why) { retry_activation(self, why); });
}

void on_gained(self_ptr self, const shards_gained& gained) {
  for (const auto shard : gained.shards)
    start_host(self, shard);
  activate_all(self);
  // What lies in them may be old, and whoever hosted them does not look any more.
  if (const auto& pruner = self->state.pruner) {
    self->send(pruner, cursors_written{{gained.shards.begin(), gained.shards.end()}});
    self->send(pruner, tasks_ended{});
  }
}

/// Answered by membership, which has told of the shards before: so their hosts are there, too, when
/// the answer is.
caf::result<shards_hosted> on_await(self_ptr self, await_shards wanted) {
  auto promise = self->make_response_promise<shards_hosted>();
  self->request(self->state.links.membership, delivery_timeout, wanted)
      .then([=](const shards_hosted& all) mutable { promise.deliver(all); },
            [=](caf::error& error) mutable { promise.deliver(std::move(error)); });
  return promise;
}

/// Answers when the hosts have ended.
void on_left(self_ptr self, const leave_shards& left) {
  auto& st = self->state;
  const auto all = std::make_shared<when_all_ended>(self->make_response_promise());
  for (const auto shard : left.shards) {
    st.context->hosting.put(shard, false);
    if (const auto host = st.hosts.find(shard)) {
      st.hosts.release(shard);
      st.leaving.emplace(host.address(), all);
      self->send_exit(host, caf::exit_reason::user_shutdown);
    }
  }
}

/// The writer has told it that another node hosts the shard now.
void on_fenced(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  st.context->hosting.put(shard, false);
  self->send(st.links.membership, shard_doubted{shard});
}

void on_host_down(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  if (st.leaving.erase(down.source) != 0)
    return;
  const auto* shard = st.hosts.ended(down.source);
  if (shard == nullptr)
    return;
  if (msg::failure_of(down.reason).code == core::errc::fenced)
    return on_fenced(self, *shard);
  const auto verdict =
      core::judge(core::strategy::one_for_one, core::restart::permanent,
                  st.context->settings.restarts, st.history, 1, 0, true, now(self, st.context));
  st.context->log(log_level::error, "shard_down",
                  {{"shard", std::to_string(*shard)}, {"reason", caf::to_string(down.reason)}});
  if (verdict.escalate)
    return self->quit(down.reason);
  start_host(self, *shard);
  activate_all(self);
}

using host_ptr = caf::stateful_actor<shard_host_state>*;

/// How long an item remembers that an id was in use elsewhere: whoever enqueues the same tasks into
/// two queues goes on for a while.
constexpr core::duration id_taken_counts = std::chrono::minutes{1};

core::instant ids_doubted_until(const shard_host_state& st, const hosted_item& item) {
  const auto ended = st.ends_by_ids.find(item);
  return ended == st.ends_by_ids.end() ? core::instant{} : ended->second.last + id_taken_counts;
}

caf::actor start_queue(host_ptr self, const decider& identity) {
  auto& st = self->state;
  auto& ties = st.ties[identity.queue()];
  if (!ties)
    ties = std::make_shared<tied_leases>();
  return spawn_queue(self, st.context, identity, st.links, ties,
                     ids_doubted_until(st, identity.item));
}

caf::actor start_item(host_ptr self, const hosted_item& item) {
  auto& st = self->state;
  const decider identity{st.shard, item, ++st.context->next_generation};
  auto actor = std::holds_alternative<core::step_id>(item)
                   ? spawn_step(self, st.context, identity, st.links)
                   : start_queue(self, identity);
  self->monitor(actor);
  st.items.put(item, actor);
  return actor;
}

void hand(host_ptr self, const hosted_item& item, caf::message&& content) {
  if (self->state.set_aside.count(item) != 0) {
    self->make_response_promise().deliver(msg::to_error(
        core::errc::unavailable, to_string(item)
                                     + " keeps crashing, or meets ids that are in use (the node's"
                                       " log says why); it is tried again soon"));
    return;
  }
  auto actor = self->state.items.find(item);
  if (!actor)
    actor = start_item(self, item);
  self->make_response_promise().delegate(actor, std::move(content));
}

/// Hands something to a queue for which nobody waits; one that is not in memory needs it not.
template <class Message>
void tell_queue(host_ptr self, const Message& m) {
  if (const auto queue = self->state.items.find(hosted_item{m.queue}))
    self->send(queue, m);
}

void tell_queues(host_ptr self, processes_changed changed) {
  self->state.items.for_each([&](const hosted_item& item, const caf::actor& actor) {
    if (std::holds_alternative<core::queue_name>(item))
      self->send(actor, changed);
  });
}

void tell_steps(host_ptr self, removals_changed changed) {
  self->state.items.for_each([&](const hosted_item& item, const caf::actor& actor) {
    if (std::holds_alternative<core::step_id>(item))
      self->send(actor, changed);
  });
}

/// Nobody waits for an answer, and it comes again: so one that is set aside is left alone.
void on_take_in(host_ptr self, const take_in_staged& m) {
  auto& st = self->state;
  const hosted_item item{m.queue};
  if (st.set_aside.count(item) != 0)
    return;
  auto queue = st.items.find(item);
  self->send(queue ? queue : start_item(self, item), m);
}

/// What is not in memory is brought there: then its timers run. What is set aside is left alone.
void on_look_around(host_ptr self, const look_around& m) {
  auto& st = self->state;
  for (const auto& item : m.overdue.late)
    if (!st.items.find(item) && st.set_aside.count(item) == 0)
      start_item(self, item);
  // Ends as by a crash, so that such ends are counted and bounded like crashes.
  for (const auto& item : m.overdue.stuck)
    if (const auto actor = st.items.find(item))
      self->send(actor, caf::exit_msg{self->address(),
                                      msg::to_error(core::errc::unavailable,
                                                    "it does not end its leases in time")});
  st.items.for_each(
      [&](const hosted_item&, const caf::actor& actor) { self->send(actor, look_again{}); });
}

/// Somebody has chosen an id that another item has, which only the database knew. No crash: it
/// would happen again at every start if it were one. The first time it is started again at once;
/// whoever goes on doing so must not keep the node busy with it.
void on_id_taken(host_ptr self, const hosted_item& item) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  auto& ends = st.ends_by_ids[item];
  ends.in_a_row = at < ends.last + id_taken_counts ? ends.in_a_row + 1 : 0;
  ends.last = at;
  if (ends.in_a_row == 0) {
    start_item(self, item);
    return;
  }
  st.set_aside.insert(item);
  self->delayed_send(self, retry_pause(st.context, ends.in_a_row), activate{item});
}

void on_item_down(host_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto* item = st.items.ended(down.source);
  if (item == nullptr)
    return;
  if (!down.reason) { // a queue that does not exist
    if (const auto* queue = std::get_if<core::queue_name>(item))
      st.ties.erase(*queue);
    return;
  }
  const auto code = msg::failure_of(down.reason).code;
  const bool id_taken = code == core::errc::already_exists;
  st.context->log(id_taken ? log_level::warning : log_level::error, "item_down",
                  {{"item", to_string(*item)}, {"reason", caf::to_string(down.reason)}});
  if (id_taken)
    return on_id_taken(self, *item);
  if (code == core::errc::fenced)
    return self->quit(down.reason);
  const auto& limit = st.context->settings.restarts;
  const auto at = now(self, st.context);
  // A full writer says nothing against the item; it waits for room as it starts.
  if (code == core::errc::overloaded || st.crashes[*item].admit(limit, at)) {
    start_item(self, *item);
    return;
  }
  if (!st.history.admit(limit, at))
    return self->quit(down.reason);
  st.context->log(log_level::error, "item_set_aside", {{"item", to_string(*item)}});
  st.set_aside.insert(*item);
  self->delayed_send(self, limit.within, activate{*item});
}

} // namespace

caf::behavior shards(caf::stateful_actor<shards_state>* self, context_ptr context,
                     shards_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.links = std::move(links);
  // What an earlier life hosted may have gone to other nodes since.
  auto& hosting = self->state.context->hosting;
  for (core::shard_id shard = 0; shard < self->state.context->settings.shards; ++shard)
    hosting.put(shard, false);
  self->set_down_handler([=](const caf::down_msg& down) { on_host_down(self, down); });
  self->send(self->state.links.membership, follow_hosting{caf::actor_cast<caf::actor>(self)});
  self->send(self->state.links.membership, follow_processes{caf::actor_cast<caf::actor>(self)});
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](routed& m) { route(self, std::move(m)); },
      [=](apply_events& m) { on_apply(self, m); },
      [=](const shards_gained& gained) { on_gained(self, gained); },
      [=](const leave_shards& left) { on_left(self, left); },
      [=](await_shards wanted) { return on_await(self, wanted); },
      [=](const forward_through& m) { self->state.peer_nodes = m.peer_nodes; },
      [=](const retry_tick& tick) {
        if (tick.attempt == self->state.activations_failed)
          activate_all(self);
      },
      [=](add_children& m) { route_anywhere(self, m, delivery_between_nodes); },
      [=](upstream_progress& m) { route_anywhere(self, m, delivery_between_nodes); },
      [=](enqueue_anywhere& m) { route_anywhere(self, m.request, internal_timeout); },
      [=](const tasks_staged& staged) { on_staged(self, staged); },
      [=](const look_around& m) { on_look_around(self, m); },
      [=](const look_for_tasks& m) {
        if (const auto host = host_of(self, hosted_item{m.queue}))
          self->send(host, m);
      },
      [=](processes_changed changed) {
        self->state.hosts.for_each(
            [&](core::shard_id, const caf::actor& host) { self->send(host, changed); });
      },
      [=](removals_changed changed) {
        self->state.hosts.for_each(
            [&](core::shard_id, const caf::actor& host) { self->send(host, changed); });
      },
      [=](const follow_steps& follow) {
        self->state.search = follow.search;
        return settled{};
      },
      [=](msg::find_steps& m) { to_search(self, std::move(m)); },
      [=](const msg::rebuild_step_index& m) { to_search(self, m); },
      [=](list_step& m) {
        if (self->state.search)
          self->send(self->state.search, std::move(m));
      },
      [=](const follow_endings& follow) { self->state.pruner = follow.pruner; },
      [=](const tasks_ended& ended) {
        if (self->state.pruner)
          self->send(self->state.pruner, ended);
      },
      [=](new_workflow& m) {
        const auto& st = self->state;
        auto creation =
            self->spawn(workflow_creation, st.context, st.links.writers, st.links.loader);
        self->make_response_promise().delegate(creation, std::move(m));
      },
  };
}

caf::behavior shard_host(caf::stateful_actor<shard_host_state>* self, context_ptr context,
                         core::shard_id shard, step_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.shard = shard;
  self->state.links = std::move(links);
  self->set_down_handler([=](const caf::down_msg& down) { on_item_down(self, down); });
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](routed& m) { hand(self, m.item, std::move(m.content)); },
      [=](const take_in_staged& m) { on_take_in(self, m); },
      [=](const look_around& m) { on_look_around(self, m); },
      [=](const look_for_tasks& m) { tell_queue(self, m); },
      [=](processes_changed changed) { tell_queues(self, changed); },
      [=](removals_changed changed) { tell_steps(self, changed); },
      [=](const activate& m) {
        self->state.set_aside.erase(m.item);
        hand(self, m.item, caf::make_message(m));
      },
  };
}

} // namespace holdfast::actors
