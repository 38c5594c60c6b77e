#include "tests/sim/task_clients.hpp"

#include "actors/queue_state.hpp"
#include "core/json_text.hpp"
#include "tests/sim/asking.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <deque>
#include <map>
#include <utility>

namespace holdfast::sim {

namespace {

using namespace std::chrono_literals;

/// Requests that may be under way, unanswered, and are then sent again with the same ids.
using repeatable_task_request =
    std::variant<msg::put_queue, msg::pause_queue, msg::get_queue_statistics, msg::enqueue_tasks,
                 msg::get_task, msg::change_task, msg::eject_task, msg::redrive_tasks,
                 msg::claim_tasks, msg::extend_tasks, msg::save_task, msg::save_task_in_order,
                 msg::release_task, msg::complete_tasks, msg::follow_task, msg::fail_task,
                 msg::put_schedule>;

/// Leases of the past that a worker remembers.
constexpr std::size_t past_max = 4;

/// More than a row may hold, see `world.cpp`.
constexpr std::size_t large_bytes = 200;

struct held_task {
  core::queue_name queue;
  core::worker_id worker; ///< Under whose name.
  msg::leased_task task;
};

/// A program: a producer, a worker or an operator.
struct program : asker<repeatable_task_request> {
  using asker::asker;

  std::vector<held_task> held;
  std::vector<held_task> past; ///< Held no more, for all it knows.
  /// What it has saved with a number, under each lease that it ever had.
  std::map<std::pair<core::task_id, core::token>, std::vector<msg::save_task_in_order>> saves;
  std::deque<msg::enqueue_tasks> to_make;    ///< Of a producer.
  std::vector<msg::enqueue_tasks> requested; ///< The same: what it has asked for.
  std::vector<msg::enqueue_tasks> staged;    ///< Of one that stages its tasks.
  core::duration pause = 30ms;               ///< Of a closer, after asking in vain.
  std::optional<msg::change_task> regret;    ///< Of an operator: undoes the last revival.
  std::deque<msg::put_schedule> to_schedule; ///< Of an operator.
  std::vector<msg::put_schedule> scheduled;  ///< The same: what it has asked for.
  std::uint64_t marks = 0;

  task_auditor& audit() { return world.audit.tasks(); }
  const task_plan& drawn() const { return world.drawn.machine; }
  /// A JSON text that nobody else ever writes.
  std::string mark() {
    core::json_object made;
    made.text("by", name).number("n", std::int64_t(++marks));
    if (drawn().large > 0 && random.hit(drawn().large))
      made.text("and", std::string(large_bytes, '.'));
    return made.str();
  }
};
using program_ptr = std::shared_ptr<program>;

void forget(program& p, const msg::task_ref& ref) {
  const auto found = std::find_if(p.held.begin(), p.held.end(), [&](const held_task& h) {
    return h.task.task == ref.task && h.task.token == ref.token;
  });
  if (found == p.held.end())
    return;
  p.past.push_back(*found);
  p.held.erase(found);
  if (p.past.size() > past_max)
    p.past.erase(p.past.begin());
}

msg::task_ref ref_of(const held_task& h) { return {h.task.task, h.task.token}; }

// --- what a trace says of messages ---

std::string brief_ref(const msg::task_ref& ref) {
  return brief(ref.task) + " under token " + std::to_string(ref.token);
}

std::string show_tasks(const msg::leased_tasks& m) {
  std::string text = "gets " + std::to_string(m.tasks.size()) + " tasks";
  for (const auto& t : m.tasks)
    text += ", " + brief_ref({t.task, t.token});
  return text;
}

std::string show_outcome(const msg::task_outcome& m) {
  return brief(m.task) + ' ' + std::string{to_string(m.refusal)} + (m.repeated ? ", known" : "")
         + (m.detail.empty() ? "" : " (" + m.detail + ')');
}

template <class Message>
std::string show(const program&, const Message& m) {
  if constexpr (std::is_same_v<Message, msg::put_queue>)
    return "puts queue " + m.queue + ' ' + m.policy;
  else if constexpr (std::is_same_v<Message, msg::put_schedule>)
    return "puts schedule " + m.name + " of " + m.queue + ' ' + m.definition;
  else if constexpr (std::is_same_v<Message, msg::pause_queue>)
    return (m.paused ? "pauses " : "resumes ") + m.queue + ' ' + m.type;
  else if constexpr (std::is_same_v<Message, msg::enqueue_tasks>)
    return "makes task " + brief(m.tasks.front().task) + " of type " + m.tasks.front().type + " in "
           + m.queue;
  else if constexpr (std::is_same_v<Message, msg::change_task>)
    return "task " + brief(m.task) + " verb " + std::to_string(m.verb);
  else if constexpr (std::is_same_v<Message, msg::eject_task>)
    return "ejects " + brief(m.task) + (m.worker.empty() ? "" : " for " + m.worker) + ", claim "
           + brief(m.claim);
  else if constexpr (std::is_same_v<Message, msg::redrive_tasks>)
    return "redrives " + m.queue;
  else if constexpr (std::is_same_v<Message, msg::tasks_redriven>)
    return "redriven " + std::to_string(m.redriven);
  else if constexpr (std::is_same_v<Message, msg::claim_tasks>)
    return "claims " + std::to_string(m.most) + " of " + m.queue + " as " + m.worker + ", claim "
           + brief(m.claim) + (m.tied ? ", tied" : "") + (m.wait > 0s ? ", waits" : "");
  else if constexpr (std::is_same_v<Message, msg::leased_tasks>)
    return show_tasks(m);
  else if constexpr (std::is_same_v<Message, msg::extend_tasks>)
    return "extends " + brief_ref(m.tasks.front());
  else if constexpr (std::is_same_v<Message, msg::save_task>)
    return "saves " + brief_ref(m.task);
  else if constexpr (std::is_same_v<Message, msg::save_task_in_order>)
    return "saves " + brief_ref(m.task) + ", number " + std::to_string(m.number);
  else if constexpr (std::is_same_v<Message, msg::release_task>)
    return "releases " + brief_ref(m.task);
  else if constexpr (std::is_same_v<Message, msg::complete_tasks>)
    return "completes " + brief_ref(m.tasks.front().task) + ": " + m.tasks.front().result;
  else if constexpr (std::is_same_v<Message, msg::follow_task>)
    return "completes " + brief_ref(m.done.task) + ", followed by " + brief(m.next.task);
  else if constexpr (std::is_same_v<Message, msg::fail_task>)
    return "fails " + brief_ref(m.task) + ", kind " + std::to_string(m.kind);
  else if constexpr (std::is_same_v<Message, msg::task_outcome>)
    return show_outcome(m);
  else if constexpr (std::is_same_v<Message, msg::task_outcomes>)
    return m.outcomes.empty() ? "nothing" : show_outcome(m.outcomes.front());
  else
    return "done";
}

// --- what a program learns from an answer ---

void take(program& p, const core::queue_name& queue, const core::worker_id& worker,
          const msg::leased_tasks& answer) {
  for (const auto& task : answer.tasks) {
    bool known = false;
    for (const auto* list : {&p.held, &p.past})
      for (const auto& h : *list)
        known = known || (h.task.task == task.task && h.task.token == task.token);
    if (!known)
      p.held.push_back({queue, worker, task});
  }
}

void learn(program& p, const msg::claim_tasks& asked, const msg::leased_tasks& answer) {
  take(p, asked.queue, asked.worker, answer);
}
void learn(program& p, const msg::eject_task& asked, const msg::leased_tasks& answer) {
  take(p, asked.queue, asked.worker, answer);
}
void learn(program& p, const msg::follow_task& asked, const msg::leased_tasks& answer) {
  forget(p, asked.done.task);
  take(p, asked.queue, asked.worker, answer);
}
void learn(program& p, const msg::complete_tasks& asked, const msg::task_outcomes& answer) {
  ++p.answers;
  for (std::size_t i = 0; i < asked.tasks.size() && i < answer.outcomes.size(); ++i)
    if (!outcome_unknown(answer.outcomes[i].refusal))
      forget(p, asked.tasks[i].task);
}
void learn(program& p, const msg::release_task& asked, const msg::task_outcome& answer) {
  if (answer.refusal != core::errc::wrong_state)
    forget(p, asked.task);
}
void learn(program& p, const msg::fail_task& asked, const msg::task_outcome&) {
  forget(p, asked.task);
}
void learn(program& p, const msg::save_task& asked, const msg::task_outcome& answer) {
  if (answer.refusal != core::errc::none && answer.refusal != core::errc::wrong_state)
    forget(p, asked.task);
}
void learn(program& p, const msg::save_task_in_order& asked, const msg::task_outcome& answer) {
  learn(p, msg::save_task{asked.queue, asked.worker, asked.task, asked.update}, answer);
}
void learn(program& p, const msg::enqueue_tasks& asked, const msg::task_outcomes& answer) {
  for (std::size_t i = 0; i < asked.tasks.size() && i < answer.outcomes.size(); ++i)
    if (answer.outcomes[i].refusal == core::errc::overloaded
        || answer.outcomes[i].refusal == core::errc::unavailable)
      p.to_make.push_back({asked.queue, {asked.tasks[i]}});
}
template <class Request, class Answer>
void learn(program&, const Request&, const Answer&) {}

void learn_refusal(program& p, const msg::follow_task& asked, core::errc why) {
  if (why != core::errc::wrong_state && why != core::errc::already_exists)
    forget(p, asked.done.task);
}
void learn_refusal(program& p, const msg::enqueue_tasks& asked, core::errc why) {
  if (why == core::errc::not_found) // its queue is still to come
    p.to_make.push_back(asked);
}
void learn_refusal(program& p, const msg::put_queue& asked, core::errc why) {
  p.world.audit.blame("liveness",
                      "a policy was refused, " + std::string{to_string(why)} + ": " + asked.policy);
}
void learn_refusal(program& p, const msg::put_schedule& asked, core::errc why) {
  p.world.audit.blame("liveness", "a schedule was refused, " + std::string{to_string(why)} + ": "
                                      + asked.definition);
}
template <class Request>
void learn_refusal(program&, const Request&, core::errc) {}

template <class Request>
void ask(self_ptr self, const program_ptr& p, const Request& request) {
  p->audit().sending(request, p->world.now());
  send(self, p, request);
}

/// Impatient ones send the same twice.
template <class Request>
void ask_perhaps_twice(self_ptr self, const program_ptr& p, const Request& request) {
  ask(self, p, request);
  if (p->random.below(8) == 0)
    ask(self, p, request);
}

// --- producers ---

msg::task_request new_request(program& p, const core::queue_name& queue) {
  constexpr std::array<const char*, 3> types{"plain", "moving", "limited"};
  const auto& drawn = p.drawn();
  const auto one_of = [&](const char* kind, std::uint32_t number) {
    return number == 0 ? std::string{} : kind + std::to_string(p.random.below(number + 1));
  };
  msg::task_request r;
  r.task = p.fresh<core::task_id>();
  r.type = p.random.one_of(types);
  r.body = p.mark();
  r.data = p.mark();
  r.priority = static_cast<std::int16_t>(p.random.below(3));
  r.key = one_of("key", drawn.keys);
  r.credential = one_of("credential", drawn.credentials);
  if (drawn.unique_keys > 0 && p.random.below(2) == 0)
    r.unique_key = queue + one_of("unique", drawn.unique_keys);
  r.reject_duplicate = p.random.below(3) == 0;
  r.max_attempts = static_cast<std::uint32_t>(p.random.below(2) * p.random.below(4));
  if (p.random.hit(drawn.later))
    r.run_at = p.world.now() + p.random.span(1s, 30s);
  return r;
}

/// Asks again for what nobody has told it of any more.
void make_again(program& p) {
  for (const auto& request : std::exchange(p.requested, {}))
    for (const auto& task : request.tasks)
      if (!p.audit().was_told(task.task))
        p.to_make.push_back({request.queue, {task}});
      else
        p.requested.push_back({request.queue, {task}});
}

void producer_tick(self_ptr self, const program_ptr& p) {
  auto& world = p->world;
  if (p->must_look_anew())
    make_again(*p);
  self->delayed_send(self, world.calm ? core::duration{300ms} : p->random.span(10ms, 2s),
                     tick_atom::value);
  if (p->under_way > 3)
    return;
  if ((world.calm || p->random.below(3) == 0) && repeat_unknown(self, p))
    return;
  // Nothing that is sent now may be forgotten.
  constexpr std::size_t sent_at_once = 3;
  if (p->to_make.empty() || p->unknown.size() + p->under_way + sent_at_once > unknown_max)
    return;
  auto request = p->to_make.front();
  p->to_make.pop_front();
  for (auto more = p->random.below(3); more > 0 && !p->to_make.empty(); --more)
    if (auto& next = p->to_make.front(); next.queue == request.queue) {
      request.tasks.insert(request.tasks.end(), next.tasks.begin(), next.tasks.end());
      p->to_make.pop_front();
    }
  p->requested.push_back(request);
  ask_perhaps_twice(self, p, request);
  if (!world.calm && p->random.hit(p->drawn().stray)) {
    auto stray = request;
    stray.queue = p->random.one_of(p->drawn().queues);
    ask(self, p, stray);
  }
}

// --- producers that know SQL ---

/// Whether an index of the stage keeps the task from it, whatever a transaction's snapshot shows.
bool is_staged(const field& f, const core::queue_name& queue, const msg::task_request& task) {
  for (const auto& [id, row] : f.tables->task_intake) {
    const auto& spec = row.task.spec;
    const bool has_key =
        !task.unique_key.empty() && row.queue == queue && spec.unique_key == task.unique_key;
    if (!row.refused && (spec.id == task.task || has_key))
      return true;
  }
  return false;
}

/// A transaction that stages one task; false when nothing came of it.
bool commit_task(program& p, const core::queue_name& queue, const msg::task_request& request,
                 bool old_snapshot) {
  auto& world = p.world;
  const auto last = world.tables->last_staged;
  auto copy = request;
  if (old_snapshot)
    world.database->insert_staged(queue, actors::to_core(copy));
  else if (const auto staged = world.database->stage(queue, actors::to_core(copy)); !staged) {
    if (staged.error().code != core::errc::already_exists)
      return false;
    p.audit().not_staged(queue, request, std::nullopt);
  } else if (*staged != request.task) {
    p.audit().not_staged(queue, request, *staged);
  }
  if (world.tables->last_staged != last)
    p.audit().staged(world.tables->last_staged, queue, request);
  world.log.note([&] { return p.name + " stages " + brief(request.task) + " for " + queue; });
  return true;
}

/// Stages again what is not staged any more.
void stage_again(program& p) {
  for (const auto& request : std::exchange(p.staged, {}))
    if (p.audit().awaits_staging(request.tasks.front().task))
      p.to_make.push_back(request);
    else
      p.staged.push_back(request);
}

/// Stages its tasks, and now and then one a second time: after a lost answer, as it were.
void shop_tick(self_ptr self, const program_ptr& p) {
  auto& world = p->world;
  self->delayed_send(self, world.calm ? core::duration{300ms} : p->random.span(10ms, 2s),
                     tick_atom::value);
  if (p->must_look_anew())
    stage_again(*p);
  if (!p->staged.empty() && !world.calm && p->random.below(4) == 0) {
    const auto& again = p->random.one_of(p->staged);
    const auto& task = again.tasks.front();
    const bool old = p->random.below(2) == 0;
    const auto& queue = p->random.below(4) == 0 ? p->random.one_of(p->drawn().queues) : again.queue;
    const bool old_snapshot = old && !is_staged(world, queue, task);
    if (world.tables->queues.count(queue) != 0)
      commit_task(*p, queue, task, old_snapshot);
  }
  if (p->to_make.empty())
    return;
  const auto& next = p->to_make.front();
  if (!commit_task(*p, next.queue, next.tasks.front(), false))
    return;
  p->staged.push_back(next);
  p->to_make.pop_front();
}

// --- workers ---

/// A queue to ask; in the calm, only one where somebody who looks at the dashboard sees work.
std::optional<core::queue_name> some_queue(program& p) {
  std::vector<core::queue_name> open;
  if (p.world.calm)
    for (const auto& [id, row] : p.world.tables->tasks)
      open.push_back(row.queue);
  if (p.world.calm && open.empty())
    return std::nullopt;
  return p.random.one_of(open.empty() ? p.drawn().queues : open);
}

msg::claim_tasks new_claim(program& p, const core::queue_name& queue) {
  const auto& drawn = p.drawn();
  msg::claim_tasks claim;
  claim.queue = queue;
  claim.worker = p.name;
  claim.claim = p.fresh<core::assignment_id>();
  claim.most = static_cast<std::uint32_t>(p.random.between(1, 4));
  if (p.random.below(4) == 0)
    claim.types = {"moving"};
  if (p.random.hit(drawn.patient))
    claim.wait = p.random.span(1ms, 20s);
  claim.tied = p.random.hit(drawn.tied);
  return claim;
}

/// What comes of a task: of one that judges a unit an answer, now and then an impossible one.
std::string result_of(program& p, const held_task& h) {
  if (h.task.type != judging_type)
    return p.mark();
  constexpr std::array<const char*, 3> answers{"red", "blue", "green"};
  const bool impossible = !p.world.calm && p.random.below(8) == 0;
  auto made = core::json_object{};
  made.text("answer", impossible ? "black" : p.random.one_of(answers)).raw("mark", p.mark());
  return made.str();
}

msg::complete_tasks completion(program& p, const held_task& h) {
  return {h.queue, h.worker, {{ref_of(h), result_of(p, h)}}};
}

msg::task_update new_update(program& p, const held_task& h) {
  constexpr std::array<const char*, 3> states{"new", "asked", "done"};
  msg::task_update update;
  update.execution_state = p.mark();
  if (p.random.below(2) == 0)
    update.data = p.mark();
  if (h.task.type == "moving" && p.random.below(3) == 0)
    update.state = p.random.one_of(states);
  update.percent = static_cast<std::uint32_t>(p.random.below(120));
  return update;
}

msg::fail_task failure_report(program& p, const held_task& h, core::failure_kind kind) {
  msg::fail_task failure;
  failure.queue = h.queue;
  failure.worker = h.worker;
  failure.task = ref_of(h);
  failure.kind = static_cast<std::uint8_t>(kind);
  failure.error_code = "SIMULATED";
  failure.detail = "drawn";
  if (kind == core::failure_kind::rate_limited || p.random.below(4) == 0)
    failure.retry_after = p.random.span(0ms, 4s);
  return failure;
}

/// Saves with a number, or says once more what it has said before: what was on its way for long.
void save_in_order(self_ptr self, const program_ptr& p, const held_task& h) {
  auto& saves = p->saves[{h.task.task, h.task.token}];
  if (!saves.empty() && p->random.below(2) == 0)
    return ask(self, p, p->random.one_of(saves));
  saves.push_back({h.queue, h.worker, ref_of(h), saves.size() + 1, new_update(*p, h)});
  ask_perhaps_twice(self, p, saves.back());
}

/// Does something with one of its leases.
void act(self_ptr self, const program_ptr& p) {
  const auto h = p->random.one_of(p->held); // a copy: acting may forget it
  const auto& old = p->past.empty() ? h : p->random.one_of(p->past);
  const auto& w = p->drawn().weights;
  auto pick =
      p->random.below(w.complete + w.complete_twice + w.complete_stale + w.complete_wrong_token
                      + w.follow + w.save + w.save_in_order + w.save_stale + w.extend + w.release
                      + w.fail + w.fail_for_good + w.slow_down + w.forget);
  const auto chosen = [&](std::uint32_t weight) {
    if (pick < weight)
      return true;
    pick -= weight;
    return false;
  };
  if (chosen(w.complete))
    return ask(self, p, completion(*p, h));
  if (chosen(w.complete_twice)) {
    const auto done = completion(*p, h);
    ask(self, p, done);
    return ask(self, p, done);
  }
  if (chosen(w.complete_stale)) {
    auto done = completion(*p, old);
    done.tasks.push_back({ref_of(h), result_of(*p, h)});
    return ask(self, p, done);
  }
  if (chosen(w.complete_wrong_token)) {
    auto done = completion(*p, h);
    done.tasks.front().task.token += p->random.below(2) == 0 ? 1 : static_cast<std::uint64_t>(-1);
    return ask(self, p, done);
  }
  if (chosen(w.follow)) {
    auto next = new_request(*p, h.queue);
    return ask_perhaps_twice(self, p,
                             msg::follow_task{h.queue,
                                              h.worker,
                                              {ref_of(h), result_of(*p, h)},
                                              std::move(next),
                                              p->fresh<core::assignment_id>()});
  }
  if (chosen(w.save))
    return ask_perhaps_twice(self, p,
                             msg::save_task{h.queue, h.worker, ref_of(h), new_update(*p, h)});
  if (chosen(w.save_in_order))
    return save_in_order(self, p, h);
  if (chosen(w.save_stale))
    return ask(self, p, msg::save_task{old.queue, old.worker, ref_of(old), new_update(*p, old)});
  if (chosen(w.extend))
    return ask_perhaps_twice(self, p, msg::extend_tasks{h.queue, h.worker, {ref_of(h)}});
  if (chosen(w.release)) {
    const auto later = p->world.now() + p->random.span(0ms, 5s);
    return ask_perhaps_twice(
        self, p, msg::release_task{h.queue, h.worker, ref_of(h), new_update(*p, h), later});
  }
  if (chosen(w.fail))
    return ask_perhaps_twice(self, p, failure_report(*p, h, core::failure_kind::transient));
  if (chosen(w.fail_for_good))
    return ask(self, p, failure_report(*p, h, core::failure_kind::permanent));
  if (chosen(w.slow_down))
    return ask(self, p, failure_report(*p, h, core::failure_kind::rate_limited));
  forget(*p, ref_of(h));
}

template <class Tick>
void spawn_program(caf::actor_system& system, const program_ptr& p, Tick tick) {
  system.spawn([=](self_ptr self) {
    self->send(self, tick_atom::value);
    return caf::behavior{[=](tick_atom) {
                           if (p->world.over)
                             self->quit();
                           else
                             tick(self, p);
                         },
                         [=](const msg::tasks_lost& lost) {
                           p->audit().told_lost(lost);
                           for (const auto& ref : lost.tasks)
                             forget(*p, ref);
                         }};
  });
}

void work(caf::actor_system& system, const program_ptr& p);

/// Dies, and returns later as somebody who has forgotten some of it.
void die(self_ptr self, const program_ptr& p) {
  p->world.seen.count(event_kind::client_died);
  p->world.log.note([&] { return p->name + " dies"; });
  p->audit().died(p->name);
  p->under_way = 0;
  if (p->random.below(2) == 0)
    while (!p->held.empty())
      forget(*p, ref_of(p->held.front()));
  auto& system = self->system();
  p->world.return_after(p->random.span(0ms, p->world.drawn.session_away_max),
                        [&system, p] { work(system, p); });
  self->quit();
}

void worker_tick(self_ptr self, const program_ptr& p) {
  if (p->world.calm) {
    p->audit().died(p->name);
    return self->quit();
  }
  if (p->random.hit(p->drawn().die))
    return die(self, p);
  self->delayed_send(self, p->random.span(1ms, p->drawn().think_max), tick_atom::value);
  if (p->under_way > 4)
    return;
  if (p->random.below(3) == 0 && repeat_unknown(self, p))
    return;
  if (p->held.empty() || p->random.below(4) == 0)
    ask_perhaps_twice(self, p, new_claim(*p, p->random.one_of(p->drawn().queues)));
  else
    act(self, p);
}

void work(caf::actor_system& system, const program_ptr& p) {
  spawn_program(system, p, worker_tick);
}

/// Does at once whatever it gets, and waits where there is something left to do.
void task_closer_tick(self_ptr self, const program_ptr& p) {
  constexpr core::duration soon = 30ms;
  if (p->under_way == 0)
    p->audit().waits_no_more(p->name);
  auto wait = soon;
  if (p->under_way > 0) {
    wait = p->pause = std::min<core::duration>(p->pause * 3 / 2, 1s);
  } else if (!p->held.empty()) {
    p->pause = soon;
    ask(self, p, completion(*p, p->held.front()));
  } else if (!repeat_unknown(self, p)) {
    p->pause = soon;
    if (const auto queue = some_queue(*p)) {
      msg::claim_tasks claim;
      claim.queue = *queue;
      claim.worker = p->name;
      claim.claim = p->fresh<core::assignment_id>();
      claim.wait = 20s;
      ask(self, p, claim);
      if (p->under_way > 0)
        p->audit().waits(p->name, *queue, p->world.now());
    }
    wait = 200ms;
  }
  self->delayed_send(self, p->paced(wait), tick_atom::value);
}

// --- the operator ---

/// A task that the operator sees on the dashboard, live or not.
std::optional<std::pair<core::queue_name, core::task_id>> some_task(program& p, bool paused_only) {
  std::vector<std::pair<core::queue_name, core::task_id>> tasks;
  for (const auto& [id, row] : p.world.tables->tasks)
    if (!paused_only || row.progress.paused)
      tasks.emplace_back(row.queue, id);
  if (tasks.empty() || (!paused_only && p.random.below(8) == 0))
    for (const auto& [id, row] : p.world.tables->finished_tasks)
      if (!paused_only)
        tasks.emplace_back(row.task.queue, id);
  if (tasks.empty())
    return std::nullopt;
  return p.random.one_of(tasks);
}

void steer_task(self_ptr self, const program_ptr& p, core::task_verb verb) {
  if (const auto task = some_task(*p, verb == core::task_verb::resume))
    ask_perhaps_twice(self, p,
                      msg::change_task{task->first, task->second, static_cast<std::uint8_t>(verb)});
}

void eject(self_ptr self, const program_ptr& p, bool for_itself) {
  const auto task = some_task(*p, false);
  if (!task)
    return;
  msg::eject_task m;
  m.queue = task->first;
  m.task = task->second;
  m.update.data = p->mark();
  if (p->random.below(3) == 0)
    m.next_action = p->world.now() + p->random.span(0ms, 5s);
  if (for_itself)
    m.worker = p->name;
  m.claim = p->fresh<core::assignment_id>();
  ask_perhaps_twice(self, p, m);
}

/// Makes a queue that is not there yet; false when all are.
bool put_queues(self_ptr self, const program_ptr& p) {
  for (const auto& queue : p->drawn().queues)
    if (p->world.tables->queues.count(queue) == 0) {
      ask(self, p, msg::put_queue{queue, p->random.one_of(p->drawn().policies)});
      return true;
    }
  return false;
}

bool put_schedules(self_ptr self, const program_ptr& p) {
  if (p->to_schedule.empty())
    return false;
  const auto request = std::move(p->to_schedule.front());
  p->to_schedule.pop_front();
  p->scheduled.push_back(request);
  ask_perhaps_twice(self, p, request);
  return true;
}

void schedule_again(program& p) {
  for (const auto& request : std::exchange(p.scheduled, {}))
    if (p.world.tables->schedules.count({request.queue, request.name}) == 0)
      p.to_schedule.push_back(request);
    else
      p.scheduled.push_back(request);
}

/// Revives what has failed. Soon after, it may have been a mistake, or not.
void redrive(self_ptr self, const program_ptr& p, const core::queue_name& queue) {
  ask_perhaps_twice(self, p, msg::redrive_tasks{queue, "", "", {}, 100});
  for (const auto& [id, row] : p->world.tables->finished_tasks)
    if (row.task.queue == queue && row.ending == core::task_ending::dead)
      p->regret = msg::change_task{queue, id, static_cast<std::uint8_t>(core::task_verb::cancel)};
}

void regret(self_ptr self, const program_ptr& p) {
  const auto undo = *std::exchange(p->regret, std::nullopt);
  ask(self, p, undo);
  if (p->random.below(2) == 0)
    redrive(self, p, undo.queue);
}

void steer(self_ptr self, const program_ptr& p) {
  const auto& drawn = p->drawn();
  const auto& queue = p->random.one_of(drawn.queues);
  if (p->random.hit(drawn.pause_task))
    steer_task(self, p, core::task_verb::pause);
  if (p->random.below(4) == 0)
    steer_task(self, p, core::task_verb::resume);
  if (p->random.hit(drawn.cancel))
    steer_task(self, p, core::task_verb::cancel);
  if (p->random.hit(drawn.retry))
    steer_task(self, p, core::task_verb::retry);
  if (p->random.hit(drawn.eject))
    eject(self, p, false);
  if (p->random.hit(drawn.take))
    eject(self, p, true);
  if (p->random.hit(drawn.pause_type))
    ask(self, p, msg::pause_queue{queue, "moving", true});
  if (p->random.hit(drawn.pause_queue))
    ask(self, p, msg::pause_queue{queue, "", true});
  if (p->random.below(8) == 0)
    ask(self, p, msg::pause_queue{queue, p->random.below(2) == 0 ? "moving" : "", false});
  if (p->random.hit(drawn.new_policy))
    ask(self, p, msg::put_queue{queue, p->random.one_of(drawn.policies)});
  if (p->regret && p->random.below(3) == 0)
    regret(self, p);
  if (p->random.hit(drawn.redrive))
    redrive(self, p, queue);
  if (p->random.below(10) == 0)
    ask(self, p, msg::get_queue_statistics{queue});
  if (p->random.below(10) == 0)
    if (const auto task = some_task(*p, false))
      ask(self, p, msg::get_task{task->second});
}

/// Takes back what stops the work.
void tidy_up(self_ptr self, const program_ptr& p) {
  for (const auto& [name, row] : p->world.tables->queues) {
    if (row.paused)
      return ask(self, p, msg::pause_queue{name, "", false});
    if (!row.paused_types.empty())
      return ask(self, p, msg::pause_queue{name, row.paused_types.front(), false});
  }
  steer_task(self, p, core::task_verb::resume);
}

void operator_tick(self_ptr self, const program_ptr& p) {
  auto& world = p->world;
  self->delayed_send(self, world.calm ? core::duration{400ms} : p->random.span(10ms, 2s),
                     tick_atom::value);
  if (p->must_look_anew())
    schedule_again(*p);
  world.steering =
      !world.calm || p->under_way > 0 || !p->unknown.empty() || !p->to_schedule.empty();
  if (p->under_way > 3)
    return;
  if ((world.calm || p->random.below(3) == 0) && repeat_unknown(self, p))
    return;
  if (put_queues(self, p) || put_schedules(self, p))
    return;
  if (world.calm)
    return tidy_up(self, p);
  if (!p->held.empty() && p->random.below(2) == 0)
    return act(self, p);
  steer(self, p);
}

/// As RFC 3339 has it.
std::string text_of(core::instant at) {
  const auto seconds = static_cast<std::time_t>(core::to_micros(at) / 1'000'000);
  char text[32];
  std::tm parts{};
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &parts));
  return text;
}

msg::put_schedule put_schedule(const schedule_draft& draft, const std::string& name,
                               core::instant begin) {
  return {draft.queue, name,
          R"({"cron":"* * * * *","backfill":")" + draft.backfill
              + R"(","backfill_max":1000,"grace":)" + std::to_string(draft.grace_seconds)
              + R"(,"until":")" + text_of(begin + std::chrono::minutes{draft.minutes})
              + R"(","task":{"type":"plain","body":{"by":")" + name + R"("}}})"};
}

program_ptr make_program(field& f, const std::string& name, std::uint64_t salt) {
  return std::make_shared<program>(f, name, f.drawn.seed * 1'000'003 + salt);
}

} // namespace

void start_task_clients(caf::actor_system& system, field& f) {
  const auto& drawn = f.drawn.machine;
  const auto operating = make_program(f, "operator", 400);
  for (const auto& draft : drawn.schedules)
    operating->to_schedule.push_back(
        put_schedule(draft, "s" + std::to_string(operating->to_schedule.size()), f.now()));
  spawn_program(system, operating, operator_tick);
  const auto shop = make_program(f, "shop", 450);
  for (std::uint32_t i = 0; i < drawn.producers; ++i) {
    const auto p = make_program(f, "producer" + std::to_string(i), 500 + i);
    for (auto made = i; made < drawn.tasks; made += drawn.producers) {
      const auto& queue = p->random.one_of(drawn.queues);
      const msg::enqueue_tasks make{queue, {new_request(*p, queue)}};
      // All of them must be made in the end.
      if (made % 3 == 2) {
        shop->to_make.push_back(make);
        p->audit().to_be_staged(make.tasks.front().task);
      } else {
        p->to_make.push_back(make);
        p->audit().sending(make, f.now());
      }
    }
    spawn_program(system, p, producer_tick);
  }
  spawn_program(system, shop, shop_tick);
  for (std::uint32_t i = 0; i < drawn.workers; ++i)
    work(system, make_program(f, "w" + std::to_string(i), 600 + i));
}

void start_task_closers(caf::actor_system& system, field& f) {
  constexpr std::uint32_t closers = 3;
  for (std::uint32_t i = 0; i < closers; ++i)
    spawn_program(system, make_program(f, "hand" + std::to_string(i), 700 + i), task_closer_tick);
}

} // namespace holdfast::sim
