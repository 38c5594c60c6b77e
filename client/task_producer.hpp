#pragma once

#include "core/outcome.hpp"
#include "messages/task_messages.hpp"

#include <cstddef>
#include <string>
#include <vector>

/// What a program that has tasks done depends on: the counterpart of `task_handler`. The rest of
/// such a program, and its tests, need no node for it.
namespace holdfast::client {

class connection;

/// What became of the tasks that were asked for.
struct enqueued {
  std::vector<msg::task_outcome> outcomes; ///< One for each, in order, as far as they were sent.
  /// Why there is none for those behind them: they may have been made, or not. Ask for them again
  /// under the same ids, and none is made twice.
  core::failure stopped;

  bool complete() const { return stopped.code == core::errc::none; }
};

/// Has the tasks of one type made, in one queue.
class task_producer {
public:
  virtual ~task_producer() = default;

  /// Makes them, however many. The type of each is filled in; each has an id of the caller's, which
  /// makes asking again a repetition. Returns when all that was made is durable.
  virtual enqueued enqueue_all(std::vector<msg::task_request> tasks) = 0;

  /// How a task is, or has ended: neither the workers' bookmark nor the detail of an error is in
  /// it.
  virtual core::outcome<msg::task_view> look(core::task_id task) = 0;

  /// Makes one. A refusal of its queue is a failure like any other.
  core::outcome<msg::task_outcome> enqueue(msg::task_request task);
};

/// Makes them at a node. Safe to use from several threads; blocks, so never inside an actor.
class queue_producer : public task_producer {
public:
  /// `node` must outlive it.
  queue_producer(const connection& node, core::queue_name queue, std::string type);

  enqueued enqueue_all(std::vector<msg::task_request> tasks) override;
  core::outcome<msg::task_view> look(core::task_id task) override;

private:
  const connection& node_;
  const core::queue_name queue_;
  const std::string type_;
};

/// The requests in which so many tasks travel: a bounded number in each, and of bytes unless a
/// single one has more. Those of one are in order, and so are they.
std::vector<msg::enqueue_tasks> requests_for(const core::queue_name& queue,
                                             std::vector<msg::task_request> tasks);

} // namespace holdfast::client
