#include "actors/pusher.hpp"

#include "actors/actor_guard.hpp"
#include "actors/metrics_source.hpp"
#include "core/json_text.hpp"
#include "core/pause.hpp"
#include "core/trace.hpp"
#include "documents/json.hpp"
#include "metrics/scrape.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<pusher_state>*;
using push_way = core::push_verdict::way;

/// How long one claim waits for a task.
constexpr std::chrono::seconds claim_wait{60};

/// Leases are extended at this part of the time that they live, as workers do.
constexpr int extensions_per_ttl = 3;

/// How long tasks wait for which the node has no share left.
constexpr std::chrono::seconds crowded_pause{1};

void claim(self_ptr self);
void tell(self_ptr self, std::uint64_t number);

/// A share of the posts of the node; null when there is none left.
pusher_state::share take_share(const context_ptr& context) {
  const auto taken = context->pushes;
  if (taken->fetch_add(1) < context->settings.push_requests_max)
    return {taken.get(), [taken](void*) { --*taken; }};
  --*taken;
  return nullptr;
}

std::uint32_t shares_left(const context_ptr& context) {
  const auto most = context->settings.push_requests_max;
  return most - std::min<std::uint32_t>(most, *context->pushes);
}

std::size_t concurrency(const pusher_state& st) {
  if (!st.policy.push)
    return 0;
  // While the receiver cannot be posted to, one task finds out whether it can be again.
  return st.blocked.present() ? 1 : st.policy.push->concurrency;
}

/// No pause between claims lasts longer.
core::duration longest_pause(const context_ptr& context) {
  return std::max<core::duration>(core::push_pause_most, context->settings.writer_retry_max);
}

/// Not when the clock was set back since: the pause would last for as long as that.
bool pauses(const pusher_state& st, core::instant at) {
  return core::is_under_way(st.claim_not_before, longest_pause(st.context), at);
}

/// Nothing is claimed for so long, and for what is left of an earlier pause.
void pause_claims(pusher_state& st, core::instant at, core::duration how_long) {
  const auto until = at + how_long;
  st.claim_not_before = pauses(st, at) ? std::max(st.claim_not_before, until) : until;
}

void end_if_done(self_ptr self) {
  const auto& st = self->state;
  if (!st.policy.push && !st.claiming && st.under_way.empty())
    self->quit();
}

void count(self_ptr self, const char* outcome) {
  const auto& st = self->state;
  st.context->registry->count(metrics::metric::push_requests_total, {st.queue_name, outcome}).add();
}

// --- leases ---

core::duration extension_pause(const pusher_state& st) {
  return core::shortest_ttl(st.policy) / extensions_per_ttl;
}

void arm_extension(self_ptr self) {
  auto& st = self->state;
  if (st.under_way.empty() || std::exchange(st.extension_armed, true))
    return;
  self->delayed_send(self, extension_pause(st), push_extension_tick{++st.extension_turn});
}

/// Whether the lease is over, so that nothing makes it longer.
bool is_over(core::errc refusal) {
  using core::errc;
  return refusal == errc::lease_not_held || refusal == errc::stale_token
         || refusal == errc::lease_expired || refusal == errc::not_found;
}

void extend(self_ptr self) {
  auto& st = self->state;
  msg::extend_tasks request{st.queue_name, st.worker, {}};
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, one] : st.under_way)
    if (!one.lost) {
      request.tasks.push_back(one.task);
      numbers.push_back(number);
    }
  if (numbers.empty() || std::exchange(st.extending, true))
    return;
  self->request(st.queue, delivery_timeout, std::move(request))
      .then(
          [=](const msg::task_outcomes& answer) {
            auto& then = self->state;
            then.extending = false;
            for (std::size_t i = 0; i < std::min(numbers.size(), answer.outcomes.size()); ++i)
              if (const auto found = then.under_way.find(numbers[i]);
                  found != then.under_way.end() && is_over(answer.outcomes[i].refusal))
                found->second.lost = true;
          },
          [=](const caf::error&) { self->state.extending = false; }); // the next one is soon
}

void on_extension_tick(self_ptr self, const push_extension_tick& tick) {
  auto& st = self->state;
  if (tick.turn != st.extension_turn)
    return;
  st.extension_armed = false;
  extend(self);
  arm_extension(self);
}

// --- the end of a post ---

/// The queue knows all that there is to know of the post.
void forget(self_ptr self, std::uint64_t number) {
  self->state.under_way.erase(number);
  claim(self);
  end_if_done(self);
}

/// The queue could not take it; it may later.
void tell_again(self_ptr self, std::uint64_t number) {
  auto& st = self->state;
  const auto found = st.under_way.find(number);
  if (found == st.under_way.end())
    return;
  self->delayed_send(self, retry_pause(st.context, ++found->second.told),
                     push_telling_tick{number});
}

/// The outcome that the queue gave what it was told.
void on_told(self_ptr self, std::uint64_t number, const core::failure& why) {
  auto& st = self->state;
  const auto found = st.under_way.find(number);
  if (found == st.under_way.end())
    return;
  auto& one = found->second;
  if (why.code == core::errc::none)
    return forget(self, number);
  if (is_over(why.code)) {
    count(self, "late");
    st.context->log(
        log_level::warning, "push_answered_late",
        {{"queue", st.queue_name},
         {"task", core::to_string(one.task.task)},
         {"reason", why.detail.empty() ? std::string{to_string(why.code)} : why.detail}});
    return forget(self, number);
  }
  if (core::describe(why.code).retryable)
    return tell_again(self, number);
  if (one.verdict.how == push_way::complete) {
    // What the queue refuses of a result once it refuses always.
    one.verdict.how = push_way::fail;
    one.verdict.kind = core::failure_kind::permanent;
    one.verdict.error = {"PUSH_ANSWER_INVALID", why.detail};
    return tell(self, number);
  }
  forget(self, number); // a lease that cannot be extended has all the time that it may have
}

template <class Request>
void tell_of_one(self_ptr self, std::uint64_t number, Request request) {
  self->request(self->state.queue, delivery_timeout, std::move(request))
      .then(
          [=](const msg::task_outcome& outcome) {
            on_told(self, number, {outcome.refusal, outcome.detail});
          },
          [=](const caf::error& error) { on_told(self, number, msg::failure_of(error)); });
}

template <class Request>
void tell_of_many(self_ptr self, std::uint64_t number, Request request) {
  self->request(self->state.queue, delivery_timeout, std::move(request))
      .then(
          [=](const msg::task_outcomes& answer) {
            const auto& outcome = answer.outcomes.front();
            on_told(self, number, {outcome.refusal, outcome.detail});
          },
          [=](const caf::error& error) { on_told(self, number, msg::failure_of(error)); });
}

msg::release_task release_of(const pusher_state& st, const msg::task_ref& task,
                             core::instant next_action) {
  msg::release_task back;
  back.queue = st.queue_name;
  back.worker = st.worker;
  back.task = task;
  back.next_action = next_action;
  return back;
}

msg::fail_task failure_of(const pusher_state& st, const pusher_state::pushed& one) {
  msg::fail_task failure;
  failure.queue = st.queue_name;
  failure.worker = st.worker;
  failure.task = one.task;
  failure.kind = static_cast<std::uint8_t>(one.verdict.kind);
  failure.error_code = one.verdict.error.code;
  failure.detail = one.verdict.error.detail;
  failure.retry_after = one.verdict.retry_after;
  return failure;
}

/// Tells the queue what came of the post.
void tell(self_ptr self, std::uint64_t number) {
  auto& st = self->state;
  const auto found = st.under_way.find(number);
  if (found == st.under_way.end() || !found->second.answered)
    return;
  const auto& one = found->second;
  switch (one.verdict.how) {
  case push_way::complete:
    return tell_of_many(
        self, number,
        msg::complete_tasks{st.queue_name, st.worker, {{one.task, one.verdict.result}}});
  case push_way::accepted: // the receiver has all of the time from now on
    return tell_of_many(self, number, msg::extend_tasks{st.queue_name, st.worker, {one.task}});
  case push_way::fail:
    return tell_of_one(self, number, failure_of(st, one));
  case push_way::put_off:
    return tell_of_one(
        self, number,
        give_back_pushed{release_of(st, one.task, st.claim_not_before), one.verdict.error});
  }
}

const char* outcome_of(const core::push_verdict& verdict) {
  switch (verdict.how) {
  case push_way::complete:
    return "completed";
  case push_way::accepted:
    return "accepted";
  case push_way::put_off:
    return "blocked";
  case push_way::fail:
    break;
  }
  switch (verdict.kind) {
  case core::failure_kind::transient:
    return "again";
  case core::failure_kind::permanent:
    return "failed";
  case core::failure_kind::rate_limited:
    return "rate_limited";
  }
  return "unknown";
}

/// Nothing is posted for a while: it would fare no better.
void note_blocked(self_ptr self, const std::string& reason) {
  auto& st = self->state;
  const auto at = now(self, st.context);
  // Posts that were under way together are one try.
  if (!pauses(st, at))
    pause_claims(st, at, core::push_pause(st.blocked_in_a_row++));
  if (st.blocked.met(reason))
    st.context->log(log_level::error, "push_blocked",
                    {{"queue", st.queue_name}, {"reason", reason}});
}

void note_open(self_ptr self) {
  auto& st = self->state;
  st.blocked_in_a_row = 0;
  if (st.blocked.over())
    st.context->log(log_level::info, "push_resumed", {{"queue", st.queue_name}});
}

void on_posted(self_ptr self, const posted& m) {
  auto& st = self->state;
  const auto found = st.under_way.find(m.turn);
  if (found == st.under_way.end() || found->second.answered)
    return;
  auto& one = found->second;
  one.answered = true;
  one.verdict = core::judge_push(m.answer, [&](std::string_view text) {
    return documents::check_json(text, st.context->settings.json);
  });
  count(self, outcome_of(one.verdict));
  const std::chrono::duration<double> took = now(self, st.context) - one.posted_at;
  st.context->registry->distribute(metrics::metric::push_seconds, {st.queue_name})
      .observe(std::max(0.0, took.count()));
  if (one.verdict.how == push_way::put_off)
    note_blocked(self, one.verdict.error.detail);
  else if (m.answer.status != 0)
    note_open(self);
  tell(self, m.turn);
}

// --- posts ---

/// The body: the task as a claim over HTTP answers it, and what else the receiver needs to end it
/// by itself.
std::string body_of(const pusher_state& st, const msg::leased_task& t,
                    const std::string& traceparent, core::instant at) {
  const std::chrono::duration<double> lease = std::max(core::duration::zero(), t.expires_at - at);
  core::json_object body;
  const auto add_text = [&](const char* name, const std::string& value) {
    if (!value.empty())
      body.text(name, value);
  };
  body.text("queue", st.queue_name)
      .text("worker", st.worker)
      .text("id", core::to_string(t.task))
      .text("type", t.type)
      .text("version", t.version)
      .raw("body", t.body)
      .text("state", t.state)
      .raw("data", t.data)
      .raw("checkpoint", t.execution_state)
      .number("attempt", std::int64_t{t.attempt})
      .number("max_attempts", std::int64_t{t.max_attempts})
      .number("token", static_cast<std::int64_t>(t.token))
      .number("lease_seconds", lease.count());
  add_text("key", t.key);
  add_text("credential", t.credential);
  add_text("owner_id", t.owner_id);
  add_text("run_as_id", t.run_as_id);
  add_text("traceparent", traceparent);
  return body.str();
}

void post(self_ptr self, const msg::leased_task& t, pusher_state::share of_node) {
  auto& st = self->state;
  const auto number = ++st.last_number;
  const auto at = now(self, st.context);
  auto& one = st.under_way[number];
  one.task = {t.task, t.token};
  one.posted_at = at;
  one.of_node = std::move(of_node);
  const auto traceparent = core::traceparent_of_task(t.trace_id, t.span_id);
  connectors::webhook_post what;
  what.url = st.policy.push->url;
  what.secret = st.policy.push->secret;
  what.id = core::push_id(t.task, t.attempt);
  what.body = body_of(st, t, traceparent, at);
  what.timeout = std::min(st.policy.push->timeout, core::lease_of(st.policy, t.type).total_max);
  what.answer_bytes = st.context->settings.json.bytes_max;
  what.traceparent = traceparent;
  // Not the actor itself: whatever the receiver does, nobody lives on for it.
  const auto me = caf::actor_cast<caf::weak_actor_ptr>(self->address());
  st.context->settings.webhooks->send(std::move(what), [me, number](core::post_answer answer) {
    if (const auto alive = caf::actor_cast<caf::actor>(me))
      caf::anon_send(alive, posted{number, std::move(answer)});
  });
}

/// Gives a task back that is not posted. If that fails the lease runs out.
void give_back(self_ptr self, const msg::leased_task& t, core::instant next_action,
               core::task_error why) {
  const auto& st = self->state;
  self->request(st.queue, delivery_timeout,
                give_back_pushed{release_of(st, {t.task, t.token}, next_action), std::move(why)})
      .then([](const msg::task_outcome&) {}, [](const caf::error&) {});
}

void wake_at(self_ptr self, core::instant when) {
  auto& st = self->state;
  const auto pause = std::max(core::duration::zero(), when - now(self, st.context));
  self->delayed_send(self, pause, push_wake_tick{++st.wake_turn});
}

void on_granted(self_ptr self, const msg::leased_tasks& granted) {
  auto& st = self->state;
  st.claims_failed = 0;
  st.claim_fault.over();
  const auto at = now(self, st.context);
  bool crowded = false;
  for (const auto& t : granted.tasks) {
    // Much may be different since the claim.
    if (st.context->draining || st.under_way.size() >= concurrency(st)) {
      give_back(self, t, st.claim_not_before,
                {"PUSH_STOPPED", "it was not posted: the node ends, the receiver cannot be posted"
                                 " to, or the policy of the queue was changed"});
    } else if (auto of_node = take_share(st.context)) {
      post(self, t, std::move(of_node));
    } else {
      crowded = true;
      give_back(self, t, at + crowded_pause,
                {"PUSH_CROWDED", "the node has as many posts under way as it may"
                                 " (push.requests_max)"});
    }
  }
  if (crowded)
    pause_claims(st, at, crowded_pause);
  arm_extension(self);
}

void on_claim_failed(self_ptr self, const core::failure& why) {
  auto& st = self->state;
  if (st.claim_fault.met(why.detail))
    st.context->log(log_level::warning, "push_waits",
                    {{"queue", st.queue_name}, {"reason", why.detail}});
  pause_claims(st, now(self, st.context), retry_pause(st.context, ++st.claims_failed));
}

/// Asks for as many tasks as there is room for, if there is any.
void claim(self_ptr self) {
  auto& st = self->state;
  if (st.claiming || st.context->draining || st.under_way.size() >= concurrency(st))
    return;
  const auto at = now(self, st.context);
  if (pauses(st, at))
    return wake_at(self, st.claim_not_before);
  const auto room_of_node = shares_left(st.context);
  if (room_of_node == 0)
    return wake_at(self, at + crowded_pause);
  st.claiming = true;
  msg::claim_tasks request;
  request.queue = st.queue_name;
  request.worker = st.worker;
  request.claim = {st.ids.next(at)};
  request.most = static_cast<std::uint32_t>(
      std::min<std::size_t>(concurrency(st) - st.under_way.size(), room_of_node));
  request.wait = claim_wait;
  self->request(st.queue, delivery_timeout, std::move(request))
      .then(
          [=](const msg::leased_tasks& granted) {
            self->state.claiming = false;
            on_granted(self, granted);
            claim(self);
            end_if_done(self);
          },
          [=](const caf::error& error) {
            self->state.claiming = false;
            on_claim_failed(self, msg::failure_of(error));
            claim(self);
            end_if_done(self);
          });
}

void on_follow(self_ptr self, follow_push& m) {
  auto& st = self->state;
  st.policy = std::move(m.policy);
  // Whatever was wrong with the receiver, it may be another one.
  st.blocked.over();
  st.blocked_in_a_row = 0;
  st.claim_not_before = {};
  st.extension_armed = false;
  arm_extension(self);
  claim(self);
  end_if_done(self);
}

void on_read_metrics(self_ptr self, const read_metrics& reading) {
  const auto& st = self->state;
  reading.into->add(metrics::metric::push_under_way, {st.queue_name},
                    static_cast<double>(st.under_way.size()));
  reading.into->add(metrics::metric::push_blocked, {st.queue_name}, st.blocked.present() ? 1 : 0);
}

} // namespace

caf::behavior pusher(caf::stateful_actor<pusher_state>* self, context_ptr context, caf::actor queue,
                     core::queue_name queue_name, core::queue_policy policy) {
  guard(self, context);
  auto& st = self->state;
  st.ids = core::uuid_source{context->take_seed()};
  st.context = std::move(context);
  st.queue = std::move(queue);
  st.worker = core::pusher_of(queue_name);
  st.queue_name = std::move(queue_name);
  st.policy = std::move(policy);
  st.reported = report_metrics(self, st.context);
  claim(self);
  return {
      [=](const posted& m) { on_posted(self, m); },
      [=](const push_extension_tick& tick) { on_extension_tick(self, tick); },
      [=](const push_telling_tick& tick) { tell(self, tick.number); },
      [=](const push_wake_tick& tick) {
        if (tick.turn == self->state.wake_turn)
          claim(self);
      },
      [=](follow_push& m) { on_follow(self, m); },
      [=](const read_metrics& reading) { on_read_metrics(self, reading); },
  };
}

} // namespace holdfast::actors
