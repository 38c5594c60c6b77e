// The part of the queue actor that lets requests wait for the end of a task.

#include "actors/queue_state.hpp"
#include "actors/repeated_request.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace holdfast::actors {

namespace {

using await_map = std::unordered_map<core::assignment_id, queue_state::awaited_end>;

/// Answers a wait and forgets it.
void answer_wait(queue_ptr self, await_map::iterator at, bool live) {
  auto& st = self->state;
  const auto wait = std::move(at->second);
  st.awaited_until.erase({wait.until, at->first});
  const auto of_task = st.awaited_tasks.find(wait.task);
  auto& ids = of_task->second;
  ids.erase(std::remove(ids.begin(), ids.end(), at->first), ids.end());
  if (ids.empty())
    st.awaited_tasks.erase(of_task);
  st.awaited_ends.erase(at);
  for (const auto& promise : wait.promises)
    promise.deliver(msg::task_awaited{wait.task, live});
}

/// The wait lasts until `until`; the time of a repetition counts.
void set_end(queue_ptr self, await_map::iterator at, core::instant until) {
  auto& ends = self->state.awaited_until;
  ends.erase({at->second.until, at->first});
  at->second.until = until;
  ends.emplace(until, at->first);
}

} // namespace

void on_await_task(queue_ptr self, const asked& from, const msg::await_task& request) {
  auto& st = self->state;
  const auto until = time(self) + request.wait;
  if (const auto known = st.awaited_ends.find(request.id); known != st.awaited_ends.end()) {
    if (known->second.task != request.task)
      return fail(from.promise, core::errc::already_exists, "a wait for another task has this id");
    add_repetition(known->second.promises, from.promise);
    set_end(self, known, until);
    return look_after(self);
  }
  const bool live = st.queue.tasks.count(request.task) != 0;
  if (!live || request.wait <= core::duration::zero())
    // An end that has just been decided is told when it is durable.
    return carry_out(self, {}, from.promise, msg::task_awaited{request.task, live});
  if (const auto most = st.context->settings.claims_waiting_max; st.awaited_ends.size() >= most)
    return fail(from.promise, core::errc::overloaded,
                std::to_string(most)
                    + " requests wait for ends of tasks of this queue already"
                      " (task.claims_waiting_max)");
  st.awaited_tasks[request.task].push_back(request.id);
  const auto wait =
      st.awaited_ends
          .emplace(request.id, queue_state::awaited_end{request.task, {from.promise}, until})
          .first;
  set_end(self, wait, until);
  look_after(self);
}

std::vector<core::assignment_id> waits_ended_by(queue_ptr self, const core::change& changes) {
  std::vector<core::assignment_id> waits;
  const auto& awaited = self->state.awaited_tasks;
  if (awaited.empty())
    return waits;
  for (const auto& write : changes.writes)
    if (const auto* gone = std::get_if<core::finish_task>(&write))
      if (const auto found = awaited.find(gone->task); found != awaited.end())
        waits.insert(waits.end(), found->second.begin(), found->second.end());
  return waits;
}

void tell_ended(queue_ptr self, const std::vector<core::assignment_id>& waits) {
  auto& all = self->state.awaited_ends;
  for (const auto& id : waits)
    if (const auto at = all.find(id); at != all.end())
      answer_wait(self, at, false);
}

void end_long_waits(queue_ptr self) {
  auto& st = self->state;
  const auto at = time(self);
  while (!st.awaited_until.empty() && st.awaited_until.begin()->first <= at)
    answer_wait(self, st.awaited_ends.find(st.awaited_until.begin()->second), true);
}

core::instant next_wait_end(queue_ptr self) {
  const auto& ends = self->state.awaited_until;
  return ends.empty() ? core::instant::max() : ends.begin()->first;
}

} // namespace holdfast::actors
