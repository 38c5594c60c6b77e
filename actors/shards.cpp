#include "actors/shards.hpp"

#include "actors/actor_guard.hpp"
#include "actors/workflow_creation.hpp"

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<shards_state>*;

void start_host(self_ptr self, core::shard_id shard) {
  auto& st = self->state;
  const step_links links{st.links.writers[shard % st.links.writers.size()], st.links.loader,
                         caf::actor_cast<caf::actor>(self)};
  auto host = self->spawn(shard_host, st.context, shard, links);
  self->monitor(host);
  st.hosts.put(shard, host);
}

template <class Message>
void route(self_ptr self, const core::step_id& step, Message&& m) {
  const auto& st = self->state;
  auto promise = self->make_response_promise();
  if (const auto host = st.hosts.find(core::shard_of(step, st.context->settings.shards)))
    promise.delegate(host, std::forward<Message>(m));
  else
    promise.deliver(
        msg::to_error(core::errc::unavailable, "this node does not host the step's shard now"));
}

/// Brings every step into memory that may have leases running out or events to act on. Tries until
/// the database answers: without it timers of steps that nobody asks for would not run.
void activate_steps(self_ptr self) {
  self->request(self->state.links.loader, internal_timeout, list_live_steps{})
      .then(
          [=](const msg::step_list& live) {
            auto& st = self->state;
            st.activations_failed = 0;
            for (const auto& step : live.steps)
              if (const auto host =
                      st.hosts.find(core::shard_of(step.step, st.context->settings.shards)))
                self->send(host, activate_step{step.step});
          },
          [=](const caf::error& error) {
            auto& st = self->state;
            const auto& settings = st.context->settings;
            st.context->log(log_level::warning, "activation_failed",
                            {{"reason", msg::failure_of(error).detail}});
            const auto wait = core::backoff(++st.activations_failed, settings.writer_retry_min,
                                            settings.writer_retry_max, 1.0);
            self->delayed_send(self, wait, retry_tick{st.activations_failed});
          });
}

void await_hosting(self_ptr self) {
  self->request(self->state.links.membership, delivery_timeout, await_shards{})
      .then(
          [=](const shards_hosted& hosted) {
            for (const auto shard : hosted.shards)
              start_host(self, shard);
            activate_steps(self);
          },
          [=](caf::error& error) { self->quit(std::move(error)); });
}

void on_host_down(self_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto* shard = st.hosts.ended(down.source);
  if (shard == nullptr)
    return;
  const auto verdict =
      core::judge(core::strategy::one_for_one, core::restart::permanent,
                  st.context->settings.restarts, st.history, 1, 0, true, now(self, st.context));
  st.context->log(log_level::error, "shard_down",
                  {{"shard", std::to_string(*shard)}, {"reason", caf::to_string(down.reason)}});
  if (verdict.escalate || msg::failure_of(down.reason).code == core::errc::fenced)
    self->quit(down.reason);
  else
    start_host(self, *shard);
  activate_steps(self);
}

using host_ptr = caf::stateful_actor<shard_host_state>*;

caf::actor start_step(host_ptr self, const core::step_id& step) {
  auto& st = self->state;
  const decider identity{st.shard, step, ++st.context->next_generation};
  auto actor = spawn_step(self, st.context, identity, st.links);
  self->monitor(actor);
  st.steps.put(step, actor);
  return actor;
}

template <class Message>
void to_step(host_ptr self, const core::step_id& step, Message&& m) {
  if (self->state.set_aside.count(step) != 0) {
    self->make_response_promise().deliver(
        msg::to_error(core::errc::unavailable,
                      "the step keeps crashing (the node's log says why); it is tried again soon"));
    return;
  }
  auto actor = self->state.steps.find(step);
  if (!actor)
    actor = start_step(self, step);
  self->make_response_promise().delegate(actor, std::forward<Message>(m));
}

void on_step_down(host_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  const auto* step = st.steps.ended(down.source);
  if (step == nullptr || !down.reason)
    return;
  st.context->log(log_level::error, "step_down",
                  {{"step", to_string(*step)}, {"reason", caf::to_string(down.reason)}});
  if (msg::failure_of(down.reason).code == core::errc::fenced)
    return self->quit(down.reason);
  const auto& limit = st.context->settings.restarts;
  const auto at = now(self, st.context);
  if (st.crashes[*step].admit(limit, at)) {
    start_step(self, *step);
    return;
  }
  if (!st.history.admit(limit, at))
    return self->quit(down.reason);
  st.context->log(log_level::error, "step_set_aside", {{"step", to_string(*step)}});
  st.set_aside.insert(*step);
  self->delayed_send(self, limit.within, activate_step{*step});
}

} // namespace

caf::behavior shards(caf::stateful_actor<shards_state>* self, context_ptr context,
                     shards_links links) {
  guard(self, context);
  self->state.context = std::move(context);
  self->state.links = std::move(links);
  self->set_down_handler([=](const caf::down_msg& down) { on_host_down(self, down); });
  await_hosting(self);
  return {
      [=](const retry_tick& tick) {
        if (tick.attempt == self->state.activations_failed)
          activate_steps(self);
      },
      [=](owned_ask& m) { route(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_release& m) { route(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_extend& m) { route(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_submit& m) { route(self, core::step_id{m.request.step}, std::move(m)); },
      [=](msg::add_source_data& m) { route(self, core::step_id{m.step}, std::move(m)); },
      [=](const msg::seal_step& m) { route(self, m.step, m); },
      [=](const msg::change_step& m) { route(self, m.step, m); },
      [=](const msg::change_unit& m) { route(self, m.step, m); },
      [=](apply_events& m) { route(self, core::step_id{m.step}, std::move(m)); },
      [=](add_children& m) { route(self, core::step_id{m.step}, std::move(m)); },
      [=](const upstream_changed& m) { route(self, m.step, m); },
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
  self->set_down_handler([=](const caf::down_msg& down) { on_step_down(self, down); });
  return {
      [=](owned_ask& m) { to_step(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_release& m) { to_step(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_extend& m) { to_step(self, core::step_id{m.request.step}, std::move(m)); },
      [=](owned_submit& m) { to_step(self, core::step_id{m.request.step}, std::move(m)); },
      [=](msg::add_source_data& m) { to_step(self, core::step_id{m.step}, std::move(m)); },
      [=](const msg::seal_step& m) { to_step(self, m.step, m); },
      [=](const msg::change_step& m) { to_step(self, m.step, m); },
      [=](const msg::change_unit& m) { to_step(self, m.step, m); },
      [=](apply_events& m) { to_step(self, core::step_id{m.step}, std::move(m)); },
      [=](add_children& m) { to_step(self, core::step_id{m.step}, std::move(m)); },
      [=](const upstream_changed& m) { to_step(self, m.step, m); },
      [=](const activate_step& m) {
        self->state.set_aside.erase(m.step);
        to_step(self, m.step, m);
      },
  };
}

} // namespace holdfast::actors
