#include "actors/webhooks.hpp"

#include "actors/actor_guard.hpp"
#include "actors/held_promise.hpp"
#include "actors/reads.hpp"
#include "actors/webhook_delivery.hpp"
#include "core/event_circle.hpp"
#include "core/pause.hpp"
#include "documents/webhook_document.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <memory>
#include <optional>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<webhooks_state>*;

constexpr std::size_t requests_most = 100;

const caf::actor& writer_of(const webhooks_state& st, core::shard_id shard) {
  return st.links.writers[shard % st.links.writers.size()];
}

void end(const caf::actor& delivery) {
  caf::anon_send_exit(delivery, caf::exit_reason::user_shutdown);
}

// --- deliveries ---

/// A stored definition was validated when it was put, under limits that may be others by now.
core::outcome<core::webhook_definition> stored_definition(const std::string& json) {
  return documents::parse_webhook(json, {json.size() + 1, 1000});
}

void start_delivery(self_ptr self, const persistence::stored_webhook& webhook,
                    const core::webhook_definition& definition, core::shard_id shard) {
  auto& st = self->state;
  const auto actor = self->spawn(webhook_delivery, st.context,
                                 delivery_links{shard, webhook, definition, writer_of(st, shard),
                                                st.links.loader, st.links.shards, st.links.feed});
  self->monitor(actor);
  st.deliveries[{webhook.id, shard}] = {actor, webhook.revision};
}

/// A delivery has ended by itself.
void on_delivery_down(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto ended = std::find_if(st.deliveries.begin(), st.deliveries.end(), [&](const auto& one) {
    return one.second.actor.address() == down.source;
  });
  if (ended == st.deliveries.end())
    return;
  const auto where = ended->first;
  const auto revision = ended->second.revision;
  st.deliveries.erase(ended);
  const log_fields place{{"webhook", to_string(where.first)},
                         {"shard", std::to_string(where.second)},
                         {"reason", msg::failure_of(down.reason).detail}};
  st.context->log(log_level::error, "webhook_down", place);
  const auto& limit = st.context->settings.restarts;
  const auto at = now(self, st.context);
  auto& trouble = st.troubles[where];
  trouble.revision = revision;
  // A full writer says nothing against the webhook.
  if (msg::failure_of(down.reason).code == core::errc::overloaded
      || trouble.crashes.admit(limit, at))
    return;
  trouble.left_alone_until = at + limit.within;
  st.context->log(log_level::error, "webhook_set_aside", place);
}

bool left_alone(const webhooks_state& st, const webhooks_state::place& where,
                std::uint64_t revision, core::instant at) {
  const auto found = st.troubles.find(where);
  return found != st.troubles.end() && found->second.revision == revision
         && core::is_under_way(found->second.left_alone_until, st.context->settings.restarts.within,
                               at);
}

/// Runs what there is to deliver here, and nothing else.
void follow(self_ptr self) {
  auto& st = self->state;
  std::map<core::webhook_id, const persistence::stored_webhook*> wanted;
  for (const auto& webhook : st.known)
    wanted[webhook.id] = &webhook;
  for (auto at = st.deliveries.begin(); at != st.deliveries.end();) {
    const auto& [place, delivery] = *at;
    const auto webhook = wanted.find(place.first);
    if (webhook != wanted.end() && webhook->second->revision == delivery.revision
        && st.hosted.count(place.second) != 0) {
      ++at;
    } else {
      end(delivery.actor);
      at = st.deliveries.erase(at);
    }
  }
  for (auto at = st.unreadable.begin(); at != st.unreadable.end();)
    at = wanted.count(at->first) != 0 ? std::next(at) : st.unreadable.erase(at);
  for (auto at = st.troubles.begin(); at != st.troubles.end();)
    if (const auto& [webhook, shard] = at->first;
        wanted.count(webhook) != 0 && st.hosted.count(shard) != 0)
      ++at;
    else
      at = st.troubles.erase(at);
  for (const auto& webhook : st.known) {
    const auto definition = stored_definition(webhook.definition);
    if (!definition) { // damaged, or of a newer version, which a rolling upgrade may bring first
      if (st.unreadable[webhook.id].met(definition.error().detail))
        st.context->log(log_level::error, "webhook_unreadable",
                        {{"webhook", webhook.name}, {"reason", definition.error().detail}});
      continue;
    }
    st.unreadable.erase(webhook.id);
    if (!definition->tasks && !st.context->settings.webhooks)
      continue;
    for (const auto shard : st.hosted)
      if (st.deliveries.count({webhook.id, shard}) == 0
          && !left_alone(st, {webhook.id, shard}, webhook.revision, now(self, st.context)))
        start_delivery(self, webhook, *definition, shard);
  }
}

void look(self_ptr self) {
  auto& st = self->state;
  if (!st.looks.begin())
    return;
  st.looks.ask(
      self, st.links.loader, [](persistence::store& db) { return db.list_webhooks(); },
      [=](std::vector<persistence::stored_webhook>& webhooks) {
        self->state.looks.end(self);
        self->state.known = std::move(webhooks);
        follow(self);
      });
}

void on_left(self_ptr self, const leave_shards& left) {
  for (const auto shard : left.shards)
    self->state.hosted.erase(shard);
  follow(self);
}

// --- requests ---

void next_request(self_ptr self) {
  auto& requests = self->state.requests;
  requests.pop_front();
  if (!requests.empty())
    requests.front()();
}

/// Runs `request` when those before it are done; it must end with `next_request`.
void in_turn(self_ptr self, const held_promise& promise, std::function<void()> request) {
  auto& requests = self->state.requests;
  if (requests.size() >= requests_most)
    return promise.deliver(
        msg::to_error(core::errc::overloaded, std::to_string(requests.size())
                                                  + " changes of webhooks are waiting already"));
  requests.push_back(std::move(request));
  if (requests.size() == 1)
    requests.front()();
}

std::optional<core::known_webhook> find(const std::vector<persistence::stored_webhook>& among,
                                        const std::string& name) {
  for (const auto& one : among)
    if (one.name == name)
      return core::known_webhook{one.id, one.definition, one.paused, one.revision};
  return std::nullopt;
}

void refuse_request(self_ptr self, const held_promise& promise, const core::failure& why) {
  promise.deliver(msg::to_error(why));
  next_request(self);
}

/// Has one change written, and is gone. The writer takes nothing more from whom it has refused
/// once, and nothing here was decided from memory that is ahead of the database now.
caf::behavior single_writer(caf::event_based_actor* self, const context_ptr& context,
                            const caf::actor& writer) {
  guard(self, context);
  struct under_way {
    held_promise promise;
    rows_under_way rows;
  };
  const auto one = std::make_shared<std::optional<under_way>>();
  return {
      [=](write_request& request) {
        one->emplace(under_way{held_promise{self->make_response_promise()},
                               {context, core::weight(request.changes)}});
        self->send(writer, std::move(request));
      },
      [=](const write_done& done) {
        (*one)->promise.deliver(done);
        self->quit();
      },
  };
}

void carry_out(self_ptr self, const std::string& name, const held_promise& promise,
               core::decision<std::uint64_t>& decided) {
  auto& st = self->state;
  if (decided.refusal != core::errc::none)
    return refuse_request(self, promise, {decided.refusal, decided.detail});
  const auto shard = core::shard_of(name, st.context->settings.shards);
  self->request(self->spawn(single_writer, st.context, writer_of(st, shard)), caf::infinite,
                write_request{decider{shard, {}, 1}, 1, promise.noted(std::move(decided.changes))})
      .then(
          [=, revision = decided.answer](const write_done& done) {
            if (done.failure.code != core::errc::none)
              return refuse_request(self, promise, done.failure);
            promise.deliver(msg::webhook_saved{name, revision});
            look(self);
            next_request(self);
          },
          [=](const caf::error& error) { refuse_request(self, promise, msg::failure_of(error)); });
}

/// Decides with what is in the database now.
void decide(self_ptr self, const std::string& name, const held_promise& promise,
            const std::function<core::decision<std::uint64_t>(
                const std::vector<persistence::stored_webhook>&)>& how) {
  read(self, self->state.links.loader, [](persistence::store& db) { return db.list_webhooks(); })
      .then(
          [=](const std::vector<persistence::stored_webhook>& webhooks) {
            auto decided = how(webhooks);
            carry_out(self, name, promise, decided);
          },
          [=](const core::failure& why) { refuse_request(self, promise, why); });
}

/// Of the webhooks but `name`; of those that can be read.
std::vector<core::webhook_definition>
definitions_beside(const std::string& name, const std::vector<persistence::stored_webhook>& all) {
  std::vector<core::webhook_definition> others;
  for (const auto& one : all)
    if (one.name != name)
      if (auto definition = stored_definition(one.definition))
        others.push_back(std::move(*definition));
  return others;
}

void put(self_ptr self, const msg::put_webhook& m, const held_promise& promise,
         const core::webhook_definition& definition) {
  decide(self, m.name, promise, [=](const std::vector<persistence::stored_webhook>& all) {
    auto& st = self->state;
    if (auto why = core::check_circle(definition, definitions_beside(m.name, all));
        why.code != core::errc::none) {
      core::decision<std::uint64_t> refused;
      refused.refusal = why.code;
      refused.detail = std::move(why.detail);
      return refused;
    }
    const auto at = now(self, st.context);
    return core::decide_put(find(all, m.name), {st.ids.next(at)}, m.name, m.definition,
                            definition.start, all.size(), at);
  });
}

void on_put(self_ptr self, const msg::put_webhook& m) {
  const held_promise promise{self->make_response_promise()};
  const auto definition =
      documents::parse_webhook(m.definition, self->state.context->settings.json);
  if (!definition)
    return promise.deliver(msg::to_error(definition.error()));
  in_turn(self, promise, [=, wanted = *definition] {
    if (!wanted.workflow)
      return put(self, m, promise, wanted);
    read(
        self, self->state.links.loader,
        [workflow = wanted.workflow](persistence::store& db) { return db.load_workflow(workflow); })
        .then([=](const persistence::stored_workflow&) { put(self, m, promise, wanted); },
              [=](const core::failure& why) { refuse_request(self, promise, why); });
  });
}

void on_change(self_ptr self, const msg::change_webhook& m) {
  const held_promise promise{self->make_response_promise()};
  in_turn(self, promise, [=] {
    decide(self, m.name, promise, [=](const std::vector<persistence::stored_webhook>& all) {
      return core::decide_change(find(all, m.name), m.name, static_cast<core::webhook_verb>(m.verb),
                                 now(self, self->state.context));
    });
  });
}

/// Hands it to the delivery of that shard, which has what is delivered in hand.
void on_replay(self_ptr self, const msg::replay_webhook& m) {
  auto& st = self->state;
  const held_promise promise{self->make_response_promise()};
  const auto webhook = find(st.known, m.name);
  if (!webhook)
    return promise.deliver(msg::to_error(core::errc::not_found, "there is no webhook " + m.name));
  const auto found = st.deliveries.find({webhook->id, m.shard});
  if (found == st.deliveries.end())
    return promise.deliver(msg::to_error(core::errc::unavailable,
                                         "this node does not deliver the shard any more, or not"
                                         " yet"));
  promise.delegate_noted(found->second.actor, m);
}

} // namespace

webhooks_state::~webhooks_state() {
  for (const auto& [where, running] : deliveries)
    end(running.actor);
}

caf::behavior webhooks(caf::stateful_actor<webhooks_state>* self, context_ptr context,
                       webhooks_links links) {
  guard(self, context);
  auto& st = self->state;
  st.ids = core::uuid_source{context->take_seed()};
  st.context = std::move(context);
  st.links = std::move(links);
  self->send(st.links.membership, follow_hosting{caf::actor_cast<caf::actor>(self)});
  self->set_down_handler([=](const caf::down_msg& down) { on_delivery_down(self, down); });
  st.looks = {st.context, st.context->settings.webhooks_look_interval, "webhooks_not_read"};
  look(self);
  return {
      [=](upkeep_tick) {
        self->state.looks.rang();
        look(self);
      },
      [=](const shards_gained& gained) {
        self->state.hosted.insert(gained.shards.begin(), gained.shards.end());
        follow(self);
      },
      [=](const leave_shards& left) {
        on_left(self, left);
        return settled{};
      },
      [=](const msg::put_webhook& m) { on_put(self, m); },
      [=](const msg::change_webhook& m) { on_change(self, m); },
      [=](const msg::replay_webhook& m) { on_replay(self, m); },
      with_notes(self),
  };
}

} // namespace holdfast::actors
