#include "actors/webhook_delivery.hpp"

#include "actors/actor_guard.hpp"
#include "actors/metrics_source.hpp"
#include "actors/reads.hpp"
#include "documents/cloud_event.hpp"
#include "metrics/scrape.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

namespace holdfast::actors {

namespace {

using self_ptr = caf::stateful_actor<webhook_delivery_state>*;
using doing = webhook_delivery_state::doing;

/// How long one read of the feed waits for an event.
constexpr std::chrono::seconds read_wait{60};

/// Pause after the feed or the database did not answer.
constexpr std::chrono::seconds read_pause{1};

/// How long a queue, on whatever node, may take to make tasks durable. Made again they are the
/// same.
constexpr std::chrono::seconds tasks_wait{90};

/// Requests that wait for the first look at the database.
constexpr std::size_t requests_most = 100;

void go_on(self_ptr self);
void on_answered(self_ptr self, const core::post_answer& answer);
void on_tasks_made(self_ptr self, const msg::task_outcomes& made);
void on_replay(self_ptr self, const msg::replay_webhook& m, const held_promise& promise);

std::vector<core::step_id> ids_of(const std::vector<core::step_row>& steps) {
  std::vector<core::step_id> ids;
  for (const auto& step : steps)
    ids.push_back(step.id);
  return ids;
}

std::uint64_t begin(self_ptr self, doing what) {
  self->state.now = what;
  return ++self->state.turn;
}

/// Asks the loader for dead letters.
auto read_letters(self_ptr self, const persistence::dead_letter_filter& filter) {
  return read(self, self->state.links.loader,
              [filter](persistence::store& db) { return db.list_dead_letters(filter); });
}

/// Asks the loader how far the webhook has come on each shard.
auto read_places(self_ptr self) {
  return read(self, self->state.links.loader,
              [webhook = self->state.links.webhook.id](persistence::store& db) {
                return db.webhook_places(webhook);
              });
}

/// Asks the loader for the workflow whose events are wanted.
auto read_workflow(self_ptr self) {
  return read(self, self->state.links.loader,
              [workflow = self->state.links.definition.workflow](persistence::store& db) {
                return db.load_workflow(workflow);
              });
}

/// Logs a read that a reader did not answer, once for each reason. The read is repeated without an
/// end.
void tell_not_read(self_ptr self, const core::failure& why) {
  auto& st = self->state;
  if (st.read_fault.met(why.detail))
    st.context->log(log_level::warning, "webhook_waits",
                    {{"webhook", st.links.webhook.name},
                     {"shard", std::to_string(st.links.shard)},
                     {"reason", why.detail}});
}

/// Tries again what a reader did not answer, in a moment.
void come_again(self_ptr self, core::duration in) {
  const auto turn = begin(self, doing::waiting);
  self->delayed_send(self, in, delivery_tick{turn});
}

/// To be written. The reason why it waited is taken back with it.
core::put_webhook_position position_of(self_ptr self, const core::webhook_progress& at) {
  auto& st = self->state;
  st.told.clear();
  return {st.links.webhook.id, st.links.shard, at.position, 0, {}, now(self, st.context)};
}

void write(self_ptr self, core::change changes, std::function<void(const core::failure&)> then) {
  auto& st = self->state;
  st.pending.write(self, st.context, st.links.writer, decider{st.links.shard, {}, 1},
                   std::move(changes), std::move(then));
}

/// Writes what was decided, and then goes on from there, if it was not told otherwise meanwhile.
void settle_at(
    self_ptr self, const core::webhook_progress& then, core::change changes,
    const std::function<void()>& first = [] {}) {
  const auto turn = begin(self, doing::writing);
  // A request may forget dead letters while this is under way, so they are counted on: those that
  // were delivered may be among the forgotten.
  const auto before = self->state.progress.dead_letters;
  const auto died = then.dead_letters > before ? then.dead_letters - before : 0;
  const auto gone = before > then.dead_letters ? before - then.dead_letters : 0;
  write(self, std::move(changes), [=](const core::failure& why) {
    auto& st = self->state;
    if (why.code != core::errc::none)
      return;
    auto& counted = st.progress.dead_letters;
    const auto dead_letters = counted = counted - std::min(counted, gone) + died;
    if (turn != st.turn)
      return;
    st.progress = then;
    st.progress.dead_letters = dead_letters;
    first();
    go_on(self);
  });
}

void stop(self_ptr self, const core::webhook_progress& then, const std::string& reason,
          core::change changes) {
  auto& st = self->state;
  const auto webhook = st.links.webhook;
  auto position = position_of(self, then);
  position.stopped_revision = webhook.revision;
  position.reason = reason;
  changes.writes.emplace_back(std::move(position));
  settle_at(self, then, std::move(changes), [=] {
    self->state.stopped = true;
    self->state.context->log(log_level::warning, "webhook_stopped",
                             {{"webhook", webhook.name},
                              {"shard", std::to_string(self->state.links.shard)},
                              {"reason", reason}});
  });
}

/// Lets people know why it waits, once for each reason: it may take one of them to end that.
void tell(self_ptr self, const std::string& reason) {
  auto& st = self->state;
  if (st.told == reason)
    return;
  auto position = position_of(self, st.progress);
  position.reason = st.told = reason;
  write(self, {{std::move(position)}, {}}, [](const core::failure&) {});
}

void make_tasks(self_ptr self, const core::webhook_batch& batch) {
  const auto& links = self->state.links;
  msg::enqueue_tasks request{links.definition.tasks->queue, {}};
  for (const auto& e : batch.events) {
    msg::task_request task;
    task.task = core::event_task_id(links.webhook.id, links.shard, e.seq);
    task.type = links.definition.tasks->type;
    task.body = core::event_body(links.shard, e);
    request.tasks.push_back(std::move(task));
  }
  const auto turn = begin(self, doing::posting);
  self->request(links.shards, tasks_wait, enqueue_anywhere{std::move(request)})
      .then(
          [=](const msg::task_outcomes& made) {
            if (turn == self->state.turn)
              on_tasks_made(self, made);
          },
          [=](const caf::error& error) {
            if (turn == self->state.turn)
              on_answered(self, core::answer_of(msg::failure_of(error)));
          });
}

/// The body of a post: one envelope, or a list where the webhook may have several at once.
void fill_post(connectors::webhook_post& what, const std::string& source,
               const delivery_links& links, const core::webhook_batch& batch) {
  if (links.definition.envelope == core::event_envelope::plain) {
    what.body = core::post_body(links.webhook.name, links.shard, batch);
    return;
  }
  std::vector<std::string> envelopes;
  for (const auto& e : batch.events)
    envelopes.push_back(documents::cloud_event(source, {links.shard, e.seq}, e.json));
  const bool single = links.definition.policy.batch_events == 1;
  what.body = single ? std::move(envelopes.front()) : documents::cloud_events(envelopes);
  what.content_type = single ? documents::cloud_event_type : documents::cloud_events_type;
}

/// The outcome of a post, as a label of metrics.
const char* outcome_of(core::post_verdict verdict) {
  using core::post_verdict;
  switch (verdict) {
  case post_verdict::delivered:
    return "delivered";
  case post_verdict::again:
    return "again";
  case post_verdict::not_now:
    return "not_now";
  case post_verdict::refused:
    return "refused";
  case post_verdict::gone:
    return "gone";
  case post_verdict::barred:
    return "barred";
  }
  return "unknown";
}

/// The span of a post that is under way. A post has events of many traces, so it begins one of its
/// own, under which the receiver may go on.
class post_span {
public:
  post_span(core::tracer_ptr tracer, const std::string& webhook, std::size_t events)
      : tracer_(std::move(tracer)) {
    told_.trace_id = tracer_->new_trace_id();
    told_.span_id = tracer_->new_span_id();
    told_.name = "POST webhook";
    told_.kind = core::span_kind::client;
    told_.texts = {{"http.request.method", "POST"}, {"holdfast.webhook", webhook}};
    told_.numbers = {{"holdfast.webhook.events", static_cast<std::int64_t>(events)}};
    told_.began = tracer_->now();
  }

  std::string traceparent() const {
    return core::to_traceparent({told_.trace_id, told_.span_id, true});
  }
  void end(const core::post_answer& answer) {
    told_.ended = tracer_->now();
    told_.has_failed = answer.verdict != core::post_verdict::delivered;
    if (answer.status != 0)
      told_.numbers.emplace_back("http.response.status_code", answer.status);
    if (told_.has_failed)
      told_.texts.emplace_back("error.type", outcome_of(answer.verdict));
    tracer_->take(std::move(told_));
  }

private:
  core::tracer_ptr tracer_;
  core::span told_;
};

/// Null: this post is not traced.
std::shared_ptr<post_span> begin_post_span(const webhook_delivery_state& st, std::size_t events) {
  const auto& tracer = st.context->settings.tracer;
  return tracer && tracer->samples(std::nullopt)
             ? std::make_shared<post_span>(tracer, st.links.webhook.name, events)
             : nullptr;
}

void post(self_ptr self, const core::webhook_batch& batch) {
  const auto& st = self->state;
  const auto& links = st.links;
  const auto turn = begin(self, doing::posting);
  // Not the actor itself: whatever the receiver does, nobody lives on for it.
  const auto me = caf::actor_cast<caf::weak_actor_ptr>(self->address());
  const auto traced = begin_post_span(st, batch.events.size());
  connectors::webhook_post what;
  what.url = links.definition.url;
  what.secret = links.definition.secret;
  what.id = core::post_id(links.webhook.id, links.shard, batch);
  what.timeout = links.definition.policy.timeout;
  if (traced)
    what.traceparent = traced->traceparent();
  fill_post(what, st.context->settings.events_source, links, batch);
  st.context->settings.webhooks->send(std::move(what),
                                      [me, turn, traced](core::post_answer answer) {
                                        if (traced)
                                          traced->end(answer);
                                        if (const auto alive = caf::actor_cast<caf::actor>(me))
                                          caf::anon_send(alive, posted{turn, std::move(answer)});
                                      });
}

void send_out(self_ptr self, const core::webhook_batch& batch) {
  if (self->state.links.definition.tasks)
    make_tasks(self, batch);
  else
    post(self, batch);
}

// --- new events ---

void post_next(self_ptr self) {
  auto& st = self->state;
  const auto& policy = st.links.definition.policy;
  st.batch = core::batch_of(std::move(st.batch.events), st.batch.through,
                            core::next_batch_events(policy, st.progress), policy.batch_bytes);
  send_out(self, st.batch);
}

void on_page(self_ptr self, msg::event_page& page) {
  auto& st = self->state;
  st.batch = {{}, page.position};
  for (auto& e : page.events)
    st.batch.events.push_back({e.seq, std::move(e.event)});
  if (!st.batch.events.empty())
    return post_next(self);
  if (page.position == st.progress.position) {
    // Nothing has happened for a while: time to look whether an earlier life of this delivery was
    // told to deliver some again, and ended before that was durable.
    st.letters_wait = st.letters_wait || st.progress.dead_letters > 0;
    return go_on(self);
  }
  // Nothing is wanted of them; stored, or one day they would be gone from behind the position.
  auto then = st.progress;
  then.position = page.position;
  settle_at(self, then, {{position_of(self, then)}, {}});
}

/// Steps of the workflow that were not known when the page was read may be among those that it has
/// left out. A step is stored before the first of its events, so that now all of these are known.
void on_page_of_workflow(self_ptr self, msg::event_page page) {
  auto& st = self->state;
  const auto turn = st.turn;
  read_workflow(self).then(
      [=](const persistence::stored_workflow& workflow) mutable {
        self->state.read_fault.over();
        auto& known = self->state.wish.steps;
        if (turn != self->state.turn)
          return;
        if (workflow.steps.size() == known.size())
          return on_page(self, page);
        known = ids_of(workflow.steps);
        go_on(self);
      },
      [=](const core::failure& why) {
        tell_not_read(self, why);
        if (turn == self->state.turn)
          come_again(self, read_pause);
      });
}

void on_page_failed(self_ptr self, const core::failure& why) {
  if (why.code == core::errc::unavailable || why.code == core::errc::overloaded)
    return come_again(self, read_pause);
  stop(self, self->state.progress, why.detail, {});
}

void read_page(self_ptr self) {
  auto& st = self->state;
  const auto turn = begin(self, doing::reading);
  st.wish.place = {core::event_start::after, st.progress.position};
  self->request(st.links.feed, read_wait + internal_timeout,
                read_for_webhook{st.links.shard, st.wish, read_wait})
      .then(
          [=](msg::event_page& page) {
            if (turn != self->state.turn)
              return;
            const auto& now = self->state;
            if (now.links.definition.workflow && page.position != now.progress.position)
              on_page_of_workflow(self, std::move(page));
            else
              on_page(self, page);
          },
          [=](const caf::error& error) {
            if (turn == self->state.turn)
              on_page_failed(self, msg::failure_of(error));
          });
}

void count_post(self_ptr self, const core::post_answer& answer, std::size_t events) {
  auto& registry = *self->state.context->registry;
  registry.count(metrics::metric::webhook_posts_total, {outcome_of(answer.verdict)}).add();
  if (answer.verdict == core::post_verdict::delivered)
    registry.count(metrics::metric::webhook_events_total).add(events);
}

/// The state of the delivery, as a label of metrics.
const char* state_of(const webhook_delivery_state& st) {
  if (st.links.webhook.paused)
    return "paused";
  if (st.stopped)
    return "stopped";
  return st.now == doing::waiting ? "waiting" : "running";
}

void on_batch_answered(self_ptr self, const core::post_answer& answer) {
  using way = core::delivery_verdict::way;
  auto& st = self->state;
  count_post(self, answer, st.batch.events.size());
  const auto verdict =
      core::judge_delivery(st.links.definition.policy, st.progress, st.batch.events.size(),
                           st.batch.through, answer, st.random());
  core::change changes;
  if (verdict.dead)
    for (const auto& e : st.batch.events)
      changes.writes.emplace_back(core::dead_letter_of(st.links.webhook.id, st.links.shard, e,
                                                       answer, now(self, st.context)));
  switch (verdict.how) {
  case way::go_on:
    changes.writes.emplace_back(position_of(self, verdict.then));
    return settle_at(self, verdict.then, std::move(changes));
  case way::wait:
    st.progress = verdict.then;
    st.post_at = now(self, st.context) + verdict.wait;
    if (answer.verdict == core::post_verdict::not_now)
      tell(self, verdict.reason);
    return come_again(self, verdict.wait);
  case way::narrow:
    st.progress = verdict.then;
    return post_next(self);
  case way::stop:
    return stop(self, verdict.then, verdict.reason, std::move(changes));
  }
}

// --- dead letters that are replayed ---

void on_letters(self_ptr self, std::vector<persistence::dead_letter>& found) {
  auto& st = self->state;
  if (found.empty()) {
    st.letters_wait = false;
    return go_on(self);
  }
  for (auto& letter : found)
    st.letters.push_back({letter.made.event.seq, std::move(letter.made.json)});
  const auto last = st.letters.back().seq;
  const auto& definition = st.links.definition;
  // A queue answers for each by itself: none is a dead letter again for what another one is.
  const auto most = definition.tasks ? 1U : definition.policy.batch_events;
  st.letters =
      core::batch_of(std::move(st.letters), last, most, definition.policy.batch_bytes).events;
  send_out(self, {st.letters, last});
}

void read_replayed(self_ptr self) {
  auto& st = self->state;
  const auto turn = begin(self, doing::reading);
  read_letters(
      self, {st.links.webhook.id, st.links.shard, 0, st.links.definition.policy.batch_events, true})
      .then(
          [=](std::vector<persistence::dead_letter>& letters) {
            self->state.read_fault.over();
            if (turn == self->state.turn)
              on_letters(self, letters);
          },
          [=](const core::failure& why) {
            tell_not_read(self, why);
            if (turn == self->state.turn)
              come_again(self, read_pause);
          });
}

void on_letters_answered(self_ptr self, const core::post_answer& answer) {
  auto& st = self->state;
  count_post(self, answer, st.letters.size());
  core::change changes;
  auto then = st.progress;
  for (const auto& e : std::exchange(st.letters, {}))
    if (answer.verdict == core::post_verdict::delivered) {
      changes.writes.emplace_back(
          core::delete_dead_letter{st.links.webhook.id, {st.links.shard, e.seq}});
      then.dead_letters -= std::min<std::uint64_t>(then.dead_letters, 1);
    } else {
      changes.writes.emplace_back(core::dead_letter_of(st.links.webhook.id, st.links.shard, e,
                                                       answer, now(self, st.context)));
    }
  settle_at(self, then, std::move(changes));
}

// --- all together ---

/// Begins what is next, when nothing is under way.
void go_on(self_ptr self) {
  auto& st = self->state;
  if (st.links.webhook.paused || (st.stopped && !st.letters_wait))
    begin(self, doing::idle);
  else if (st.letters_wait)
    read_replayed(self);
  else if (const auto left = st.post_at - now(self, st.context); left > core::duration::zero())
    come_again(self, left);
  else
    read_page(self);
}

void on_answered(self_ptr self, const core::post_answer& answer) {
  if (self->state.letters.empty())
    on_batch_answered(self, answer);
  else
    on_letters_answered(self, answer);
}

void on_posted(self_ptr self, const posted& m) {
  if (m.turn == self->state.turn)
    on_answered(self, m.answer);
}

void on_tasks_made(self_ptr self, const msg::task_outcomes& made) {
  auto& st = self->state;
  std::vector<core::failure> outcomes;
  for (const auto& outcome : made.outcomes)
    outcomes.push_back({outcome.refusal, outcome.detail});
  const auto judged = core::judge_tasks(outcomes);
  if (st.letters.empty()) // those behind are read again
    st.batch = core::batch_of(std::move(st.batch.events), st.batch.through,
                              static_cast<std::uint32_t>(judged.events),
                              std::numeric_limits<std::size_t>::max());
  on_answered(self, judged.answer);
}

/// Takes up what has come meanwhile, unless something is under way that will see it at its end.
void look_up(self_ptr self) {
  const auto what = self->state.now;
  if (what == doing::idle || what == doing::reading || what == doing::waiting)
    go_on(self);
}

/// That of this shard; null when the webhook is gone.
const persistence::webhook_place* find_mine(self_ptr self,
                                            const std::vector<persistence::webhook_place>& places) {
  const auto mine = std::find_if(places.begin(), places.end(), [&](const auto& place) {
    return place.shard == self->state.links.shard;
  });
  return mine == places.end() ? nullptr : &*mine;
}

void refuse_as_gone(self_ptr self, const held_promise& promise) {
  promise.deliver(msg::to_error(core::errc::not_found,
                                "there is no webhook " + self->state.links.webhook.name));
}

void on_place(self_ptr self, const std::vector<persistence::webhook_place>& places) {
  auto& st = self->state;
  const auto* mine = find_mine(self, places);
  if (mine == nullptr) { // the webhook is gone; so are we when that is noticed
    begin(self, doing::gone);
    for (const auto& request : std::exchange(st.waiting_requests, {}))
      refuse_as_gone(self, request.promise);
    return;
  }
  st.progress.position = mine->seq;
  st.progress.dead_letters = mine->dead_letters;
  st.stopped = mine->stopped_revision == st.links.webhook.revision;
  if (mine->stopped_revision == 0)
    st.told = mine->reason;
  go_on(self);
  for (const auto& request : std::exchange(st.waiting_requests, {}))
    on_replay(self, request.what, request.promise);
}

/// The steps of its workflow, then its place.
void load(self_ptr self) {
  auto& st = self->state;
  const auto turn = begin(self, doing::loading);
  const auto failed = [=](const core::failure& why) {
    tell_not_read(self, why);
    if (turn == self->state.turn)
      self->delayed_send(self, read_pause, delivery_tick{turn});
  };
  const auto load_place = [=] {
    read_places(self).then(
        [=](const std::vector<persistence::webhook_place>& places) { on_place(self, places); },
        failed);
  };
  const auto& workflow = st.links.definition.workflow;
  if (!workflow || !st.wish.steps.empty())
    return load_place();
  read_workflow(self).then(
      [=](const persistence::stored_workflow& stored) {
        self->state.wish.steps = ids_of(stored.steps);
        load_place();
      },
      failed);
}

void on_tick(self_ptr self, const delivery_tick& tick) {
  auto& st = self->state;
  if (tick.turn != st.turn)
    return;
  const bool waits = st.letters_wait || now(self, st.context) < st.post_at;
  if (st.now == doing::loading)
    load(self);
  else if (waits || st.batch.events.empty() || st.progress.attempts == 0)
    go_on(self);
  else
    post_next(self);
}

// --- requests ---

/// Finds the dead letters that are meant, and changes them all.
template <class Write>
void change_letters(self_ptr self, const msg::replay_webhook& m, const held_promise& promise,
                    std::function<void(std::size_t)> then) {
  const auto& st = self->state;
  read_letters(self, {st.links.webhook.id, st.links.shard, m.after, m.limit, false})
      .then(
          [=](const std::vector<persistence::dead_letter>& letters) {
            msg::webhook_replayed answer;
            core::change changes;
            for (const auto& letter : letters) {
              changes.writes.emplace_back(Write{letter.made.webhook, letter.made.event});
              answer.last = letter.made.event.seq;
            }
            answer.dead_letters = static_cast<std::uint32_t>(letters.size());
            write(self, promise.noted(std::move(changes)), [=](const core::failure& why) {
              if (why.code != core::errc::none)
                return promise.deliver(msg::to_error(why));
              then(answer.dead_letters);
              promise.deliver(answer);
            });
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void move_to(self_ptr self, core::event_seq position, const held_promise& promise) {
  auto then = self->state.progress;
  then.position = position;
  then.attempts = 0;
  const auto turn = begin(self, doing::writing); // whatever is under way is void
  self->state.letters.clear();
  self->state.post_at = {};
  write(self, promise.noted({{position_of(self, then)}, {}}), [=](const core::failure& why) {
    if (why.code != core::errc::none)
      return promise.deliver(msg::to_error(why));
    promise.deliver(msg::webhook_replayed{0, position});
    if (turn != self->state.turn)
      return;
    self->state.progress = then;
    self->state.stopped = false;
    go_on(self);
  });
}

/// To behind an event that there has been: behind any other, delivery would stop at once.
void on_move(self_ptr self, core::event_seq position, const held_promise& promise) {
  read_places(self).then(
      [=](const std::vector<persistence::webhook_place>& places) {
        const auto* mine = find_mine(self, places);
        if (mine == nullptr)
          return refuse_as_gone(self, promise);
        if (position > mine->newest)
          return promise.deliver(msg::to_error(core::errc::invalid_argument,
                                               "after must be at most the newest event of the"
                                               " shard, "
                                                   + std::to_string(mine->newest)));
        move_to(self, position, promise);
      },
      [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

/// Posts nothing of what is to be forgotten, or a receiver's refusal would bring it back. What is
/// to be delivered all the same is still marked for that.
void drop_letters(self_ptr self) {
  if (self->state.letters.empty())
    return;
  self->state.letters.clear();
  come_again(self, read_pause);
}

void on_replay(self_ptr self, const msg::replay_webhook& m, const held_promise& promise) {
  auto& st = self->state;
  if (st.now == doing::gone)
    return refuse_as_gone(self, promise);
  if (st.now == doing::loading) {
    if (st.waiting_requests.size() >= requests_most)
      return promise.deliver(
          msg::to_error(core::errc::overloaded, std::to_string(requests_most)
                                                    + " requests wait for this delivery to begin"));
    st.waiting_requests.push_back({m, promise});
    return;
  }
  switch (static_cast<core::replay_verb>(m.what)) {
  case core::replay_verb::deliver:
    return change_letters<core::replay_dead_letter>(self, m, promise, [=](std::size_t) {
      self->state.letters_wait = true;
      look_up(self);
    });
  case core::replay_verb::forget:
    drop_letters(self);
    return change_letters<core::delete_dead_letter>(self, m, promise, [=](std::size_t gone) {
      auto& letters = self->state.progress.dead_letters;
      letters -= std::min<std::uint64_t>(letters, gone);
    });
  case core::replay_verb::move:
    return on_move(self, m.after, promise);
  }
}

} // namespace

caf::behavior webhook_delivery(caf::stateful_actor<webhook_delivery_state>* self,
                               context_ptr context, delivery_links links) {
  guard(self, context);
  auto& st = self->state;
  st.random.seed(context->take_seed());
  st.context = std::move(context);
  st.links = std::move(links);
  st.reported = report_metrics(self, st.context);
  st.wish.types = st.links.definition.types;
  st.wish.queues = st.links.definition.queues;
  if (const auto& tasks = st.links.definition.tasks) {
    st.wish.but_of = tasks->queue;
    st.wish.tasks = !st.wish.types.empty() || !st.wish.queues.empty();
  }
  st.wish.limit = st.links.definition.policy.batch_events;
  begin(self, doing::loading);
  // A barrier: whatever an earlier life has decided is settled before this one looks.
  write(self, {}, [=](const core::failure& why) {
    if (why.code == core::errc::none)
      load(self);
  });
  return {
      [=](const posted& m) { on_posted(self, m); },
      [=](const delivery_tick& tick) { on_tick(self, tick); },
      [=](const read_metrics& reading) {
        reading.into->add(metrics::metric::webhook_deliveries, {state_of(self->state)}, 1);
      },
      [=](const write_done& done) {
        if (!self->state.pending.settle(done))
          self->quit(msg::to_error(done.failure));
      },
      [=](const msg::replay_webhook& m) {
        on_replay(self, m, held_promise{self->make_response_promise()});
      },
      with_notes(self),
  };
}

} // namespace holdfast::actors
