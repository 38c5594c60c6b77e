#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/node_sample.hpp"
#include "client/connection.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::soak {

/// Looks at the nodes while they run: from outside, and by asking each how it is. Asking is done by
/// a thread of its own, because a node may be frozen.
class watch {
public:
  watch(caf::actor_system& system, const cluster& nodes);
  ~watch();

  /// On the thread of the cluster.
  node_sample look() const;
  /// Requests that all nodes have turned away so far, also those that have ended, as they said
  /// last.
  std::uint64_t overloaded() const;
  /// Writes of theirs that the database has refused, because the shard had another host, likewise.
  std::uint64_t stale_writes() const;

private:
  struct said {
    double actors = 0;
    std::uint64_t overloaded = 0;
    std::uint64_t stale_writes = 0;
  };

  void run();
  std::uint64_t sum_of(std::uint64_t said::*what) const;

  const cluster& nodes_;
  std::vector<std::unique_ptr<client::connection>> connections_; ///< One to each node alone.
  mutable std::mutex mutex_;
  std::map<std::string, said> said_; ///< By incarnation.
  std::atomic<bool> over_{false};
  std::thread thread_;
};

} // namespace holdfast::soak
