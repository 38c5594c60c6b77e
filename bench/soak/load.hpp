#pragma once

#include "bench/soak/cluster.hpp"
#include "bench/soak/history.hpp"
#include "bench/soak/run_options.hpp"
#include "client/connection.hpp"
#include "core/uuid.hpp"

#include <caf/actor.hpp>
#include <caf/actor_system.hpp>
#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/event_based_actor.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace holdfast::soak {

/// INTERNAL: something for an actor to do, since only an actor can ask without waiting.
struct errand {
  std::function<void(caf::event_based_actor*)> run;
};

/// Everybody who uses the cluster: producers who keep to their schedule whatever happens, workers
/// and contributors, some of whom forget what they hold or hand it in too late, and somebody who
/// makes trouble. Each is a thread of its own. Workers and contributors wait for each answer.
/// Producers do not: a request is sent when it is due, so that as many are open as an outage leaves
/// unanswered, up to a bound.
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
  /// Everybody goes home. Returns when no request is open any more.
  void stop();

  const client_history& seen() const { return history_.all(); }
  std::size_t requests() const { return history_.requests(); }

private:
  struct person;

  template <class Request, class Then>
  void send(const person& who, Request request, clock::time_point due, Then then);
  template <class Loop>
  void begin(std::uint32_t number, Loop loop);
  void produce(person& who);
  void add_units(person& who);
  void work(person& who);
  void hand_in(person& who, const core::queue_name& queue, std::vector<completed_task> done);
  void contribute(person& who);
  void make_trouble(person& who);
  std::uint64_t open_work(person& who);

  caf::actor_system& system_;
  std::string conninfo_; ///< Of the server, for who makes trouble there.
  load_options options_;
  std::vector<std::unique_ptr<client::connection>> connections_;
  std::vector<core::queue_name> queues_;
  std::vector<core::queue_name> queues_of_trouble_;
  std::vector<core::step_id> steps_; ///< First steps, then their second ones.
  history history_;
  caf::actor sender_;
  std::atomic<std::uint32_t> open_{0}; ///< Requests of producers.
  std::atomic<bool> producing_{true};
  std::atomic<bool> over_{false};
  std::vector<std::thread> threads_;
};

} // namespace holdfast::soak

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::soak::errand)
