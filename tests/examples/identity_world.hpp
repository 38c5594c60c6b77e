#pragma once

#include "examples/identity_verification/callbacks.hpp"
#include "examples/identity_verification/processors.hpp"
#include "tests/examples/virtual_worker.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

/// The example about identities in virtual time: the real handlers and the real receiver of
/// callbacks on a real node, with everything that can happen between any two of their steps.
namespace holdfast::test {

/// How often each thing happened, so that a test can see that it did.
struct identity_counts {
  std::uint64_t deaths = 0;           ///< Of workers, in the midst of a task.
  std::uint64_t restarts = 0;         ///< Of the node.
  std::uint64_t stale = 0;            ///< Stores of those who had lost their lease.
  std::uint64_t late = 0;             ///< Results of those.
  std::uint64_t applied = 0;          ///< Callbacks that were.
  std::uint64_t not_awaited = 0;      ///< Callbacks that came twice or too late.
  std::uint64_t undone = 0;           ///< Callbacks whose receiver lost the task, or died.
  std::uint64_t taken = 0;            ///< Callbacks that took a task from somebody at work.
  std::uint64_t never_called = 0;     ///< Jobs about which the service never called.
  std::uint64_t found_by_polling = 0; ///< Findings, as they were stored.
};

class identity_world : public node_fixture {
public:
  identity_world(std::uint64_t seed, std::size_t verifications);
  ~identity_world();

  /// Until all verifications have ended, or ten days have passed.
  void run();
  /// Checks everything that was promised.
  void check_the_end() const;

  identity_counts counts;

private:
  struct port;
  class service_at_work;

  /// What is known of one verification, from the answers of the node alone.
  struct account {
    core::token last_token = 0;   ///< Of the leases that were granted.
    core::token revoked = 0;      ///< The last one that was taken away without another grant.
    core::token worked_under = 0; ///< By the handler that runs, or ran last.
    identity::state at = identity::state::submitted;
    std::set<identity::check> finished;
    std::map<identity::check, std::uint32_t> asked;
    bool asking = false;      ///< A job was accepted, and its tracking is not stored yet.
    std::uint32_t wasted = 0; ///< Jobs whose tracking never was.
  };
  struct planned_call {
    core::task_id who;
    identity::callback call;
  };
  /// A worker that everybody takes for dead, with what it will say when it wakes up.
  struct sleeper {
    virtual_worker* who;
    msg::leased_task task;
    holdfast::client::outcome how;
  };

  bool chance(double probability);
  void start_node();

  // workers
  void claim_and_work(virtual_worker& who);
  void run_one(virtual_worker& who, const msg::leased_task& task);
  bool save(virtual_worker& who, const msg::leased_task& task, const msg::task_update& update);
  void hand_in(virtual_worker& who, const msg::leased_task& task,
               const holdfast::client::outcome& how);
  void fall_asleep(virtual_worker& who, const msg::leased_task& task,
                   holdfast::client::outcome how);
  void die(virtual_worker& who);
  void wake_sleepers();

  // the service and its callbacks
  void on_asked(identity::check what, const core::task_id& who);
  void on_found(const std::string& tracking);
  void plan_calls(const core::task_id& who, const std::string& tracking);
  void deliver(const planned_call& planned);
  void deliver_due();
  void disturb(const core::task_id& who, bool taken);

  // books
  void granted(const core::task_id& task, core::token token);
  static bool holds(const account& book, core::token token);
  void stored(const core::task_id& task, core::token token, const msg::task_update& update);
  void refused(const core::task_id& task, core::token token, core::errc why);
  void check_one(const core::task_id& who) const;

  core::instant next_event() const;

  identity::simulated_service service_;
  std::shared_ptr<service_at_work> service_at_work_;
  identity::verify_handler handler_;
  std::vector<std::unique_ptr<virtual_worker>> workers_;
  std::unique_ptr<port> port_;
  std::unique_ptr<identity::callback_receiver> receiver_;
  std::vector<core::task_id> people_;
  std::map<core::task_id, account> books_;
  std::multimap<core::instant, planned_call> calls_;
  std::multimap<core::instant, sleeper> sleepers_;
  bool interrupted_ = false; ///< One thing in the midst of another is enough.
};

} // namespace holdfast::test
