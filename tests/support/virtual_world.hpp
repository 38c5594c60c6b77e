#pragma once

#include "actors/node.hpp"
#include "messages/errors.hpp"
#include "objects/memory_object_store.hpp"
#include "persistence/memory_store.hpp"
#include "tests/support/virtual_network.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/resumable.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace holdfast::test {

/// The answer to a request, once it is there.
template <class Answer>
struct answer {
  std::optional<Answer> value;
  std::optional<core::failure> error;

  bool arrived() const { return value || error; }
  core::errc code() const { return error ? error->code : core::errc::none; }
};

/// One process, one thread, no real time: all actors of any number of nodes, on CAF's test
/// scheduler. The clock moves only in `advance`, from timer to timer. With a seed other than 0 the
/// next actor to run is drawn at random, so a seed is an interleaving, and the same seed is the
/// same interleaving.
class virtual_world {
public:
  explicit virtual_world(std::uint64_t seed = 0);
  ~virtual_world();

  caf::actor_system_config config;
  std::unique_ptr<caf::actor_system> system;
  std::mt19937_64 random;

  /// By which nodes reach each other.
  std::unique_ptr<virtual_network> network;

  /// The disk: outlives the nodes.
  std::shared_ptr<persistence::memory_database> database;
  core::duration database_ahead{}; ///< How far the database's clock is ahead of `now`.
  std::shared_ptr<holdfast::objects::memory_object_store> objects;

  /// Now, on the database's clock.
  core::instant now() const;
  /// The time since the beginning, which nobody can set.
  core::duration elapsed() const;
  /// Sets the database's clock ahead, or back where `by` is below zero. Timers stay where they are.
  void set_clock(core::duration by) { clock_set_by_ += by; }

  /// From now on the next actor to run is drawn at random.
  void reorder(std::uint64_t seed) {
    random.seed(seed);
    random_order_ = true;
  }
  /// Lets one actor handle one message. False when nobody has any.
  bool step();
  /// Lets everybody run until nobody has anything to do. `after_each` is called after every
  /// message.
  void settle();
  /// Moves the clock by `d`, firing timers in order and settling after each.
  void advance(core::duration d);
  /// Moves the clock to the next timer, at most to `limit`, without settling. False when `limit`
  /// came first.
  bool advance_to_next_timer(core::instant limit);

  /// The timers that are due next, all of one instant, by which queues and steps are woken: they
  /// will not be. Says how many.
  std::size_t lose_next_timers();

  std::function<void()> after_each;

  /// Actors whose state has this name do not run, as if what they wait for took for ever; empty:
  /// all run.
  std::string held_back;

  /// While true, remembers every actor that runs, for `actors_named`.
  bool watches_actors = false;
  /// The living actors whose state has this name, oldest first; of those that ran while
  /// `watches_actors` was set.
  std::vector<caf::actor> actors_named(const std::string& name) const;
  /// Ends an actor as an exception in it would: at its next message, with an error.
  static void crash(const caf::actor& victim);

  /// Sends a request from an actor of its own, as a client would, and returns where the answer will
  /// be. Nothing runs before `settle` or `advance`.
  template <class Answer, class Handle, class Request>
  std::shared_ptr<answer<Answer>> send(const Handle& to, Request request,
                                       std::chrono::seconds timeout = std::chrono::seconds{600}) {
    auto result = std::make_shared<answer<Answer>>();
    auto client = system->spawn([=](caf::event_based_actor* self) {
      self->request(caf::actor_cast<caf::actor>(to), timeout, request)
          .then([=](Answer& value) { result->value = std::move(value); },
                [=](const caf::error& error) { result->error = msg::failure_of(error); });
    });
    return result;
  }

  /// `send`, then `settle`: for answers that need no time to pass.
  template <class Answer, class Handle, class Request>
  answer<Answer> ask(const Handle& to, Request request) {
    auto result = send<Answer>(to, std::move(request));
    settle();
    return *result;
  }

private:
  caf::scheduler::test_coordinator& scheduler() const;
  void remember(caf::resumable* job);
  /// Moves one that may run to the front. False when there is none.
  bool choose_next();

  bool random_order_;
  core::duration clock_set_by_{};
  std::map<caf::actor_id, caf::weak_actor_ptr> seen_;
};

/// A node in a virtual world.
class virtual_node {
public:
  virtual_node(virtual_world& world, const std::string& name, std::uint64_t seed = 1);
  ~virtual_node();

  virtual_world& world;
  actors::node_settings settings;
  msg::gateway_actor gateway; ///< Null until the node hosts its shards.
  caf::actor root;
  std::vector<std::string> log; ///< Warnings and errors, one line each.

  /// Starts the node with `settings`.
  void start();
  /// Ends the process as SIGKILL does: from this instant nothing of it reaches the database.
  void kill();
  /// While true, no call of this node reaches the database.
  void cut_off(bool cut);
  /// While true, no other node reaches this one, nor does it reach them.
  void isolate(bool isolated);
  /// While true, the node cannot renew its leases, but all else works: what a frozen heartbeat
  /// looks like.
  void stop_renewals(bool stop);

  bool ended() const { return ended_; }
  const caf::error& end_reason() const { return end_reason_; }

private:
  struct line {
    bool cut = false;
    bool no_renewals = false;
  };

  std::shared_ptr<line> line_;
  std::shared_ptr<bool> alive_;
  caf::actor watcher_;
  bool ended_ = false;
  caf::error end_reason_;
};

} // namespace holdfast::test
