#include "client/peer_system.hpp"

#include "client/accept_guard.hpp"
#include "client/frame_guard.hpp"
#include "client/middleman_memory.hpp"
#include "client/node_identity.hpp"
#include "messages/registry.hpp"

#include <caf/atom.hpp>
#include <caf/io/middleman.hpp>
#include <caf/timespan.hpp>

#include <algorithm>
#include <cstddef>
#include <thread>

namespace holdfast::client {

std::uint32_t threads_on(std::uint32_t cores) { return std::max(1U, cores / 2); }

peer_system::peer_system(const peer_settings& settings) {
  keep_frame_guard();
  keep_accept_guard();
  keep_middleman_memory();
  load<caf::io::middleman>();
  load<node_identity>();
  msg::register_messages(*this);

  const auto threads = settings.scheduler_threads > 0
                           ? settings.scheduler_threads
                           : threads_on(std::thread::hardware_concurrency());
  // CAF compares types when it reads these back: an `unsigned` where it expects `size_t` is
  // ignored.
  set("scheduler.max-threads", static_cast<std::size_t>(threads));
  // Stealing workers nap for 50 us between polls, which doubles the latency of a request; sharing
  // ones sleep on a condition.
  set("scheduler.policy", caf::atom("sharing"));
  // Messages that one actor handles before the next has its turn.
  set("scheduler.max-throughput", std::size_t{100});
  // Incoming messages are read where they arrive: on few cores a hop to a worker costs more than it
  // wins.
  set("middleman.workers", std::size_t{0});
  set("middleman.heartbeat-interval", caf::timespan{settings.heartbeat});
  set("middleman.connection-timeout", caf::timespan{settings.connection_timeout});
}

} // namespace holdfast::client
