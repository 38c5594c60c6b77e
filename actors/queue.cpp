#include "actors/queue.hpp"

#include "actors/actor_guard.hpp"
#include "actors/metrics_source.hpp"
#include "actors/payload_bytes.hpp"
#include "actors/queue_state.hpp"
#include "core/pause.hpp"
#include "documents/queue_document.hpp"

#include <algorithm>
#include <type_traits>

namespace holdfast::actors {

namespace {

/// How long what has ended is remembered, so that a request repeated soon after needs no look into
/// the database. `fresh_for` in queue_producers.cpp stands on it.
constexpr core::duration remembered_for = std::chrono::seconds{15};

/// Whether the queue exists; else the request is answered.
bool exists(queue_ptr self, const asked& from) {
  auto& st = self->state;
  if (st.queue.revision != 0)
    return true;
  fail(from.promise, core::errc::not_found,
       "no queue " + st.queue.name + "; make it with put_queue");
  self->quit(); // names that somebody made up must not fill the memory
  return false;
}

/// What the queue decides about one message is one change: a task that somebody waits for is made
/// and leased by the same commit.
template <class Decide>
void as_one_change(queue_ptr self, Decide decide) {
  auto& st = self->state;
  st.pending.write_as_one(self, st.links.writer, st.identity, std::move(decide));
}

/// The request that a message is, or that it carries inside the node.
template <class Message>
struct requested {
  using type = Message;
};
template <>
struct requested<distant_claim> {
  using type = msg::claim_tasks;
};
template <>
struct requested<give_back_pushed> {
  using type = msg::release_task;
};

/// Extensions do not wait in line: a lease must not run out because a payload that its worker hands
/// in, or another one, is still being stored.
template <class Message>
constexpr bool waits_in_line = !std::is_same_v<std::remove_const_t<Message>, msg::extend_tasks>;

/// Hands a request to whoever decides about it: at once, or in its caller's turn; while the queue
/// is loading, it is put off.
template <class Message, class Handler>
void receive(queue_ptr self, Message& m, Handler decide) {
  auto& st = self->state;
  const auto caller = caf::actor_cast<caf::actor>(self->current_sender());
  const asked from{held_promise{self->make_response_promise()}, caller};
  if (st.damage.code != core::errc::none) {
    if constexpr (std::is_same_v<std::remove_const_t<Message>, msg::put_queue>)
      put_over_damage(self, from, m);
    else
      from.promise.deliver(msg::to_error(st.damage));
  } else if (is_being_removed(self, from.promise)) {
    return;
  } else if (!st.loaded) {
    if (st.stashed.size() >= st.context->settings.batching.high_water)
      return fail(from.promise, core::errc::overloaded, "the queue is still loading");
    st.stashed.push_back([=, promise = from.promise, m = std::move(m)]() mutable {
      promise.delegate_noted(caf::actor_cast<caf::actor>(self), std::move(m));
    });
  } else if (const auto why = room_for<typename requested<Message>::type>(*st.context);
             why.code != core::errc::none) {
    from.promise.deliver(msg::to_error(why));
  } else if (waits_in_line<Message> && st.lines.must_wait(caller)) {
    const auto bytes = payload_bytes(m);
    wait_in_line(self, from, bytes, [=, m = std::move(m)]() mutable {
      if (!is_being_removed(self, from.promise))
        decide(self, from, m);
    });
  } else {
    as_one_change(self, [&] { decide(self, from, m); });
  }
}

/// The same for what only a queue that exists can do.
template <class Message>
auto of_queue(queue_ptr self, void (*decide)(queue_ptr, const asked&, Message&)) {
  return [=](std::remove_const_t<Message>& m) {
    receive(self, m, [=](queue_ptr, const asked& from, Message& request) {
      if (exists(self, from))
        decide(self, from, request);
    });
  };
}

/// Lets the pruner know, now and then, that there is something to forget one day.
void tell_of_endings(queue_ptr self, core::instant at) {
  auto& st = self->state;
  const auto pause = st.context->settings.events_prune_interval;
  if (core::is_under_way(st.told_of_endings + pause, pause, at))
    return;
  st.told_of_endings = at;
  self->send(st.links.shards, tasks_ended{});
}

/// Answers the leases that end with these changes and were to end with a connection.
std::vector<tied_lease> remember_endings(queue_ptr self, const core::change& changes) {
  auto& st = self->state;
  std::vector<tied_lease> untied;
  const auto at = time(self);
  // Tasks that ended by a clock that was set back since count as ended now: else they, and all
  // after them, would be remembered for as long as the clock stood ahead.
  auto& order = st.finished_order;
  for (auto each = order.rbegin(); each != order.rend() && each->first > at; ++each)
    each->first = at;
  while (!order.empty() && order.front().first + remembered_for < at) {
    st.recently_finished.erase(order.front().second);
    order.pop_front();
  }
  for (const auto& write : changes.writes) {
    // An extension that waits must not be written after its lease has ended or moved on.
    if (const auto* over = std::get_if<core::end_task_lease>(&write)) {
      st.extending.erase(over->task);
      unbind_lease(self, over->task, untied);
    } else if (const auto* extended = std::get_if<core::extend_task_lease>(&write))
      st.extending.erase(extended->task);
    else if (const auto* gone = std::get_if<core::finish_task>(&write)) {
      st.extending.erase(gone->task);
      unbind_lease(self, gone->task, untied);
      st.recently_finished[gone->task] = {gone->token, gone->ending};
      order.emplace_back(at, gone->task);
      tell_of_endings(self, at);
      if (st.reads > 0)
        st.ended_since.insert(gone->task);
    } else if (const auto* back = std::get_if<core::revive_task>(&write))
      st.recently_finished.erase(back->task);
    else if (std::holds_alternative<core::refuse_staged>(write)
             || std::holds_alternative<core::delete_queue>(write))
      tell_of_endings(self, at);
  }
  return untied;
}

void on_put(queue_ptr self, const asked& from, msg::put_queue& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  auto policy = documents::parse_queue_policy(request.policy, st.context->settings.json);
  if (!policy)
    return promise.deliver(msg::to_error(policy.error()));
  for (const auto& warning : core::warnings_of(*policy))
    st.context->log(log_level::warning, "queue_policy_doubtful",
                    {{"queue", st.queue.name}, {"place", warning.place}, {"what", warning.what}});
  auto decided = core::decide(
      st.queue, core::set_policy{std::move(*policy), std::move(request.policy)}, time(self));
  carry_out(self, promise.noted(std::move(decided.changes)),
            [=, view = view_of(st.queue), now_holds = st.queue.policy](const core::failure& why) {
              if (why.code != core::errc::none)
                return promise.deliver(msg::to_error(why));
              promise.deliver(view);
              push_by(self, now_holds);
            });
  look_after(self);
}

void on_pause(queue_ptr self, const asked& from, msg::pause_queue& request) {
  auto& st = self->state;
  auto decided = core::decide(st.queue, core::pause_queue{request.paused, std::move(request.type)},
                              time(self));
  carry_out(self, std::move(decided.changes), from.promise, view_of(st.queue));
  look_after(self);
}

/// Does what is due, if the writers have room for it.
void on_due(queue_ptr self) {
  auto& st = self->state;
  st.timer_at = core::instant::max();
  if (writers_are_busy(*st.context))
    return look_after(self);
  auto decided = core::decide(st.queue, core::expire_tasks{[&](const core::task_id& task) {
                                return connection_of(self, task) != nullptr;
                              }},
                              time(self));
  if (!decided.changes.empty())
    carry_out_losing(self, std::move(decided.changes), decided.answer, [](const core::failure&) {});
  look_after(self);
}

void on_tick(queue_ptr self, const queue_tick& tick) {
  if (tick.at == self->state.timer_at)
    on_due(self);
}

/// One whose timer is not due yet is left to it: a second one would only be void.
void on_look_again(queue_ptr self) {
  auto& st = self->state;
  if (st.damage.code != core::errc::none) // somebody may have mended it
    return load(self);
  if (!st.loaded)
    return;
  on_processes(self);
  look_after_pusher(self);
  const auto at = time(self);
  if (core::heed_clock(st.queue, at) || st.timer_at <= at)
    on_due(self);
  else
    look_after(self);
  serve(self, serving::as_backstop);
}

caf::behavior queue_actor(queue_ptr self, context_ptr context, decider identity, step_links links,
                          std::shared_ptr<tied_leases> ties, core::instant looks_all_up_until) {
  guard(self, context);
  auto& st = self->state;
  st.context = std::move(context);
  st.queue.name = identity.queue();
  st.identity = std::move(identity);
  st.links = std::move(links);
  st.ties = std::move(ties);
  st.looks_all_up_until = looks_all_up_until;
  st.reported = report_metrics(self, st.context);
  self->set_down_handler([=](const caf::down_msg& down) {
    if (!on_pusher_down(self, down))
      on_connection_down(self, down);
  });
  // A barrier: whatever an earlier life of this queue has decided is settled before this one reads.
  st.pending.write(self, st.context, st.links.writer, st.identity, {},
                   [=](const core::failure& why) {
                     if (why.code == core::errc::none)
                       load(self);
                   });
  return {
      // In the order in which CAF compares: what comes often is found first.
      [=](const write_done& done) {
        auto& state = self->state;
        if (!state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
        else if (state.gone && state.pending.empty())
          self->quit();
      },
      of_queue(self, on_claim),
      of_queue(self, on_distant_claim),
      of_queue(self, on_complete),
      of_queue(self, on_enqueue),
      of_queue(self, on_extend),
      [=](const queue_tick& tick) { as_one_change(self, [=] { on_tick(self, tick); }); },
      [=](msg::put_queue& m) { receive(self, m, on_put); },
      [=](msg::remove_queue& m) { receive(self, m, on_remove_queue); },
      of_queue(self, on_pause),
      of_queue(self, on_enqueue_envelopes),
      of_queue(self, on_save),
      of_queue(self, on_save_in_order),
      of_queue(self, on_release),
      of_queue(self, on_follow),
      of_queue(self, on_fail),
      of_queue(self, on_eject),
      of_queue(self, on_explain),
      of_queue(self, on_await_task),
      of_queue(self, on_metrics),
      of_queue(self, on_change),
      of_queue(self, on_redrive),
      of_queue(self, on_start_action),
      of_queue(self, on_stop_action),
      [=](action_tick) { go_on_with_actions(self); },
      of_queue(self, on_put_schedule),
      of_queue(self, on_remove_schedule),
      of_queue(self, on_list_schedules),
      of_queue(self, on_preview_schedule),
      of_queue(self, on_run_schedule),
      of_queue(self, on_give_back),
      [=](const retry_tick& tick) {
        if (tick.attempt == self->state.load_attempts)
          load(self);
      },
      [=](look_again) { on_look_again(self); },
      [=](const read_metrics& reading) { on_read_metrics(self, reading); },
      [=](const look_for_tasks& m) { on_look_for(self, m); },
      [=](processes_changed) {
        if (self->state.loaded)
          on_processes(self);
      },
      [=](const take_in_staged&) { on_take_in(self); },
      [=](extension_tick) { on_extension_tick(self); },
      with_notes(self),
      // Started by its shard's host with the sending of this message.
      [](const activate&) {},
  };
}

} // namespace

core::instant time(queue_ptr self) { return now(self, self->state.context); }

void fail(const held_promise& promise, core::errc code, std::string detail) {
  promise.deliver(msg::to_error(code, std::move(detail)));
}

void carry_out(queue_ptr self, core::change changes,
               std::function<void(const core::failure&)> effect) {
  auto& st = self->state;
  if (changes.empty())
    return st.pending.answer(self, st.context, st.identity.shard, std::move(effect));
  if (auto untied = remember_endings(self, changes); !untied.empty())
    effect = [=, untied = std::move(untied), effect = std::move(effect)](const core::failure& why) {
      if (why.code == core::errc::none)
        forget_leases(self, untied);
      effect(why);
    };
  if (auto waits = waits_ended_by(self, changes); !waits.empty())
    effect = [=, waits = std::move(waits), effect = std::move(effect)](const core::failure& why) {
      effect(why);
      if (why.code == core::errc::none)
        tell_ended(self, waits);
    };
  st.meter.count(changes, time(self));
  st.pending.write(self, st.context, st.links.writer, st.identity, std::move(changes),
                   std::move(effect));
}

void refuse(queue_ptr self, const held_promise& promise, core::failure refusal) {
  carry_out(self, {}, [promise, refusal = std::move(refusal)](const core::failure& why) {
    promise.deliver(msg::to_error(why.code == core::errc::none ? refusal : why));
  });
}

bool is_being_removed(queue_ptr self, const held_promise& promise) {
  const auto& q = self->state.queue;
  if (q.removed)
    fail(promise, core::errc::unavailable, "queue " + q.name + " is being removed; ask again");
  return q.removed;
}

void carry_out_losing(queue_ptr self, core::change changes,
                      const std::vector<core::lost_lease>& lost,
                      std::function<void(const core::failure&)> effect) {
  auto told = losses_by_connection(self, lost); // what has ended is bound to none
  carry_out(self, std::move(changes),
            [=, told = std::move(told), effect = std::move(effect)](const core::failure& why) {
              if (why.code == core::errc::none)
                for (const auto& [client, losses] : told)
                  self->send(client, losses);
              effect(why);
            });
}

/// When there is something to do again, if nobody asks for anything before.
static core::instant next_due(queue_ptr self, core::instant at) {
  const auto& st = self->state;
  if (writers_are_busy(*st.context))
    return at + st.context->settings.writer_retry_min;
  // Without anybody who waits, only the ends of leases matter.
  const auto next =
      st.waiting.empty()
          ? (st.queue.expiries.empty() ? core::instant::max() : st.queue.expiries.begin()->first)
          : std::min(core::next_wake(st.queue, at), st.waiting_until.begin()->first);
  return std::min({next, next_schedule(self), next_wait_end(self)});
}

void look_after(queue_ptr self) {
  run_schedules(self);
  serve(self);
  end_long_waits(self);
  auto& st = self->state;
  const auto at = time(self);
  const auto next = next_due(self, at);
  if (next >= st.timer_at)
    return;
  st.timer_at = next;
  self->delayed_send(self, std::max(core::duration::zero(), next - at), queue_tick{next});
}

caf::actor spawn_queue(caf::event_based_actor* parent, context_ptr context, decider identity,
                       step_links links, std::shared_ptr<tied_leases> ties,
                       core::instant looks_all_up_until) {
  return parent->spawn(queue_actor, std::move(context), std::move(identity), std::move(links),
                       std::move(ties), looks_all_up_until);
}

} // namespace holdfast::actors
