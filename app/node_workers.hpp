#pragma once

#include "app/logging.hpp"
#include "client/connection.hpp"
#include "client/task_handler.hpp"
#include "client/worker.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"

#include <caf/actor_system.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::app {

/// Handlers for the tasks of one queue, which run in the node itself.
struct queue_handlers {
  core::queue_name queue;
  std::uint32_t threads = 1; ///< Handlers of this queue that run at once; 1 to 1,000.
  std::map<std::string, std::shared_ptr<client::task_handler>> by_type;
};

/// The workers inside a node: those of `client::worker`, on a connection without a socket.
///
///   made ── reach ──► working ── stop ──► stopped
///              ▲          │ the gateway was started anew
///              └──────────┘
///
/// Belongs to the main thread. Must be destroyed before the actor system. Whatever is held then is
/// held no more; a handler that does not look at `canceled()` keeps the destructor waiting.
class node_workers {
public:
  /// `patience` is how long `stop` may take if the node answers: running handlers are left alone
  /// for most of it, and have the rest to see `canceled()` and return. The workers' names say in
  /// which process of which node they are: what they hold when it ends is given to others at once.
  node_workers(caf::actor_system& system, const std::vector<queue_handlers>& handlers,
               const std::string& node, const core::incarnation_id& process,
               core::duration patience, const log_stream& log);
  ~node_workers();

  node_workers(const node_workers&) = delete;
  node_workers& operator=(const node_workers&) = delete;

  /// The node can be asked at this gateway from now on.
  void reach(const msg::gateway_actor& gateway);

  /// Has all workers take no more tasks, give their handlers their grace, and give back what is not
  /// finished. Returns at once; `stopped` is called when the last handler has returned, on another
  /// thread. Once.
  void stop(std::function<void()> stopped);

private:
  client::connection node_;
  std::vector<std::unique_ptr<client::worker>> workers_;
  std::thread stopping_;
};

} // namespace holdfast::app
