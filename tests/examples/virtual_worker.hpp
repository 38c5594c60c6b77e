#pragma once

#include "client/task_handler.hpp"
#include "tests/support/node_fixture.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace holdfast::test {

/// Thrown through a handler: its process is no more.
struct worker_died {};

/// A process with a worker, played by a test in virtual time: it says to the node what
/// `client::worker` would say.
class virtual_worker {
public:
  virtual_worker(node_fixture& world, core::queue_name queue, core::worker_id name);

  const core::worker_id& name() const { return name_; }

  /// What a claim of this worker begins with.
  msg::claim_tasks claim(const std::string& type, std::uint32_t most);

  template <class Request>
  awaited_answer<Request> send(Request request) {
    return line_->send(world_->node->gateway, std::move(request));
  }

  /// Stores an update under the lease; what it was refused with.
  core::errc save(const msg::leased_task& task, const msg::task_update& update);

  /// Ends the lease as the handler wants; what it was refused with. Nothing follows from any task
  /// here.
  core::errc hand_in(const msg::leased_task& task, const holdfast::client::outcome& how);

  /// What the node sees of the end of a process.
  void disconnect();

private:
  template <class Request>
  msg::answer_to<Request> ask(Request request);

  node_fixture* world_; ///< Never null; a pointer, so that workers can be replaced.
  core::queue_name queue_;
  core::worker_id name_;
  std::unique_ptr<client> line_;
};

} // namespace holdfast::test
