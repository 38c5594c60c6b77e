#pragma once

#include "bench/soak/history.hpp"
#include "client/connection.hpp"
#include "core/uuid.hpp"

#include <string>
#include <vector>

namespace holdfast::soak {

/// Somebody who hands in what cannot be taken, beside others who do nothing wrong: tasks that are
/// no JSON, in one batch with good ones; tasks that the server itself refuses, whoever else is in
/// its transaction; more than a queue has room for; tasks that cannot be done, which become dead
/// letters; and everything once more. It has queues of its own, and does their tasks itself.
/// Scorecard row 55: in every run it must come to all of these.
class troublemaker {
public:
  troublemaker(const client::connection& node, history& noted, core::uuid_source ids);

  /// Makes its queues, and has the server at `conninfo` refuse tasks of one type. Throws
  /// `std::runtime_error` when either cannot be.
  static std::vector<core::queue_name> set_up(const client::connection& node,
                                              const std::string& conninfo);

  /// A round of trouble, to be made once a second.
  void hand_in();
  /// Does what is in its queues; waits a moment when that is nothing.
  void work();

private:
  std::vector<msg::task_request> tasks(std::size_t count, const std::string& type);
  void enqueue(const core::queue_name& queue, std::vector<msg::task_request> tasks);
  void enqueue_unwanted();
  void work_on(const core::queue_name& queue);
  void fail(const core::queue_name& queue, msg::task_ref task);
  void complete(const core::queue_name& queue, std::vector<completed_task> done);

  const client::connection& node_;
  history& noted_;
  core::uuid_source ids_;
  std::uint64_t tries_ = 0;
  std::uint64_t rounds_ = 0;
};

} // namespace holdfast::soak
