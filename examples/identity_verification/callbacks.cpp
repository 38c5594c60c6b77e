#include "examples/identity_verification/callbacks.hpp"

#include <optional>
#include <utility>

namespace identity {

namespace {

/// What `call` makes of a task in this state, if it awaits the call.
std::optional<verification> moved_by(const callback& call, const std::string& state,
                                     const std::string& data) {
  const auto v = verification_of(state, data);
  return v ? on_callback(*v, call) : std::nullopt;
}

} // namespace

callback_receiver::callback_receiver(task_port& node, core::queue_name queue, core::worker_id name,
                                     std::uint64_t seed)
    : node_(node), queue_(std::move(queue)), name_(std::move(name)), ids_(seed) {}

reception callback_receiver::receive(const core::task_id& who, const callback& call,
                                     core::instant now) {
  // A look costs little; to take a task costs whoever holds it the work that was begun.
  const auto seen = node_.ask(msg::get_task{who});
  if (!seen)
    return reception::undone;
  if (!moved_by(call, seen->state, seen->data))
    return reception::not_awaited;

  msg::eject_task take;
  take.queue = queue_;
  take.task = who;
  take.worker = name_;
  take.claim.value = ids_.next(now);
  const auto taken = node_.ask(take);
  if (!taken || taken->tasks.empty())
    return reception::undone;
  if (!seen->worker.empty())
    ++taken_from_others_;

  // It may have moved on since the look; from here on nobody else can move it.
  const auto& task = taken->tasks.front();
  const auto moved = moved_by(call, task.state, task.data);
  msg::release_task give_back;
  give_back.queue = queue_;
  give_back.worker = name_;
  give_back.task = {task.task, task.token};
  if (moved)
    give_back.update = update_to(*moved);
  const auto given = node_.ask(give_back);
  if (!given || given->refusal != core::errc::none)
    return reception::undone;
  return moved ? reception::applied : reception::not_awaited;
}

} // namespace identity
