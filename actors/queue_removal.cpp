// The part of the queue actor that removes the queue.

#include "actors/queue_state.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

void remove_now(queue_ptr self, const held_promise& promise, std::uint64_t staged,
                std::uint64_t finished) {
  auto& st = self->state;
  // Others have been decided while the tasks were counted, perhaps the same request among them.
  if (is_being_removed(self, promise))
    return;
  if (const auto why = room_to_write(*st.context); why.code != core::errc::none)
    return promise.deliver(msg::to_error(why));
  auto decided =
      core::decide(st.queue, core::remove_queue{staged, st.unreadable.size()}, time(self));
  if (decided.refusal != core::errc::none)
    return refuse(self, promise, {decided.refusal, std::move(decided.detail)});
  stop_waiting_of(self, [](const queue_state::waiting_claim&) { return true; });
  carry_out(self, promise.noted(std::move(decided.changes)),
            [=, schedules = decided.answer](const core::failure& why) {
              if (why.code != core::errc::none) // and the queue ends
                return promise.deliver(msg::to_error(why));
              auto& state = self->state;
              state.gone = true;
              promise.deliver(msg::queue_removed{state.queue.name, true, schedules, finished});
            });
}

/// The stage is counted last: a task that is staged later than that is refused.
void remove_when_stage_known(queue_ptr self, const held_promise& promise, std::uint64_t finished) {
  const auto& st = self->state;
  read(self, st.links.reader,
       [queue = st.queue.name](persistence::store& db) { return db.count_staged(queue); })
      .then(
          [=](const persistence::staged_counts& stage) {
            remove_now(self, promise, stage.staged, finished);
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

void count_and_remove(queue_ptr self, const held_promise& promise) {
  const auto& st = self->state;
  read(self, st.links.reader,
       [queue = st.queue.name](persistence::store& db) { return db.count_tasks(queue); })
      .then(
          [=](const persistence::queue_counts& counts) {
            remove_when_stage_known(
                self, promise, counts.completed + counts.failed + counts.canceled + counts.dead);
          },
          [=](const core::failure& why) { promise.deliver(msg::to_error(why)); });
}

} // namespace

void on_remove_queue(queue_ptr self, const asked& from, const msg::remove_queue& request) {
  auto& st = self->state;
  const auto& promise = from.promise;
  if (st.queue.revision == 0) {
    carry_out(self, {}, promise, msg::queue_removed{request.queue});
    return self->quit(); // as after any request to a queue that does not exist
  }
  // The database counts what is durable.
  st.pending.answer(self, st.context, st.identity.shard, [=](const core::failure& why) {
    if (why.code == core::errc::none)
      count_and_remove(self, promise);
    else
      promise.deliver(msg::to_error(why));
  });
}

} // namespace holdfast::actors
