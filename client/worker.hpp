#pragma once

#include "client/connection.hpp"
#include "client/task_handler.hpp"
#include "client/worker_agent.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace holdfast::client {

struct worker_settings {
  core::queue_name queue;
  std::string name = "worker"; ///< For people, up to 90 bytes: a random part is appended.
  std::uint32_t threads = 1;   ///< Handlers that run at once; 1 to 1,000.
  /// How long `stop` leaves running handlers alone.
  core::duration grace = std::chrono::seconds{10};
  /// How long they then have to see `canceled()`, store a bookmark and return.
  core::duration cancel_grace = std::chrono::seconds{2};
  /// Called with everything that went wrong and was dealt with, by a thread of the actor system or
  /// a handler's; must not block. May be empty.
  std::function<void(const worker_problem&)> on_problem;
};

/// The counts of `worker_counters` at one time.
struct worker_counts {
  std::uint64_t claimed = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;
  std::uint64_t released = 0;
  std::uint64_t lost = 0;
  std::uint64_t running = 0;
};

/// Does the tasks of one queue, with as many threads as it is told. See docs/PEERS.md.
///
///   made ── handle ──► made ── start ──► working ── stop ──► stopped
///
/// It takes no more than it can run at once, extends what it holds at a third of its ttl, hands in
/// together what ends together, and never throws for what happens to leases: those that were lost
/// are reported and counted. Dies the process, the node gives its tasks to others at once.
///
/// Safe to use from several threads, except that `handle` comes before `start`. `start` and `stop`
/// work once. No method may be called from a handler or a callback. Destroy it before the
/// connection; that stops it.
class worker {
public:
  worker(connection& node, worker_settings settings);
  ~worker();

  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;

  /// Before `start`. Only tasks of types that have a handler are taken; at most 100 types.
  void handle(const std::string& type, std::shared_ptr<task_handler> handler);

  /// Begins to take tasks, now or when the node is there.
  void start();

  /// Takes no more tasks, lets the running ones end within `grace`, then within `cancel_grace`
  /// after `canceled()`, and gives back what is not finished, so that others get it at once. Blocks
  /// until all handlers have returned: one that does not look at `canceled()` keeps it waiting,
  /// although its task is somebody else's by then. A node that is not there keeps it waiting for
  /// the deadline of one request beyond both graces, and no longer.
  void stop();

  /// `start`, and waits until another thread has called `stop`.
  void run();

  worker_counts counts() const;

  /// As the node knows it: the given name, `-` and a random id. A name that two processes shared
  /// would give each the leases of the other.
  const core::worker_id& name() const;

private:
  class body;

  std::unique_ptr<body> body_;
};

} // namespace holdfast::client
