#include "http/composed/task_requests.hpp"

#include "core/trace.hpp"
#include "http/composed/lease_ends.hpp"
#include "http/waiting_call.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace holdfast::http {

namespace {

/// The id of the task at `place` in a request that is repeatable under `key`: the same whenever
/// that request comes again, and unlike the ids of all others. The time, the version and the
/// variant of the key stay; the rest of its second half is mixed with the place as in SplitMix64
/// (Steele, Lea, Flood 2014).
core::uuid id_at_place(const core::uuid& key, std::size_t place) {
  constexpr std::uint8_t variant_bits = 0xc0;
  std::uint64_t mixed = 0;
  for (std::size_t i = 8; i < key.bytes.size(); ++i)
    mixed = mixed << 8 | key.bytes[i];
  mixed += (std::uint64_t{place} + 1) * 0x9e3779b97f4a7c15ULL;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebULL;
  mixed ^= mixed >> 31;
  auto id = key;
  for (std::size_t i = id.bytes.size() - 1; i >= 8; --i, mixed >>= 8)
    id.bytes[i] = static_cast<std::uint8_t>(mixed);
  id.bytes[8] = static_cast<std::uint8_t>((key.bytes[8] & variant_bits)
                                          | (id.bytes[8] & ~unsigned{variant_bits}));
  return id;
}

/// Gives new tasks the ids and the trace that the request does not name.
void fill_in_tasks(const visit& from, std::vector<msg::task_request>& tasks) {
  auto trace = core::parse_traceparent(header_of(from.call->asked(), "traceparent"));
  if (const auto own = from.call->trace(); own && !trace) // the request has begun one
    trace = *own;
  for (std::size_t place = 0; place < tasks.size(); ++place) {
    auto& one = tasks[place];
    if (!one.task)
      one.task.value = from.parts.idempotency_key ? id_at_place(*from.parts.idempotency_key, place)
                                                  : from.parts.make_id();
    if (!trace || !one.trace_id.empty() || !one.span_id.empty())
      continue;
    one.trace_id = trace->trace_id;
    one.span_id = trace->span_id;
  }
}

msg::task_outcome only_outcome(msg::task_outcome& said) { return std::move(said); }
msg::task_outcome only_outcome(msg::task_outcomes& said) {
  if (!said.outcomes.empty())
    return std::move(said.outcomes.front());
  return {{}, core::errc::unavailable, "the node told nothing of the task", false};
}

/// Whether the outcome is a refusal; then the call has been answered with it.
bool is_refused(const visit& from, msg::task_outcome& outcome) {
  if (outcome.refusal == core::errc::none)
    return false;
  door::refuse(from, {outcome.refusal, std::move(outcome.detail)});
  return true;
}

/// Gives `next` the request with the queue of the task, which is looked up where it is left out.
template <class Request, class Next>
void with_queue(const door& through, const visit& from, core::task_id task, Request message,
                Next next) {
  if (!through.admits(from, message))
    return;
  if (!message.queue.empty())
    return next(std::move(message));
  through.look_up_queue(from, task,
                        [message = std::move(message),
                         next = std::move(next)](const core::queue_name& queue) mutable {
                          message.queue = queue;
                          next(std::move(message));
                        });
}

/// Asks about one task; the answer is that of the call.
template <class Request>
void ask_about_task(const door& through, const visit& from, core::task_id task, Request message) {
  with_queue(through, from, task, std::move(message), [&through, from](Request whole) {
    through.ask(from, std::move(whole),
                [&through, from](auto& said) { through.answer(from, said); });
  });
}

/// Reports about one task; the outcome is the answer of the call.
template <class Request>
void report_about_task(const door& through, const visit& from, core::task_id task,
                       Request message) {
  with_queue(through, from, task, std::move(message), [&through, from](Request whole) {
    through.ask(from, std::move(whole), [&through, from](auto& said) {
      auto outcome = only_outcome(said);
      if (is_refused(from, outcome))
        return;
      task_done done{outcome.task, outcome.repeated};
      through.answer(from, done);
    });
  });
}

void remember_queues(const door& through, const core::queue_name& queue,
                     const msg::leased_tasks& leased) {
  for (const auto& one : leased.tasks)
    through.remember_queue(one.task, queue);
}

/// Gives back tasks that no client is there for. A release that fails, or that comes a second time,
/// harms nobody: the lease runs out, or its token is old.
void give_back(const door& through, const msg::claim_tasks& claim,
               const msg::leased_tasks& granted) {
  for (const auto& one : granted.tasks) {
    msg::release_task back;
    back.queue = claim.queue;
    back.worker = claim.worker;
    back.task = {one.task, one.token};
    through.send(
        std::move(back), [](const msg::task_outcome&) {}, [](const core::failure&) {});
  }
}

using turn_ptr = std::shared_ptr<const open_claims::turn>;

/// Ends a claim that waits: the same one again, which does not wait, ends the wait of both. When
/// the first was granted tasks at that moment, both answers have them.
void call_off(const door& through, msg::claim_tasks claim, const turn_ptr& turn) {
  claim.wait = core::duration::zero();
  auto again = claim;
  through.send(
      std::move(again),
      [&through, claim = std::move(claim), turn](const msg::leased_tasks& granted) {
        if (turn->is_last())
          give_back(through, claim, granted);
      },
      [](const core::failure&) {});
}

void answer_claim(const door& through, const visit& from, const msg::claim_tasks& claim,
                  msg::leased_tasks& granted) {
  remember_queues(through, claim.queue, granted);
  if (!granted.tasks.empty())
    return through.answer(from, granted);
  from.call->answer(names_wait(from)
                        ? no_content()
                        : problem_of(core::failure{core::errc::no_unit_available,
                                                   "no task of the queue " + claim.queue
                                                       + " is ready for this worker"}));
}

void make_many(const door& through, const visit& from, msg::enqueue_tasks message,
               set_aside aside) {
  aside.take_out(message.tasks);
  const auto answer = [&through, from, aside](msg::task_outcomes& said) {
    aside.put_back(said);
    tasks_made made;
    made.is = tasks_made::form::many;
    made.outcomes = std::move(said.outcomes);
    through.answer(from, made, 200);
  };
  if (!message.tasks.empty())
    return through.ask(from, std::move(message), answer);
  msg::task_outcomes nothing;
  if (through.admits(from, message))
    answer(nothing);
}

void change_one_task(const door& through, const visit& from, task_change asked,
                     core::task_verb what) {
  asked.message.verb = static_cast<std::uint8_t>(what);
  const auto task = asked.message.task;
  ask_about_task(through, from, task, std::move(asked.message));
}

void set_paused(const door& through, const visit& from, queue_change asked, bool paused) {
  asked.message.paused = paused;
  through.ask(from, std::move(asked.message),
              [&through, from](msg::queue_view& view) { through.answer(from, view); });
}

} // namespace

// --- producers ---

std::vector<other_answer> make_tasks::other_answers() {
  return {{200, "Of many tasks: their outcomes.", true}};
}

void make_tasks::run(const door& through, const visit& from, make_tasks asked) {
  const bool many = !asked.tasks.empty();
  msg::enqueue_tasks message;
  message.queue = std::move(asked.queue);
  message.tasks = std::move(asked.tasks);
  if (!many)
    message.tasks.push_back(std::move(asked.task));
  fill_in_tasks(from, message.tasks); // by their places, before any is taken out
  if (many)
    return make_many(through, from, std::move(message), std::move(asked.aside));
  through.ask(from, std::move(message), [from](msg::task_outcomes& said) {
    tasks_made made;
    auto outcome = only_outcome(said);
    if (is_refused(from, outcome))
      return;
    made.is = tasks_made::form::one;
    made.task = outcome.task;
    made.repeated = outcome.repeated;
    response with;
    with.status = from.success;
    with.headers.push_back({"Location", "/v1/tasks/" + core::to_string(outcome.task)});
    with.body = to_json(made, from.parts.now);
    from.call->answer(std::move(with));
  });
}

// --- workers ---

std::vector<other_answer> claim_tasks::other_answers() {
  return {{204, "Of a request with `wait`: no task was ready in that time.", false}};
}

void claim_tasks::run(const door& through, const visit& from, claim_tasks asked) {
  const auto claim = std::make_shared<const msg::claim_tasks>(std::move(asked.claim));
  if (!through.admits(from, *claim))
    return;
  const auto turn = through.begin_claim(claim->claim);
  const auto give_up = [&through, claim, turn] {
    if (claim->wait > core::duration::zero() && turn->is_last())
      call_off(through, *claim, turn);
  };
  const auto waiting = claim->wait > core::duration::zero()
                           ? waiting_call::begin(through, from, give_up)
                           : waiting_call::begin_without_place(from, give_up);
  if (!waiting)
    return;
  through.send_for(
      waiting->from(), *claim,
      [&through, waiting, claim, turn](msg::leased_tasks& granted) {
        // Either the client gets the tasks, or they go back.
        if (waiting->settle())
          answer_claim(through, waiting->from(), *claim, granted);
        else if (turn->is_last())
          give_back(through, *claim, granted);
      },
      [waiting](const core::failure& why) {
        if (waiting->settle())
          door::refuse(waiting->from(), why);
      });
  waiting->arm(); // only now, so that nothing calls the claim off before it has been sent
}

// --- one task by its id ---

void complete_task::run(const door& through, const visit& from, complete_task asked) {
  const auto id = asked.task.task;
  if (asked.follow.body.empty()) {
    msg::complete_tasks message{std::move(asked.queue), std::move(asked.worker), {}};
    message.tasks.push_back({asked.task, std::move(asked.result)});
    return with_queue(
        through, from, id, std::move(message), [&through, from](msg::complete_tasks whole) {
          through.ask(from, std::move(whole), [&through, from](msg::task_outcomes& said) {
            auto outcome = only_outcome(said);
            if (is_refused(from, outcome))
              return;
            task_completed done;
            done.is = task_completed::form::alone;
            done.task = outcome.task;
            done.repeated = outcome.repeated;
            through.answer(from, done);
          });
        });
  }
  std::vector<msg::task_request> next{std::move(asked.follow)};
  fill_in_tasks(from, next);
  msg::follow_task message;
  message.queue = std::move(asked.queue);
  message.worker = std::move(asked.worker);
  message.done = {asked.task, std::move(asked.result)};
  message.next = std::move(next.front());
  message.claim = asked.claim;
  with_queue(through, from, id, std::move(message), [&through, from, id](msg::follow_task whole) {
    const auto in_queue = whole.queue;
    through.ask(from, std::move(whole), [&through, from, id, in_queue](msg::leased_tasks& leased) {
      remember_queues(through, in_queue, leased);
      task_completed done;
      done.is = task_completed::form::followed;
      done.task = id;
      if (!leased.tasks.empty())
        done.follower = std::move(leased.tasks.front());
      through.answer(from, done);
    });
  });
}

void extend_task::run(const door& through, const visit& from, extend_task asked) {
  const auto lease = asked.task;
  msg::extend_tasks message{std::move(asked.queue), std::move(asked.worker), {lease}};
  with_queue(through, from, lease.task, std::move(message),
             [&through, from, lease](msg::extend_tasks whole) {
               through.ask(from, std::move(whole),
                           [&through, from, lease](msg::task_outcomes& said) {
                             auto outcome = only_outcome(said);
                             if (is_refused(from, outcome))
                               return;
                             look_up_end(through, lease,
                                         [&through, from, task = outcome.task,
                                          repeated = outcome.repeated](core::instant expires_at) {
                                           task_extended extended{task, repeated, expires_at};
                                           through.answer(from, extended);
                                         });
                           });
             });
}

void fail_task::run(const door& through, const visit& from, fail_task asked) {
  const auto task = asked.message.task.task;
  report_about_task(through, from, task, std::move(asked.message));
}

void release_task::run(const door& through, const visit& from, release_task asked) {
  const auto task = asked.message.task.task;
  report_about_task(through, from, task, std::move(asked.message));
}

void save_task::run(const door& through, const visit& from, save_task asked) {
  auto& save = asked.message;
  const auto task = save.task.task;
  if (save.number != 0)
    return report_about_task(through, from, task, std::move(save));
  report_about_task(through, from, task,
                    msg::save_task{std::move(save.queue), std::move(save.worker), save.task,
                                   std::move(save.update)});
}

void eject_task::run(const door& through, const visit& from, eject_task asked) {
  const auto task = asked.message.task;
  ask_about_task(through, from, task, std::move(asked.message));
}

void cancel_task::run(const door& through, const visit& from, cancel_task asked) {
  change_one_task(through, from, std::move(asked), core::task_verb::cancel);
}

void pause_task::run(const door& through, const visit& from, pause_task asked) {
  change_one_task(through, from, std::move(asked), core::task_verb::pause);
}

void resume_task::run(const door& through, const visit& from, resume_task asked) {
  change_one_task(through, from, std::move(asked), core::task_verb::resume);
}

void retry_task::run(const door& through, const visit& from, retry_task asked) {
  change_one_task(through, from, std::move(asked), core::task_verb::retry);
}

void explain_task::run(const door& through, const visit& from, explain_task asked) {
  const auto task = asked.message.task;
  ask_about_task(through, from, task, std::move(asked.message));
}

// --- queues ---

void get_queue::run(const door& through, const visit& from, get_queue asked) {
  through.ask(from, msg::list_queues{asked.queue},
              [&through, from, queue = asked.queue](msg::queue_list& found) {
                for (auto& one : found.queues)
                  if (one.queue == queue)
                    return through.answer(from, one);
                from.call->answer(
                    problem_of(core::failure{core::errc::not_found, "there is no queue " + queue}));
              });
}

void pause_queue::run(const door& through, const visit& from, pause_queue asked) {
  set_paused(through, from, std::move(asked), true);
}

void resume_queue::run(const door& through, const visit& from, resume_queue asked) {
  set_paused(through, from, std::move(asked), false);
}

} // namespace holdfast::http
