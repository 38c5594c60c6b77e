#pragma once

#include "core/ids.hpp"
#include "core/outcome.hpp"
#include "core/uuid.hpp"
#include "examples/identity_verification/flow.hpp"
#include "messages/task_messages.hpp"

#include <functional>
#include <string>

namespace identity {

/// What a receiver of callbacks needs of a node.
class task_port {
public:
  virtual ~task_port() = default;
  virtual core::outcome<msg::task_view> ask(const msg::get_task& request) = 0;
  virtual core::outcome<msg::leased_tasks> ask(const msg::eject_task& request) = 0;
  virtual core::outcome<msg::task_outcome> ask(const msg::release_task& request) = 0;
};

/// What became of a callback.
enum class reception {
  applied,     ///< The verification goes on from what it said.
  not_awaited, ///< It came a second time, or too late: nothing changed.
  undone,      ///< Taken from us, or the node could not be reached: polling will find it out.
};

/// Receives the callbacks of the service, in any process. Takes the task from whoever is at work on
/// it, because a callback knows better than somebody who is just asking; decides under the lease
/// that it has then; and gives it back, to go on at once.
class callback_receiver {
public:
  /// `name` is that of a worker. `seed` is of the ids of leases.
  callback_receiver(task_port& node, core::queue_name queue, core::worker_id name,
                    std::uint64_t seed);

  reception receive(const core::task_id& who, const callback& call, core::instant now);

  /// How often somebody was at work on the task that was taken.
  std::uint64_t taken_from_others() const { return taken_from_others_; }

private:
  task_port& node_;
  const core::queue_name queue_;
  const core::worker_id name_;
  core::uuid_source ids_;
  std::uint64_t taken_from_others_ = 0;
};

} // namespace identity
