// The part of the queue actor that learns what nobody tells it: tasks that it has forgotten, and
// workers that are gone without a word.

#include "actors/queue_state.hpp"

#include <algorithm>

namespace holdfast::actors {

namespace {

/// Unknown tasks that are read at once; the next look finds the others.
constexpr std::size_t read_at_once = 100;

void log_found(queue_ptr self, const core::task_id& task, const char* what) {
  self->state.context->log(
      log_level::error, "task_found",
      {{"queue", self->state.queue.name}, {"task", core::to_string(task)}, {"what", what}});
}

/// Takes in what the database has, unless this queue has ended it since.
void take_in_found(queue_ptr self, std::vector<persistence::task_history>& found) {
  auto& st = self->state;
  const auto ended_since = end_read(self);
  for (auto& history : found) {
    if (!history.live || history.queue != st.queue.name)
      continue;
    const auto id = history.live->spec.id;
    if (st.queue.tasks.count(id) != 0 || ended_since.count(id) != 0)
      continue;
    log_found(self, id, "the queue did not know of it");
    core::enter(st.queue, std::move(*history.live));
  }
  look_after(self);
}

/// Reads them as they are once all that the queue has decided about them is durable.
void read_unknown(queue_ptr self, const std::vector<core::task_id>& unknown) {
  auto& st = self->state;
  st.looking_for = true;
  ++st.reads;
  st.pending.after_all([=](const core::failure& why) {
    if (why.code != core::errc::none) { // the queue ends
      end_read(self);
      return;
    }
    read_tasks(self, unknown)
        .then(
            [=](std::vector<persistence::task_history>& found) {
              self->state.looking_for = false;
              self->state.lookout_fault.over();
              take_in_found(self, found);
            },
            [=](const core::failure& lost) { // the next look asks again
              auto& state = self->state;
              state.looking_for = false;
              end_read(self);
              if (state.lookout_fault.met(lost.detail))
                state.context->log(log_level::warning, "forgotten_tasks_not_read",
                                   {{"queue", state.queue.name}, {"reason", lost.detail}});
            });
  });
}

} // namespace

void on_look_for(queue_ptr self, const look_for_tasks& m) {
  auto& st = self->state;
  if (!st.loaded || st.looking_for || st.queue.revision == 0 || st.queue.removed)
    return;
  auto overlooked = core::look_for(st.queue, m.tasks, time(self));
  for (const auto& task : overlooked.found)
    log_found(self, task, "the queue had lost sight of it");
  auto& unknown = overlooked.unknown;
  unknown.erase(std::remove_if(unknown.begin(), unknown.end(),
                               [&](const core::task_id& id) {
                                 return st.recently_finished.count(id) != 0
                                        || st.unreadable.count(id) != 0;
                               }),
                unknown.end());
  unknown.resize(std::min(unknown.size(), read_at_once));
  if (!unknown.empty())
    read_unknown(self, std::move(unknown));
  if (!overlooked.found.empty())
    look_after(self);
}

void on_processes(queue_ptr self) {
  auto& st = self->state;
  if (const auto processes = st.context->processes.last()) {
    stop_waiting_of(self, [&](const queue_state::waiting_claim& claim) {
      return core::has_ended(*processes, claim.command.worker);
    });
    auto decided = core::decide(st.queue, core::lose_processes{*processes}, time(self));
    if (!decided.changes.empty())
      carry_out_losing(self, std::move(decided.changes), decided.answer,
                       [](const core::failure&) {});
  }
  look_after(self);
}

std::unordered_set<core::task_id> end_read(queue_ptr self) {
  auto& st = self->state;
  auto ended = st.ended_since;
  if (--st.reads == 0)
    st.ended_since.clear();
  return ended;
}

} // namespace holdfast::actors
