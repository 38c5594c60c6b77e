// The part of the queue actor that says why a task does not move.

#include "actors/queue_state.hpp"
#include "actors/task_status.hpp"
#include "core/task_explanation.hpp"

namespace holdfast::actors {

namespace {

msg::task_explanation to_message(const core::task_id& task, std::string status,
                                 std::vector<core::reason> reasons) {
  msg::task_explanation told{task, std::move(status), {}};
  for (auto& why : reasons)
    told.reasons.push_back({std::move(why.code), std::move(why.text)});
  return told;
}

void explain_stored(queue_ptr self, const held_promise& promise, const core::task_id& task) {
  read_tasks(self, {task})
      .then(
          [=](const std::vector<persistence::task_history>& found) {
            const auto& name = self->state.queue.name;
            if (found.empty() || found.front().queue != name)
              return fail(promise, core::errc::not_found,
                          "the queue " + name + " has no task " + to_string(task));
            const auto& history = found.front();
            if (!history.finished) // another host of the queue may have made it
              return fail(promise, core::errc::unavailable,
                          "the task is live, but this node does not know it; ask again");
            const auto& over = *history.finished;
            promise.deliver(to_message(task, status_of(history),
                                       core::explain(over.ending, over.error, over.finished_at)));
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace

void on_explain(queue_ptr self, const asked& from, const msg::explain_task& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  const auto found = st.queue.tasks.find(request.task);
  if (found != st.queue.tasks.end()) {
    const auto& task = found->second;
    return carry_out(
        self, {}, promise,
        to_message(request.task, status_of(task), core::explain(st.queue, task, time(self))));
  }
  // What has just ended is in the database when everything before this is.
  st.pending.answer(self, st.context, st.identity.shard,
                    [=, task = request.task](const core::failure& why) {
                      if (why.code == core::errc::none)
                        explain_stored(self, promise, task);
                      else
                        promise.deliver(msg::to_error(why));
                    });
}

} // namespace holdfast::actors
