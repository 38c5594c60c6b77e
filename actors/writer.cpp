#include "actors/writer.hpp"

#include "actors/actor_guard.hpp"
#include "actors/writer_answers.hpp"
#include "actors/writer_batches.hpp"
#include "actors/writer_outcomes.hpp"
#include "core/backoff.hpp"
#include "core/batching.hpp"

#include <sys/prctl.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

namespace holdfast::actors {

namespace writing {

namespace {

/// How late the system may wake a thread that sleeps by the clock.
constexpr unsigned long timer_slack_ns = 1000;

void arm_flush(self_ptr self) {
  auto& st = self->state;
  if (!st.flush_armed && !(st.queue.empty() && !st.next && st.durable.empty())) {
    st.flush_armed = true;
    self->send(self, flush_tick{});
  }
}

/// Works through the ranges until they are done or the database does not answer.
void commit(self_ptr self) {
  auto& st = self->state;
  if (!st.store)
    st.store = st.context->settings.open_store();
  while (!st.ranges.empty()) {
    if (!st.batch_built) {
      drop_void(self);
      if (st.ranges.empty())
        break;
      st.batch = build(st, st.selected, st.ranges.back(), nullptr);
      st.batch_built = true;
    }
    if (const auto& tracer = st.context->settings.tracer; tracer && st.attempt == 0)
      st.traced_since = tracer->now();
    const auto began = self->clock().now();
    auto result = st.store->commit_while(st.batch, [=] {
      tell_durable(self);
      prepare_next(self->state);
    });
    note_doubt(st, result);
    st.context->gauges.database_up = result.status != persistence::commit_status::unavailable
                                     && result.status != persistence::commit_status::in_doubt;
    if (result.status != persistence::commit_status::committed)
      abandon_next(st);
    switch (result.status) {
    case persistence::commit_status::committed:
      st.batch_built = false;
      st.attempt = 0;
      st.took = std::chrono::duration_cast<core::duration>(self->clock().now() - began);
      on_committed(self);
      break;
    case persistence::commit_status::refused:
      unbuild(st);
      st.attempt = 0;
      on_refused(self, result);
      break;
    case persistence::commit_status::fenced:
      st.attempt = 0;
      on_fenced(self, result.fenced);
      break;
    case persistence::commit_status::history_lost:
      st.attempt = 0;
      on_history_lost(self, result);
      break;
    case persistence::commit_status::unavailable:
    case persistence::commit_status::in_doubt: {
      ++st.attempt;
      const auto& settings = st.context->settings;
      const auto wait = core::full_jitter(st.attempt, settings.writer_retry_min,
                                          settings.writer_retry_max, st.random());
      st.context->log(log_level::warning, "commit_unresolved",
                      {{"attempt", std::to_string(st.attempt)}, {"reason", result.reason}});
      self->delayed_send(self, wait, retry_tick{++st.attempt_number});
      return;
    }
    }
  }
  arm_flush(self);
}

/// Has it looked after `pause` who has come by then. Where that is often, the writer's thread, if
/// it has one of its own, sleeps by the clock: a thread that waits for messages is woken by the
/// first, waits again some microseconds later, and each who sends one pays for waking it.
void look_again_in(self_ptr self, core::duration pause) {
  auto& st = self->state;
  const held_up_tick tick{st.holds};
  if (!st.context->settings.blocking_store || !st.rejoining.looks_often())
    return self->delayed_send(self, pause, tick);
  ::prctl(PR_SET_TIMERSLACK, timer_slack_ns, 0UL, 0UL, 0UL); // 50 us otherwise
  std::this_thread::sleep_for(pause);
  self->send(self, tick); // behind those who have come
}

/// Whether the next commit waits for those whom the last one has answered. They are told at once
/// then: their next requests are what it waits for.
bool hold_up(self_ptr self) {
  auto& st = self->state;
  const auto took = std::exchange(st.took, std::nullopt);
  if (!took || st.next || !st.ranges.empty())
    return false;
  const auto pause = st.rejoining.begin(st.durable.size(), st.queue.size(), *took);
  if (pause <= core::duration::zero())
    return false;
  st.flush_armed = false;
  tell_durable(self);
  tell_settled(self);
  ++st.holds;
  st.held_since = self->clock().now();
  look_again_in(self, pause);
  return true;
}

/// The commit is held up: looks for those whom it waits for.
void look_out(self_ptr self, const held_up_tick& tick) {
  auto& st = self->state;
  if (tick.number != st.holds || !st.rejoining.holds(st.queue.size()))
    return; // enough have come, and the flush is armed
  const auto passed =
      std::chrono::duration_cast<core::duration>(self->clock().now() - st.held_since);
  if (const auto more = st.rejoining.go_on(st.queue.size(), passed); more > core::duration::zero())
    return look_again_in(self, more);
  st.rejoining.end(st.queue.size());
  arm_flush(self);
}

/// Commits what has gathered. What came while the last commit was under way has been read by now.
void flush(self_ptr self) {
  auto& st = self->state;
  st.flush_armed = false;
  if (!st.ranges.empty())
    return; // a retry is under way and will go on with the queue
  st.rejoining.end(st.queue.size());
  take_up(st);
  if (st.ranges.empty())
    tell_durable(self);
  else
    commit(self);
  tell_settled(self);
}

/// Whether the change may be queued; notes the epoch under which it was decided.
core::failure admit(self_ptr self, const decider& from, queued_change& change) {
  auto& st = self->state;
  const auto ended = st.ended_lives.find(from.shard);
  const bool is_nobody = from.item == hosted_item{}; // decides from no state of its own
  if (!is_nobody && ended != st.ended_lives.end() && from.generation <= ended->second)
    return {core::errc::fenced, "decided before the shard was given up"};
  auto& generation = st.generations[from.item];
  if (from.generation < generation)
    return {core::errc::unavailable, "the step has been started again meanwhile"};
  generation = from.generation;
  const auto fence = st.fences.find(change.shard);
  if (fence == st.fences.end())
    return {core::errc::fenced, "this node does not host the shard"};
  change.epoch = fence->second.epoch;
  if (auto why = why_void(st, change); why.code != core::errc::none)
    return why;
  // The queued changes count: one change alone is always taken, whatever its size. A barrier
  // needs no room; an actor that starts again because it was refused waits behind it for the rest.
  if (change.weight > 0
      && st.queued_weight - change.weight > 4 * st.context->settings.batching.high_water)
    return {core::errc::overloaded, "the writer's queue is full"};
  return {};
}

void enqueue(self_ptr self, write_request& request) {
  auto& st = self->state;
  queued_change change{request.from.shard,
                       0,
                       request.ticket,
                       std::move(request.changes),
                       self->current_sender(),
                       0,
                       request.alone,
                       {},
                       {}};
  change.weight = core::weight(change.changes);
  st.queued_weight += change.weight;
  if (const auto why = admit(self, request.from, change); why.code != core::errc::none) {
    tell_durable(self); // every sender is answered in the order of its changes
    if (why.code == core::errc::overloaded)
      refuse(self, change, why, request.from.item == hosted_item{}); // as `admit` knows nobody
    else
      answer(self, change, why);
    return;
  }
  change.item = std::move(request.from.item);
  st.queue.push_back(std::move(change));
  // While a batch waits for its outcome, `commit` arms the next flush.
  if (st.ranges.empty() && !st.rejoining.holds(st.queue.size()))
    arm_flush(self);
}

caf::result<settled> when_settled(self_ptr self, const std::vector<core::shard_id>& shards) {
  auto& st = self->state;
  auto promise = self->make_response_promise<settled>();
  st.shards_settling.push_back({{shards.begin(), shards.end()}, promise});
  tell_shards_settled(st);
  return promise;
}

/// What is under way of them stays until its outcome is known; the rest is void.
caf::result<settled> abandon(self_ptr self, const std::vector<core::shard_id>& shards) {
  auto& st = self->state;
  for (const auto shard : shards) {
    st.fences.erase(shard);
    st.ended_lives[shard] = st.context->next_generation;
  }
  st.adopted_anew = true;
  if (st.ranges.empty())
    arm_flush(self);
  return when_settled(self, shards);
}

caf::behavior writer(self_ptr self, context_ptr context) {
  guard(self, context);
  self->state.random.seed(context->take_seed());
  const auto& limits = context->settings.batching;
  self->state.rejoining = {limits.batch_max / 2, limits.rejoin_max};
  self->state.context = std::move(context);
  auto& registry = *self->state.context->registry;
  self->state.counted.emplace(self->state.context->registry);
  self->state.commit_seconds = &registry.distribute(metrics::metric::commit_seconds);
  self->state.commit_changes = &registry.distribute(metrics::metric::commit_changes);
  self->set_down_handler(
      [=](const caf::down_msg& down) { self->state.refused_senders.erase(down.source); });
  return {
      [=](write_request& request) { enqueue(self, request); },
      [=](flush_tick) {
        if (!hold_up(self))
          flush(self);
      },
      [=](const held_up_tick& tick) { look_out(self, tick); },
      [=](const retry_tick& tick) {
        if (tick.attempt != self->state.attempt_number || self->state.ranges.empty())
          return;
        commit(self);
        tell_settled(self);
      },
      [=](const adopt_shards& adopted) {
        for (const auto& fence : adopted.fences)
          self->state.fences[fence.shard] = fence;
        self->state.membership = self->current_sender();
        self->state.adopted_anew = true;
      },
      [=](const follow_events& follow) { self->state.follower = follow.relay; },
      [=](const settle_shards& m) { return when_settled(self, m.shards); },
      [=](const abandon_shards& m) { return abandon(self, m.shards); },
      [=](settle) -> caf::result<settled> {
        if (is_settled(self->state))
          return settled{};
        auto promise = self->make_response_promise<settled>();
        self->state.settling.push_back(promise);
        return promise;
      },
  };
}

} // namespace

} // namespace writing

caf::actor spawn_writer(caf::event_based_actor* parent, context_ptr context) {
  return context->settings.blocking_store ? parent->spawn<caf::detached>(writing::writer, context)
                                          : parent->spawn(writing::writer, context);
}

} // namespace holdfast::actors
