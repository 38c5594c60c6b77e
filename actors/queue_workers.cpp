#include "actors/queue_state.hpp"
#include "actors/repeated_request.hpp"
#include "core/mended_text.hpp"

#include <algorithm>
#include <memory>

namespace holdfast::actors {

namespace {

/// Of what a worker says of an error to people.
constexpr std::size_t error_detail_bytes_max = 8192;

core::held_task to_core(const msg::task_ref& ref) { return {ref.task, ref.token}; }

/// The claims that are called off with the connection; null when it is none.
std::set<std::uint64_t>* waiting_over(queue_state& st, const caf::actor_addr& client) {
  auto& connections = st.ties->connections;
  const auto found = client ? connections.find(client) : connections.end();
  return found == connections.end() ? nullptr : &found->second.waiting;
}

/// The waiting claim is called off with this connection from now on.
void wait_over(queue_state& st, std::uint64_t id, queue_state::waiting_claim& claim,
               const caf::actor_addr& client) {
  if (auto* before = waiting_over(st, claim.client))
    before->erase(id);
  claim.client = client;
  if (auto* now_over = waiting_over(st, client))
    now_over->insert(id);
}

void stop_waiting(queue_ptr self,
                  std::map<std::uint64_t, queue_state::waiting_claim>::iterator at) {
  auto& st = self->state;
  wait_over(st, at->first, at->second, {});
  st.waiting_until.erase({at->second.until, at->first});
  st.waiting_by_claim.erase(at->second.command.id);
  st.waiting.erase(at);
}

/// Answers a claim that waits with nothing.
void call_off(queue_ptr self, std::map<std::uint64_t, queue_state::waiting_claim>::iterator at) {
  for (const auto& promise : at->second.promises)
    promise.deliver(msg::leased_tasks{});
  stop_waiting(self, at);
}

/// Answers a claim if it can be now.
bool try_claim(queue_ptr self, const queue_state::waiting_claim& claim) {
  auto decided = core::decide(self->state.queue, claim.command, time(self));
  if (decided.answer.empty())
    return false;
  if (decided.changes.empty() && join_answer(self, claim))
    bind_leases(self, claim.client, decided.answer);
  else
    carry_out_granting(self, std::move(decided.changes), claim, decided.answer);
  return true;
}

/// Decides about one task of a worker, and says what came of it.
template <class Command>
void decide_one(queue_ptr self, const held_promise& promise, Command command) {
  auto decided = core::decide(self->state.queue, std::move(command), time(self));
  carry_out(self, std::move(decided.changes), promise, to_message(std::move(decided.answer)));
  look_after(self);
}

/// A completion for a task that is not live: whether it is a repetition only its history knows.
struct late_completion {
  std::size_t place = 0;
  msg::task_result item;
};

/// The outcome of a completion that came after the task's end; what is not a repetition is
/// recorded.
msg::task_outcome late_outcome(const late_completion& late, const core::worker_id& worker,
                               core::task_ending how, core::token token, core::instant at,
                               core::change& changes) {
  const auto& ref = late.item.task;
  if (how == core::task_ending::completed && token == ref.token)
    return {ref.task, core::errc::none, {}, true};
  if (ref.token != 0 && ref.token <= token) { // else it never was granted
    auto record = core::late_result(to_core(ref), worker, "completed", late.item.result, at);
    core::append(changes, std::move(record));
  }
  return {ref.task, core::errc::lease_not_held,
          "the task has ended: " + std::string{core::to_string(how)}, false};
}

struct completing {
  held_promise promise;
  core::worker_id worker;
  msg::task_outcomes answer;
  std::vector<late_completion> late;
};

/// Says of what came late what it is, and answers what is to be recorded.
core::change settle_late(queue_ptr self, completing& request,
                         const std::vector<persistence::task_history>& found) {
  core::change changes;
  for (const auto& late : request.late) {
    auto& outcome = request.answer.outcomes[late.place];
    const auto history =
        std::find_if(found.begin(), found.end(), [&](const persistence::task_history& h) {
          const auto& spec = h.finished ? h.finished->spec : h.live->spec;
          return spec.id == late.item.task.task && h.queue == self->state.queue.name;
        });
    if (history == found.end())
      outcome = {late.item.task.task, core::errc::not_found, "no such task in this queue", false};
    else if (!history->finished) // another host of the queue may have made it
      outcome = {late.item.task.task, core::errc::unavailable,
                 "the task is live, but this node does not know it; ask again", false};
    else
      outcome = late_outcome(late, request.worker, history->finished->ending,
                             history->finished->last_token, time(self), changes);
  }
  return changes;
}

/// Refuses a completion that another task was to follow, of a task that is not live. What it brings
/// is recorded, unless its own first try has ended the task.
void refuse_late(queue_ptr self, const held_promise& promise, const core::worker_id& worker,
                 core::completion& done, const core::failure& refusal) {
  const auto late = std::make_shared<completing>(completing{promise, worker, {}, {}});
  late->answer.outcomes.resize(1);
  late->late.push_back({0, {{done.task.task, done.task.token}, std::move(done.result)}});
  read_tasks(self, {done.task.task})
      .then(
          [=](const std::vector<persistence::task_history>& found) {
            auto changes = settle_late(self, *late, found);
            const auto& outcome = late->answer.outcomes.front();
            const bool unknown = outcome.refusal == core::errc::unavailable;
            const auto said = unknown ? core::failure{outcome.refusal, outcome.detail} : refusal;
            carry_out(self, std::move(changes), [=](const core::failure& why) {
              promise.deliver(msg::to_error(why.code == core::errc::none ? said : why));
            });
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void follow(queue_ptr self, const held_promise& promise, core::follow_task& command) {
  const auto next = command.next.spec.id;
  const auto worker = command.worker;
  if (self->state.queue.tasks.count(command.done.task.task) == 0)
    return refuse_late(self, promise, worker, command.done,
                       {core::errc::not_found, "the task is not live"});
  const auto client = connection_of(self, command.done.task.task); // ended by what follows
  auto decided = core::decide(self->state.queue, std::move(command), time(self));
  if (const core::failure refusal{decided.answer.refusal, std::move(decided.answer.detail)};
      refusal.code != core::errc::none) {
    carry_out(self, std::move(decided.changes), [=](const core::failure& why) {
      promise.deliver(msg::to_error(why.code == core::errc::none ? refusal : why));
    });
    return look_after(self);
  }
  if (decided.answer.repeated)
    carry_out(self, std::move(decided.changes), promise, msg::leased_tasks{});
  else
    carry_out_granting(self, std::move(decided.changes), given_to(promise, worker, client), {next});
  look_after(self);
}

/// `Request` is `save_task`, with or without a number.
template <class Request>
void save(queue_ptr self, const asked& from, Request& request, std::uint64_t number) {
  const auto& promise = from.promise;
  if (auto why = check(request.update, self->state.context->settings.json);
      why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  when_stored(self, from,
              core::save_task{std::move(request.worker), to_core(request.task),
                              actors::to_core(request.update), number},
              [=](core::save_task command) { decide_one(self, promise, std::move(command)); });
}

} // namespace

void serve(queue_ptr self, serving how) {
  auto& st = self->state;
  const auto at = time(self);
  while (!st.waiting_until.empty() && st.waiting_until.begin()->first <= at)
    call_off(self, st.waiting.find(st.waiting_until.begin()->second));
  const auto more = [&] {
    const bool something =
        st.queue.ready.waiting() > 0
        || (!st.queue.sleeping.empty() && st.queue.sleeping.begin()->first <= at);
    const bool has_room = how == serving::as_backstop ? room_for_extensions(*st.context) > 0
                                                      : !writers_are_busy(*st.context);
    return something && has_room;
  };
  core::missed_claims missed;
  for (auto next = st.waiting.begin(); next != st.waiting.end() && more();) {
    const auto current = next++;
    const auto& command = current->second.command;
    if (missed.covers(st.queue, command))
      continue;
    if (try_claim(self, current->second)) {
      stop_waiting(self, current);
      continue;
    }
    if (command.types.empty() && !core::holds_suspect(st.queue, command.worker))
      break; // what this one may not have now is closed to everybody
    missed.add(st.queue, command);
  }
}

/// The tasks of two workers must not be mixed up: the second claim is refused.
static constexpr auto claim_of_another = "another worker's claim has this id";

static void claim_for(queue_ptr self, const asked& from, msg::claim_tasks& request, bool distant) {
  auto& st = self->state;
  const auto known = st.waiting_by_claim.find(request.claim);
  auto* const first = known == st.waiting_by_claim.end() ? nullptr : &st.waiting.at(known->second);
  if (first != nullptr && first->command.worker != request.worker)
    return fail(from.promise, core::errc::already_exists, claim_of_another);
  caf::actor_addr client;
  if (request.tied) {
    if (!use_connection(self, from.caller, distant))
      return fail(from.promise, core::errc::overloaded,
                  "leases of this queue end with "
                      + std::to_string(st.context->settings.claim_connections_max)
                      + " connections already (task.claim_connections_max)");
    client = connection_of(self, from.caller);
  }
  const auto& promise = from.promise;
  // Repeated while the first still waits: one answer serves both.
  if (first != nullptr) {
    add_repetition(first->promises, promise);
    st.waiting_until.erase({first->until, known->second});
    // The repetition says how long: with no wait at all a worker that ends calls its claim off.
    first->until = time(self) + request.wait;
    wait_over(st, known->second, *first, client);
    st.waiting_until.emplace(first->until, known->second);
    return look_after(self);
  }
  core::claim command{std::move(request.worker), request.claim, request.most,
                      std::move(request.types)};
  claim_or_wait(self, {{promise}, std::move(command), time(self) + request.wait, client});
  look_after(self);
}

void on_claim(queue_ptr self, const asked& from, msg::claim_tasks& request) {
  claim_for(self, from, request, false);
}

void on_distant_claim(queue_ptr self, const asked& from, distant_claim& claim) {
  claim_for(self, from, claim.request, true);
}

void claim_or_wait(queue_ptr self, queue_state::waiting_claim claim) {
  auto& st = self->state;
  if (try_claim(self, claim))
    return;
  if (claim.until <= time(self)) {
    carry_out_granting(self, {}, claim, {});
  } else if (const auto known = st.waiting_by_claim.find(claim.command.id);
             known != st.waiting_by_claim.end()) {
    auto& first = st.waiting.at(known->second);
    for (auto& promise : claim.promises)
      if (first.command.worker == claim.command.worker)
        add_repetition(first.promises, std::move(promise));
      else
        fail(promise, core::errc::already_exists, claim_of_another);
  } else if (const auto most = st.context->settings.claims_waiting_max; st.waiting.size() >= most) {
    for (const auto& promise : claim.promises)
      fail(promise, core::errc::overloaded,
           std::to_string(most) + " claims wait at this queue already (task.claims_waiting_max)");
  } else {
    const auto id = ++st.last_waiting;
    st.waiting_by_claim[claim.command.id] = id;
    st.waiting_until.emplace(claim.until, id);
    const auto client = claim.client;
    wait_over(st, id, st.waiting.emplace(id, std::move(claim)).first->second, client);
  }
}

/// How long extensions wait for others that share their commit: never for so much of their ttl that
/// the worker has its answer too late.
static core::duration extension_delay(queue_ptr self) {
  constexpr int waits_per_ttl = 10;
  const auto& st = self->state;
  return std::min<core::duration>(st.context->settings.extension_delay,
                                  core::shortest_ttl(st.queue.policy) / waits_per_ttl);
}

/// Many extensions share one commit.
static void arm_extensions(queue_ptr self, core::duration delay) {
  auto& st = self->state;
  if (std::exchange(st.extension_armed, true))
    return;
  self->delayed_send(self, delay, extension_tick{});
}

void on_extend(queue_ptr self, const asked& from, const msg::extend_tasks& request) {
  auto& st = self->state;
  const auto& settings = st.context->settings;
  if (st.extension_requests.size() >= settings.batching.high_water)
    return fail(from.promise, core::errc::overloaded, "too many extensions wait at this queue");
  core::extend_tasks command{request.worker, {}};
  for (const auto& ref : request.tasks)
    command.tasks.push_back(to_core(ref));
  auto decided = core::decide(st.queue, command, time(self));
  for (std::size_t i = 0; i < decided.answer.size(); ++i)
    if (const auto code = decided.answer[i].refusal;
        code == core::errc::none || code == core::errc::not_extendable)
      rebind_lease(self, from.caller, command.tasks[i]);
  queue_state::extension_request waiting{from.promise, {}, {}};
  for (auto& outcome : decided.answer)
    waiting.answer.outcomes.push_back(to_message(std::move(outcome)));
  if (decided.changes.empty())
    return carry_out(self, {}, waiting.promise, std::move(waiting.answer));
  // Of those of one lease the last is enough.
  for (auto& write : decided.changes.writes) {
    auto& extension = std::get<core::extend_task_lease>(write);
    waiting.tasks.push_back(extension.task);
    st.extending[extension.task] = extension;
  }
  st.extension_requests.push_back(std::move(waiting));
  arm_extensions(self, extension_delay(self));
  look_after(self);
}

void on_extension_tick(queue_ptr self) {
  auto& st = self->state;
  st.extension_armed = false;
  const auto room = room_for_extensions(*st.context);
  core::change changes;
  std::vector<queue_state::extension_request> written;
  while (!st.extension_requests.empty() && changes.writes.size() < room) {
    written.push_back(std::move(st.extension_requests.front()));
    st.extension_requests.pop_front();
    for (const auto& task : written.back().tasks)
      if (const auto extension = st.extending.extract(task))
        changes.writes.emplace_back(extension.mapped());
  }
  if (!st.extension_requests.empty())
    arm_extensions(self, st.context->settings.writer_retry_min);
  if (written.empty())
    return;
  carry_out(self, std::move(changes), [written = std::move(written)](const core::failure& why) {
    for (const auto& each : written)
      if (why.code == core::errc::none)
        each.promise.deliver(each.answer);
      else
        each.promise.deliver(msg::to_error(why));
  });
}

void on_save(queue_ptr self, const asked& from, msg::save_task& request) {
  save(self, from, request, 0);
}

void on_save_in_order(queue_ptr self, const asked& from, msg::save_task_in_order& request) {
  save(self, from, request, request.number);
}

/// Says once in each row of releases for nothing that there is one: each may be a worker that
/// stops, so many are not.
static void note_idle_release(queue_ptr self, const core::task_id& task) {
  constexpr std::uint32_t told_at = 10;
  const auto& st = self->state;
  const auto found = st.queue.tasks.find(task);
  if (found != st.queue.tasks.end() && found->second.progress.idle_releases == told_at)
    st.context->log(log_level::warning, "task_without_progress",
                    {{"queue", st.queue.name},
                     {"task", to_string(task)},
                     {"type", found->second.spec.type},
                     {"releases", std::to_string(told_at)}});
}

void on_release(queue_ptr self, const asked& from, msg::release_task& request) {
  const auto& promise = from.promise;
  if (auto why = check(request.update, self->state.context->settings.json);
      why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  when_stored(self, from,
              core::release_task{std::move(request.worker), to_core(request.task),
                                 actors::to_core(request.update), request.next_action},
              [=](core::release_task command) {
                const auto task = command.task.task;
                decide_one(self, promise, std::move(command));
                note_idle_release(self, task);
              });
}

namespace {

core::failure check_result(queue_ptr self, const std::string& result) {
  return result.empty() ? core::failure{}
                        : check_document(result, "result", self->state.context->settings.json);
}

/// Ends tasks. `stored` says of the results that were too large for a row what became of them: in
/// place of those that are stored stand their references.
void complete(queue_ptr self, const held_promise& promise, msg::complete_tasks& request,
              const std::map<std::size_t, core::failure>& stored) {
  auto& st = self->state;
  auto all = std::make_shared<completing>(completing{promise, std::move(request.worker), {}, {}});
  all->answer.outcomes.resize(request.tasks.size());
  core::complete_tasks command{all->worker, {}};
  std::vector<std::size_t> places;
  core::change recorded;
  std::vector<core::task_id> unknown;
  const auto at = time(self);
  for (std::size_t i = 0; i < request.tasks.size(); ++i) {
    auto& item = request.tasks[i];
    const auto id = item.task.task;
    const auto large = stored.find(i);
    auto why = large != stored.end() ? large->second : check_result(self, item.result);
    if (why.code != core::errc::none) {
      all->answer.outcomes[i] = {id, why.code, std::move(why.detail), false};
    } else if (st.queue.tasks.count(id) != 0) {
      command.tasks.push_back({to_core(item.task), std::move(item.result)});
      places.push_back(i);
    } else if (const auto ended = st.recently_finished.find(id);
               ended != st.recently_finished.end() && ended->second.token != 0) {
      all->answer.outcomes[i] = late_outcome({i, std::move(item)}, all->worker, ended->second.how,
                                             ended->second.token, at, recorded);
    } else {
      unknown.push_back(id);
      all->late.push_back({i, std::move(item)});
    }
  }
  auto decided = core::decide(st.queue, std::move(command), at);
  for (std::size_t i = 0; i < places.size(); ++i)
    all->answer.outcomes[places[i]] = to_message(std::move(decided.answer[i]));
  core::append(decided.changes, std::move(recorded));
  if (unknown.empty()) {
    carry_out(self, std::move(decided.changes), all->promise, std::move(all->answer));
    return look_after(self);
  }
  carry_out(self, std::move(decided.changes), [](const core::failure&) {});
  look_after(self);
  read_tasks(self, std::move(unknown))
      .then(
          [=](const std::vector<persistence::task_history>& found) {
            auto recorded_late = settle_late(self, *all, found);
            carry_out(self, std::move(recorded_late), all->promise, std::move(all->answer));
          },
          [=](const core::failure& why) { all->promise.deliver(msg::to_error(why)); });
}

} // namespace

void on_complete(queue_ptr self, const asked& from, msg::complete_tasks& request) {
  std::map<std::size_t, core::failure> checked;
  for (std::size_t i = 0; i < request.tasks.size(); ++i)
    if (is_large(self->state.context->settings, request.tasks[i].result))
      checked.emplace(i, check_result(self, request.tasks[i].result));
  if (checked.empty())
    return complete(self, from.promise, request, checked);
  const auto kept = std::make_shared<msg::complete_tasks>(std::move(request));
  std::vector<large_text> large;
  std::vector<std::size_t> places;
  for (const auto& [place, why] : checked)
    if (why.code == core::errc::none) {
      large.push_back({&kept->tasks[place].result, &kept->tasks[place].result});
      places.push_back(place);
    }
  if (large.empty())
    return complete(self, from.promise, *kept, checked);
  store(self, from.caller, large,
        [=, promise = from.promise](const std::vector<core::failure>& outcomes) mutable {
          for (std::size_t i = 0; i < places.size(); ++i)
            checked[places[i]] = outcomes[i];
          complete(self, promise, *kept, checked);
        });
}

void on_follow(queue_ptr self, const asked& from, msg::follow_task& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  core::follow_task asked_for{std::move(request.worker),
                              {to_core(request.done.task), std::move(request.done.result)},
                              actors::to_core(request.next),
                              request.claim};
  if (auto why = check(asked_for.next, st.context->settings.json); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  if (auto why = check_result(self, asked_for.done.result); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  const auto next = asked_for.next.spec.id;
  // The same request again: it has the lease already.
  if (under_claim(st.queue, next, asked_for.worker, asked_for.claim) != nullptr)
    return carry_out_granting(self, {}, given_to(promise, asked_for.worker), {next});
  when_stored(self, from, std::move(asked_for), [=](core::follow_task ready) {
    const auto command = std::make_shared<core::follow_task>(std::move(ready));
    find_elsewhere(self, {next}, promise, [=](const std::vector<persistence::known_task>& known) {
      if (known.empty() && self->state.recently_finished.count(next) == 0)
        follow(self, promise, *command);
      else
        fail(promise, core::errc::already_exists,
             "a task of the id of the next one exists or has ended");
    });
  });
}

void on_fail(queue_ptr self, const asked& from, msg::fail_task& request) {
  const auto& promise = from.promise;
  if (auto why = check(request.update, self->state.context->settings.json);
      why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  when_stored(self, from,
              core::fail_task{std::move(request.worker),
                              to_core(request.task),
                              static_cast<core::failure_kind>(request.kind),
                              {std::move(request.error_code),
                               core::mended_text(request.detail, error_detail_bytes_max)},
                              request.retry_after,
                              actors::to_core(request.update)},
              [=](core::fail_task command) { decide_one(self, promise, std::move(command)); });
}

void stop_waiting_of(queue_ptr self,
                     const std::function<bool(const queue_state::waiting_claim&)>& gone) {
  auto& st = self->state;
  for (auto next = st.waiting.begin(); next != st.waiting.end();) {
    const auto current = next++;
    if (gone(current->second))
      call_off(self, current);
  }
}

void stop_waiting(queue_ptr self, const std::set<std::uint64_t>& claims) {
  auto& waiting = self->state.waiting;
  for (const auto id : claims)
    if (const auto found = waiting.find(id); found != waiting.end())
      call_off(self, found);
}

} // namespace holdfast::actors
