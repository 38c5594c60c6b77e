#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/history.hpp"
#include "client/connection.hpp"
#include "core/uuid.hpp"

#include <caf/actor_system.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::soak {

struct load_options {
  std::uint64_t seed = 1;
  double enqueues_per_second = 40; ///< Requests, each of up to ten tasks, by an open loop.
  double units_per_second = 10;
  std::uint32_t producers = 2;
  std::uint32_t workers = 4;
  std::uint32_t contributors = 3;
};

/// Everybody who uses the cluster: producers who keep to their schedule whatever happens, workers
/// and contributors, some of whom forget what they hold or hand it in too late. Each is a thread of
/// its own with blocking requests.
class load {
public:
  load(caf::actor_system& system, const cluster& nodes, const load_options& options);
  ~load();

  /// Makes queues and workflows, then lets everybody begin.
  void start();
  /// No more new work.
  void stop_producing();
  /// Returns when nothing is left to do, or after `patience`; false then.
  bool drain(core::duration patience);
  /// Everybody goes home.
  void stop();

  const client_history& seen() const { return history_.all(); }
  std::size_t requests() const { return history_.requests(); }

private:
  struct person;

  template <class Request>
  auto ask(person& who, const Request& request, clock::time_point begun);
  template <class Loop>
  void begin(std::uint32_t number, Loop loop);
  void produce(person& who);
  void add_units(person& who);
  void work(person& who);
  void hand_in(person& who, const core::queue_name& queue,
               const std::vector<completed_task>& results);
  void contribute(person& who);
  std::uint64_t open_work(person& who);

  caf::actor_system& system_;
  load_options options_;
  std::vector<std::unique_ptr<client::connection>> connections_;
  std::vector<core::queue_name> queues_;
  std::vector<core::step_id> steps_; ///< First steps, then their second ones.
  history history_;
  std::atomic<bool> producing_{true};
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

} // namespace holdfast::soak
