#include "http/composed/waiting_requests.hpp"

#include "http/step_lines.hpp"
#include "http/waiting_call.hpp"

#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::http {

namespace {

/// Answers a waiting call with a failure, unless it has been answered.
void refuse_waiting(const waiting_call_ptr& call, const core::failure& why) {
  if (call->settle())
    door::refuse(call->from(), why);
}

// --- a task ---

bool has_ended(const msg::task_view& task) { return task.finished_at != core::instant{}; }

/// The queue has said that the task is over, or that the time is.
void answer_after_wait(const door& through, const waiting_call_ptr& call, core::task_id task,
                       bool is_live) {
  if (is_live) {
    if (call->settle())
      call->from().call->answer(no_content());
    return;
  }
  through.send(
      msg::get_task{task},
      [&through, call](msg::task_view& view) {
        if (!has_ended(view)) // its queue has not taken it in yet
          refuse_waiting(
              call, {core::errc::unavailable, "the queue does not know the task yet; ask again"});
        else if (call->settle())
          through.answer(call->from(), view);
      },
      [call](const core::failure& why) { refuse_waiting(call, why); });
}

void await_end(const door& through, const visit& from, const msg::task_view& view,
               core::duration wait) {
  const msg::await_task request{view.queue, view.task, {from.parts.make_id()}, wait};
  auto give_up = request;
  give_up.wait = core::duration::zero();
  const auto call = waiting_call::begin(through, from, [&through, give_up] {
    through.send(
        give_up, [](const msg::task_awaited&) {}, [](const core::failure&) {});
  });
  if (!call)
    return;
  through.send(
      request,
      [&through, call](const msg::task_awaited& told) {
        answer_after_wait(through, call, told.task, told.live);
      },
      [call](const core::failure& why) {
        // The host of the queue may be of a version that knows no such request.
        refuse_waiting(call, why.code == core::errc::invalid_argument
                                 ? core::failure{core::errc::unavailable, why.detail}
                                 : why);
      });
  call->arm();
}

// --- a unit of a step ---

using unit_turn = std::shared_ptr<const open_claims::turn>;

/// One request for an assignment that waits.
struct wait_for_unit {
  waiting_call_ptr call;
  msg::ask_assignment message;
  unit_turn turn; ///< Among the calls under the same id.
};
using unit_wait = std::shared_ptr<const wait_for_unit>;

/// Gives back a unit that no client is there for.
void give_unit_back(const door& through, const wait_for_unit& wait,
                    const msg::assignment& granted) {
  if (!wait.turn->is_last())
    return;
  through.send(
      msg::release_assignment{granted.step, granted.unit, wait.message.contributor, granted.token,
                              false},
      [](const msg::assignment_released&) {}, [](const core::failure&) {});
}

/// Asks once. `done` hears whether the wait is over.
void ask_once(const door& through, const unit_wait& wait, bool is_first, step_lines::done done) {
  through.send(
      wait->message,
      [&through, wait, done](msg::assignment& granted) {
        if (wait->call->settle())
          through.answer(wait->call->from(), granted);
        else
          give_unit_back(through, *wait, granted);
        done(true);
      },
      [wait, is_first, done](const core::failure& why) {
        const bool waits_on = why.code == core::errc::no_unit_available
                              || (!is_first && core::is_transient(why.code));
        if (!waits_on)
          refuse_waiting(wait->call, why);
        done(wait->call->is_settled());
      });
}

} // namespace

std::vector<other_answer> task_wanted::other_answers() {
  return {{204, "Of a request with `wait`: the task has not ended in that time.", false}};
}

void task_wanted::run(const door& through, const visit& from, const task_wanted& asked) {
  through.ask(from, asked.message, [&through, from, wait = asked.wait](msg::task_view& view) {
    if (has_ended(view) || wait <= core::duration::zero())
      return through.answer(from, view);
    await_end(through, from, view, wait);
  });
}

std::vector<other_answer> assignment_wanted::other_answers() {
  return {{204, "Of a request with `wait`: there was no unit in that time.", false}};
}

namespace {

void ask_for_unit(const door& through, const visit& from, const assignment_wanted& asked) {
  if (asked.wait <= core::duration::zero())
    return through.send(
        asked.message,
        [&through, from](msg::assignment& granted) { through.answer(from, granted); },
        [from](const core::failure& why) {
          if (why.code == core::errc::no_unit_available && names_wait(from))
            from.call->answer(no_content());
          else
            door::refuse(from, why);
        });
  const auto call = waiting_call::begin(through, from, {});
  if (!call)
    return;
  const auto wait = std::make_shared<const wait_for_unit>(
      wait_for_unit{call, asked.message, through.begin_claim(asked.message.assignment)});
  call->arm();
  through.run(
      [weak = std::weak_ptr<waiting_call>{call}] {
        if (const auto still = weak.lock(); still && still->settle())
          still->from().call->answer(no_content());
      },
      asked.wait);
  const auto step = asked.message.step;
  through.run([&through, wait, step] {
    const auto seen = through.lines()->seen_of(step);
    ask_once(through, wait, true, [&through, wait, step, seen](bool over) {
      if (over)
        return;
      const auto who = std::make_shared<const step_lines::seeker>(
          step_lines::seeker{[wait] { return wait->call->is_settled(); },
                             [&through, wait](step_lines::done done) {
                               ask_once(through, wait, false, std::move(done));
                             }});
      through.lines()->join(step, who, seen);
    });
  });
}

} // namespace

void assignment_wanted::run(const door& through, const visit& from,
                            const assignment_wanted& asked) {
  if (through.admits(from, asked.message))
    through.within_reach(from, asked.message,
                         [&through, from, asked] { ask_for_unit(through, from, asked); });
}

} // namespace holdfast::http
