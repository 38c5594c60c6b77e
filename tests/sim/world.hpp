#pragma once

#include "actors/node.hpp"
#include "tests/sim/clients.hpp"
#include "tests/sim/faults.hpp"
#include "tests/sim/invariants.hpp"
#include "tests/sim/object_faults.hpp"
#include "tests/sim/plan.hpp"
#include "tests/sim/plants.hpp"
#include "tests/sim/ready_audit.hpp"
#include "tests/sim/receivers.hpp"
#include "tests/sim/subscriber.hpp"
#include "tests/sim/trace.hpp"
#include "tests/support/virtual_world.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace holdfast::sim {

/// What to run.
struct run_options {
  std::uint64_t seed = 1;
  std::uint64_t steps = 2500; ///< Messages of the safety phase.
  std::string plant;          ///< A planted bug, or none.
  std::size_t trace_lines = 0;
  bool echo = false; ///< Print the trace as it comes.
};

/// What came of it.
struct run_report {
  std::uint64_t hash = 0;
  std::uint64_t messages = 0;
  std::uint64_t commits = 0;
  std::uint64_t judgments = 0; ///< Acknowledged.
  core::duration virtual_time{};
  tally seen;
  task_tally tasks;
  std::optional<violation> found;
  std::deque<std::string> trace; ///< The last lines.
};

/// One process of the cluster, from its start to its end.
struct process {
  std::uint32_t number = 0; ///< Of the run; 0: none.
  actors::node_settings settings;
  msg::gateway_actor gateway; ///< Null until it hosts its shards, and after its end.
  caf::actor root;
  caf::actor watcher;       ///< Hears of the root's end.
  bool cut = false;         ///< No call of it reaches the database.
  bool no_renewals = false; ///< Its heartbeat is frozen; all else works.
  bool frozen = false;      ///< None of its actors runs.
  bool thawed = false;      ///< It was frozen once, and goes on with the memory that it had.
  bool dead = false;
};
using process_ptr = std::shared_ptr<process>;

/// A run: nodes, clients and faults drawn from one seed. First the *safety* phase, in which
/// anything may go wrong and nothing false may ever be committed or answered; then the *liveness*
/// phase, in which nothing goes wrong any more and all work must come to its end.
class world {
public:
  explicit world(const run_options& options);
  ~world();
  world(const world&) = delete;
  world& operator=(const world&) = delete;

  run_report run();

private:
  caf::scheduler::test_coordinator& scheduler();
  core::instant now() const { return virtual_.now(); }

  // --- time and messages ---
  /// Handles one message, or lets time pass to the next timer.
  void advance();
  void lose_timers();
  void handle_one();
  /// What the actors of frozen nodes have to do waits with them.
  void set_frozen_aside();
  /// All actors that have been made since the last call belong to the process.
  void own_new_actors(std::uint32_t number);
  std::uint32_t owner_of(caf::actor_id actor) const;
  void note_message(caf::resumable* job);
  void after(core::duration wait, std::function<void()> what);
  bool run_due();
  /// I-10, now and then when only time can bring more.
  void check_ready();

  // --- processes ---
  process_ptr start_process(const std::string& name);
  std::unique_ptr<persistence::store> open_store(const process_ptr& p);
  void kill(const process_ptr& p, const char* why);
  void restart_later(const std::string& name);
  void forget_ended();
  msg::gateway_actor pick_gateway(std::uint64_t pick);
  process_ptr pick_process();

  // --- faults ---
  void maybe_fault();
  void outage();
  void kill_and_restart();
  void drain_and_restart();
  void zombie();
  void partition();
  void freeze_heartbeat();
  void cut_lines();
  void cut_one_way();
  void freeze();
  void thaw(const process_ptr& p);
  test::message_fate fate_of_message();

  // set_clock.cpp
  void set_clock();

  // lost_history.cpp: the database forgets commits.
  /// Keeps a copy of the database, to which it goes back a while later.
  void copy_history();
  void lose_history();
  /// Whether all that runs has run since the copy, and reaches the database.
  bool all_know_the_history() const;
  /// While this holds, those nodes alone know what the database has forgotten.
  bool loss_is_unnoticed() const { return loss_ && loss_->same_server && !loss_->noticed; }
  /// Somebody who knew what is forgotten is no more; a person says it in their place, as the manual
  /// wants it: `holdfast restored`.
  void say_restored();
  void watch_loss();
  void look_for_generation();

  bool crash_next();

  void calm_down();
  bool quiet();
  void finish_work();
  /// Whoever looks for work finds at every node all that there is, and nothing else.
  void check_searches();

  /// Ends all nodes and clients.
  void shut_down();
  /// Actors that should have ended with their node and have not.
  std::vector<caf::strong_actor_ptr> left_behind() const;

  /// The copy to which the database goes back.
  struct kept_history {
    persistence::memory::tables tables;
    auditor::snapshot audit;
    std::uint32_t processes_started = 0;
    std::set<std::uint32_t> running; ///< Numbers of processes.
  };
  /// A loss of commits that some node may not know of.
  struct history_loss {
    core::duration at{};      ///< The time elapsed by then, like below.
    bool same_server = false; ///< Only the missing commits show it.
    std::uint64_t generation = 0;
    std::optional<core::duration> noticed;
  };

  run_options options_;
  plan plan_;
  trace log_;
  tally seen_;
  dice random_;
  test::virtual_world virtual_;
  auditor audit_;
  ready_auditor ready_;
  database_faults database_faults_;
  std::shared_ptr<object_faults> objects_;
  planted_bug bug_;
  field field_;
  std::vector<subscription_ptr> subscribers_;
  std::shared_ptr<receivers> receivers_;
  core::uuid_source ids_;

  std::vector<process_ptr> processes_;
  std::uint32_t processes_started_ = 0;
  std::vector<std::uint32_t> owners_; ///< Of actors, by their ids: the numbers of their processes.
  std::map<std::uint32_t, std::vector<caf::resumable*>> set_aside_; ///< Of frozen processes.
  std::map<caf::actor_id, caf::actor_addr> seen_actors_; ///< That have ever handled a message.
  std::map<caf::actor_id, caf::actor_addr> seen_steps_;  ///< Of these, the steps.
  std::multimap<core::duration, std::function<void()>> agenda_; ///< By the time elapsed by then.
  std::uint64_t messages_ = 0;
  std::uint64_t commits_checked_ = 0;
  core::duration ready_checked_{};
  std::optional<kept_history> kept_;
  std::optional<history_loss> loss_;
  std::uint64_t losses_ = 0;
  core::duration begun_;
  bool calm_ = false;
};

/// Runs one seed.
run_report run_seed(const run_options& options);

} // namespace holdfast::sim
