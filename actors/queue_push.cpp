// The part of the queue actor that has its tasks posted to a receiver.

#include "actors/pusher.hpp"
#include "actors/queue_state.hpp"

#include <utility>

namespace holdfast::actors {

namespace {

/// Nobody is granted tasks by the claim of a pusher that waits.
void call_off_pushing(queue_ptr self) {
  stop_waiting_of(self, [worker = core::pusher_of(self->state.queue.name)](const auto& claim) {
    return claim.command.worker == worker;
  });
}

void start_pusher(queue_ptr self) {
  auto& st = self->state;
  if (!st.pushes_by.push || !st.context->settings.webhooks)
    return;
  const auto started = self->spawn(pusher, st.context, caf::actor_cast<caf::actor>(self),
                                   st.queue.name, st.pushes_by);
  self->monitor(started);
  st.pushers.put(st.queue.name, started);
}

} // namespace

void push_by(queue_ptr self, const core::queue_policy& policy) {
  auto& st = self->state;
  st.pushes_by = policy;
  const auto running = st.pushers.find(st.queue.name);
  if (!running)
    return start_pusher(self);
  // Before its claim is called off: the next one is by the new policy.
  self->send(running, follow_push{policy});
  call_off_pushing(self);
}

bool on_pusher_down(queue_ptr self, const caf::down_msg& down) {
  auto& st = self->state;
  if (st.pushers.ended(down.source) == nullptr)
    return false;
  call_off_pushing(self);
  if (down.reason)
    st.context->log(log_level::error, "pusher_down",
                    {{"queue", st.queue.name}, {"reason", caf::to_string(down.reason)}});
  else // perhaps one was put while it was ending
    look_after_pusher(self);
  return true;
}

void look_after_pusher(queue_ptr self) {
  auto& st = self->state;
  if (!st.pushers.find(st.queue.name))
    start_pusher(self);
}

void on_give_back(queue_ptr self, const asked& from, give_back_pushed& m) {
  auto& request = m.request;
  auto decided = core::decide(self->state.queue,
                              core::release_task{std::move(request.worker),
                                                 {request.task.task, request.task.token},
                                                 {},
                                                 request.next_action,
                                                 std::move(m.why)},
                              time(self));
  carry_out(self, std::move(decided.changes), from.promise, to_message(std::move(decided.answer)));
  look_after(self);
}

} // namespace holdfast::actors
