#include "actors/node.hpp"

#include "actors/actor_guard.hpp"
#include "actors/api_tokens.hpp"
#include "actors/auditor.hpp"
#include "actors/consumer.hpp"
#include "actors/feed.hpp"
#include "actors/gateway.hpp"
#include "actors/intake.hpp"
#include "actors/membership.hpp"
#include "actors/node_metrics.hpp"
#include "actors/object_host.hpp"
#include "actors/owners.hpp"
#include "actors/peer_nodes.hpp"
#include "actors/profiles.hpp"
#include "actors/pruner.hpp"
#include "actors/reader.hpp"
#include "actors/readers.hpp"
#include "actors/refitter.hpp"
#include "actors/relay.hpp"
#include "actors/removal_watch.hpp"
#include "actors/rescuer.hpp"
#include "actors/shards.hpp"
#include "actors/spawn_blocking.hpp"
#include "actors/step_search.hpp"
#include "actors/supervisor.hpp"
#include "actors/webhooks.hpp"
#include "actors/writer.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <memory>

namespace holdfast::actors {

namespace {

std::string lane_name(std::uint32_t lane) { return "writer-" + std::to_string(lane); }

std::vector<caf::actor> lanes(const siblings& running, const context_ptr& context) {
  std::vector<caf::actor> writers;
  for (std::uint32_t lane = 0; lane < context->settings.writer_lanes; ++lane)
    writers.push_back(running.at(lane_name(lane)));
  return writers;
}

/// The supervision tree of one node: the whole crash policy, readable on one screen.
///
///   node (rest_for_one)      order = dependency: what stands below a failed line starts again too
///   ├─ objects               large payloads, and under it the threads that wait for their store
///   ├─ loader, reader        who reads: the one for actors, the other for the gateway, each over
///   │                        some connections
///   ├─ writer-0 …            group commit; a lost writer loses the sequence numbers of its shards,
///   ├─ membership            so the shards are taken over anew
///   ├─ refitter              looks at all judgments of a step at once, a step at a time
///   ├─ shards                one host per shard (one_for_one), under it steps, under these units
///   ├─ owners                one lease owner per contributor with a session
///   ├─ relay                 committed events to consumers
///   ├─ aggregation, completion, routing
///   ├─ feed                  the same to subscribers outside
///   ├─ webhooks              the same to receivers over HTTP and to queues, under it one
///   │                        delivery for each webhook and shard
///   ├─ profiles              makes durable what is known of contributors
///   ├─ api_tokens            makes and revokes API tokens
///   ├─ door                  where the other nodes come in
///   ├─ peer_nodes            the ways to them, and a forwarder for each client with work there
///   ├─ gateway               where everybody else comes in; opened last
///   ├─ pruner               forgets old events; nobody waits for it
///   ├─ intake                looks for tasks that producers staged by SQL
///   ├─ rescuer               looks for what should be over; the backstop of all timers
///   ├─ removal_watch         which removals of contributors have changed, wherever
///   ├─ step_search           the index of the steps that contributors may choose from
///   └─ auditor               looks now and then whether the database keeps what is promised
supervisor_spec node_tree(const context_ptr& context) {
  using core::restart;
  supervisor_spec tree{"node", core::strategy::rest_for_one, context->settings.restarts, {}};
  const auto add = [&](std::string name, auto start) {
    tree.children.push_back({std::move(name), restart::permanent, std::move(start)});
  };
  using parent_ptr = caf::event_based_actor*;
  add("objects", [=](parent_ptr p, const siblings&) { return p->spawn(object_host, context); });
  for (const auto* name : {"loader", "reader"})
    add(name, [=](parent_ptr p, const siblings&) {
      return context->settings.reader_lanes > 1 ? p->spawn(readers, context)
                                                : spawn_blocking(p, context, reader);
    });
  for (std::uint32_t lane = 0; lane < context->settings.writer_lanes; ++lane)
    add(lane_name(lane), [=](parent_ptr p, const siblings&) { return spawn_writer(p, context); });
  add("membership", [=](parent_ptr p, const siblings& s) {
    return spawn_blocking(p, context, membership, lanes(s, context));
  });
  add("refitter",
      [=](parent_ptr p, const siblings&) { return spawn_blocking(p, context, refitter); });
  add("shards", [=](parent_ptr p, const siblings& s) {
    return p->spawn(shards, context,
                    shards_links{lanes(s, context), s.at("loader"), s.at("reader"),
                                 s.at("refitter"), s.at("membership"), s.at("objects")});
  });
  add("owners",
      [=](parent_ptr p, const siblings& s) { return p->spawn(owners, context, s.at("shards")); });
  add("relay", [=](parent_ptr p, const siblings& s) {
    return p->spawn(relay, context, lanes(s, context), s.at("loader"), s.at("membership"));
  });
  for (const auto& spec : node_consumers())
    add(spec.name, [=](parent_ptr p, const siblings& s) {
      return p->spawn(consumer, context, spec, s.at("loader"), s.at("shards"), s.at("relay"));
    });
  add("feed", [=](parent_ptr p, const siblings& s) {
    return p->spawn(feed, context, s.at("relay"), s.at("reader"), s.at("membership"));
  });
  add("webhooks", [=](parent_ptr p, const siblings& s) {
    return p->spawn(webhooks, context,
                    webhooks_links{lanes(s, context), s.at("loader"), s.at("shards"), s.at("feed"),
                                   s.at("membership")});
  });
  add("profiles", [=](parent_ptr p, const siblings& s) {
    return p->spawn(profiles, context, lanes(s, context), s.at("reader"));
  });
  add("api_tokens", [=](parent_ptr p, const siblings& s) {
    return p->spawn(api_tokens, context, lanes(s, context), s.at("reader"));
  });
  const auto open_gateway = [=](parent_ptr p, const siblings& s, const caf::actor& peer_nodes,
                                const caf::actor& door) {
    return caf::actor_cast<caf::actor>(
        p->spawn(gateway, context,
                 gateway_links{s.at("membership"), s.at("owners"), s.at("shards"), s.at("reader"),
                               s.at("objects"), s.at("feed"), s.at("webhooks"), s.at("profiles"),
                               s.at("api_tokens"), peer_nodes, door}));
  };
  add("door", [=](parent_ptr p, const siblings& s) { return open_gateway(p, s, {}, {}); });
  add("peer_nodes", [=](parent_ptr p, const siblings& s) {
    return p->spawn(peer_nodes, context,
                    peer_nodes_links{s.at("membership"), s.at("shards"), s.at("door")});
  });
  add("gateway", [=](parent_ptr p, const siblings& s) {
    return open_gateway(p, s, s.at("peer_nodes"), s.at("door"));
  });
  add("pruner", [=](parent_ptr p, const siblings& s) {
    return spawn_blocking(p, context, pruner, s.at("relay"), s.at("shards"));
  });
  add("intake", [=](parent_ptr p, const siblings& s) {
    return p->spawn(intake, context, s.at("loader"), s.at("shards"));
  });
  add("rescuer", [=](parent_ptr p, const siblings& s) {
    return p->spawn(rescuer, context, s.at("loader"), s.at("shards"));
  });
  add("removal_watch", [=](parent_ptr p, const siblings& s) {
    return p->spawn(removal_watch, context, s.at("loader"), s.at("shards"));
  });
  // So late that nothing whose work would be noticed is started again with it.
  add("step_search", [=](parent_ptr p, const siblings& s) {
    if (context->settings.open_step_directory)
      return spawn_blocking(p, context, step_search, s.at("reader"), s.at("shards"),
                            s.at("membership"));
    return p->spawn(step_search, context, s.at("reader"), s.at("shards"), s.at("membership"));
  });
  const auto& settings = context->settings;
  if (settings.audit)
    add("auditor",
        [=](parent_ptr p, const siblings&) { return spawn_blocking(p, context, auditor); });
  return tree;
}

struct root_state {
  static inline const char* name = "root";

  context_ptr context;
  caf::actor tree;
  bool draining = false;
  std::uint32_t unsettled = 0;
  metrics::registration reported;
};

using root_ptr = caf::stateful_actor<root_state>*;

void end_tree(root_ptr self) { self->send_exit(self->state.tree, caf::exit_reason::user_shutdown); }

template <class Then>
void with_child(root_ptr self, const std::string& name, Then then) {
  self->request(self->state.tree, internal_timeout, find_child{name})
      .then([=](const child_found& found) { then(found.child); },
            [=](const caf::error&) { end_tree(self); }); // it is going down by itself
}

void hand_shards_back(root_ptr self) {
  with_child(self, "membership", [=](const caf::actor& membership) {
    self->request(membership, internal_timeout, resign{})
        .then([=](settled) { end_tree(self); },
              [=](const caf::error&) { end_tree(self); }); // the leases run out by themselves
  });
}

/// Waits until every writer has nothing left, then once more: what was on its way through the
/// actors while the first wait ended is in the writers by the second.
void settle_writers(root_ptr self, std::uint32_t rounds) {
  auto& st = self->state;
  if (rounds == 0)
    return hand_shards_back(self);
  st.unsettled = st.context->settings.writer_lanes;
  const auto one_done = [=] {
    if (--self->state.unsettled == 0)
      settle_writers(self, rounds - 1);
  };
  for (std::uint32_t lane = 0; lane < st.context->settings.writer_lanes; ++lane)
    with_child(self, lane_name(lane), [=](const caf::actor& writer) {
      self->request(writer, internal_timeout, settle{})
          .then([=](settled) { one_done(); }, [=](const caf::error&) { one_done(); });
    });
}

void settle_objects(root_ptr self);

/// Lets the posts of tasks that are under way come to their ends, for as long as that may take:
/// what they have done would else be done again.
void settle_pushes(root_ptr self, core::instant until) {
  constexpr std::chrono::milliseconds between_looks{50};
  const auto& context = self->state.context;
  if (*context->pushes == 0 || now(self, context) >= until)
    return settle_objects(self);
  self->delayed_send(self, between_looks, push_drain_tick{until});
}

/// What is on its way into the object store becomes durable like all else that was accepted.
void settle_objects(root_ptr self) {
  with_child(self, "objects", [=](const caf::actor& objects) {
    self->request(objects, internal_timeout, settle{})
        .then([=](settled) { settle_writers(self, 2); },
              [=](const caf::error&) { settle_writers(self, 2); });
  });
}

caf::behavior root(root_ptr self, context_ptr context) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.reported = report_node(self->state.context);
  self->state.tree = self->spawn(supervisor, self->state.context, node_tree(self->state.context));
  self->monitor(self->state.tree);
  self->set_down_handler([=](const caf::down_msg& down) {
    self->quit(self->state.draining ? caf::error{caf::exit_reason::user_shutdown} : down.reason);
  });
  self->set_exit_handler([=](const caf::exit_msg&) { end_tree(self); });
  return {
      [=](const drain&) {
        auto& st = self->state;
        if (st.draining)
          return;
        st.draining = true;
        st.context->draining = true;
        st.context->log(log_level::info, "draining", {});
        with_child(self, "gateway", [=](const caf::actor& gateway) {
          self->send(gateway, drain{});
          with_child(self, "door", [=](const caf::actor& door) {
            self->send(door, drain{});
            const auto& node = self->state.context;
            settle_pushes(self, now(self, node) + node->settings.push_drain_time);
          });
        });
      },
      [=](const push_drain_tick& tick) { settle_pushes(self, tick.until); },
  };
}

} // namespace

caf::actor spawn_node(caf::actor_system& system, node_settings settings) {
  return system.spawn(root, std::make_shared<node_context>(std::move(settings)));
}

} // namespace holdfast::actors
