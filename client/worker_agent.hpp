#pragma once

#include "client/node_clock.hpp"
#include "client/task_handler.hpp"
#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/time.hpp"
#include "core/uuid.hpp"
#include "messages/interfaces.hpp"

#include <caf/allowed_unsafe_message_type.hpp>
#include <caf/typed_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace holdfast::client {

/// Names one lease of one task.
using lease_key = std::pair<core::task_id, core::token>;

/// INTERNAL: a handler has returned.
struct task_ended {
  lease_key lease;
  std::shared_ptr<const outcome> how;
};

/// INTERNAL: take no new tasks, give the running ones their grace, then end.
struct stop_working {};

/// INTERNAL: the grace of the running handlers, or what they get after `canceled()`, is over.
struct grace_over {
  bool last = false;
};

/// INTERNAL: the pause after a claim that failed is over.
struct claim_again {};

/// INTERNAL: the pause after an end that was not taken is over.
struct end_again {
  lease_key lease;
};

/// INTERNAL: leases want to be extended. Outdated when it is not the one that was armed last.
struct extend_now {
  std::chrono::steady_clock::time_point at;
};

using worker_agent_actor =
    caf::typed_actor<caf::reacts_to<task_ended>, caf::reacts_to<msg::tasks_lost>,
                     caf::reacts_to<stop_working>, caf::reacts_to<grace_over>,
                     caf::reacts_to<claim_again>, caf::reacts_to<end_again>,
                     caf::reacts_to<extend_now>>;

/// Something that went wrong and was dealt with: for a log. `what` is a sentence's beginning, e.g.
/// "a lease was lost".
struct worker_problem {
  std::string what;
  core::task_id task; ///< Nil when it concerns none.
  core::failure why;
};

/// Since the start. Each claimed task is in the end counted as one of completed, failed, released
/// or lost. Lost is also a task whose end was refused although the first try of that very request
/// was carried out: a release or a failure that is repeated cannot tell.
struct worker_counters {
  std::atomic<std::uint64_t> claimed{0};
  std::atomic<std::uint64_t> completed{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> released{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<std::uint64_t> running{0}; ///< Handlers, now.
};

struct worker_agent_deps {
  msg::gateway_actor gateway;     ///< A courier: it repeats what gets no answer.
  core::duration request_timeout; ///< Longer than any request through it takes.
  core::queue_name queue;
  core::worker_id name;
  std::vector<std::string> types;
  std::uint32_t capacity = 1; ///< Handlers that may run at once.
  /// How long a claim waits at the node. Shorter than one try of the courier: one that is longer
  /// would be taken for lost and sent again and again. Far shorter than its deadline: a claim that
  /// is given up here while it waits there would lease tasks to nobody.
  core::duration claim_wait;
  core::duration grace;
  core::duration cancel_grace;
  std::uint64_t seed = 1;             ///< Of ids and jitter.
  std::function<core::instant()> now; ///< The wall clock here: for ids.
  /// The clock by which leases end. Null, or while it knows nothing: as `now`.
  std::shared_ptr<const node_clock> clock{};
  /// Runs the handler of a task elsewhere, which then sends `task_ended`. Must not block.
  std::function<void(std::shared_ptr<const msg::leased_task>, std::shared_ptr<lease_watch>)> run;
  std::function<void(const worker_problem&)> on_problem; ///< Must not block.
  std::shared_ptr<worker_counters> counters;
};

/// A lease of ours, from its grant until the node has taken its end.
///
///   running ── the handler returns ──► ending ── answered ──► (gone)
///      └── the worker stops, and its time is up ──►┘
///
/// A lease that is lost while its handler runs stays until that returns: it still uses a thread.
struct held_lease {
  std::shared_ptr<const msg::leased_task> task;
  std::shared_ptr<lease_watch> watch;
  core::duration ttl{0};
  std::chrono::steady_clock::time_point asked_at; ///< When it came or was last to be extended.
  /// No extension that was granted ends before this; the last one may have been cut short.
  std::chrono::steady_clock::time_point surely_until;
  /// And none after this.
  std::chrono::steady_clock::time_point perhaps_until;
  bool running = true;
  bool lost = false;
  bool extendable = true;
  bool end_refused = false; ///< Then the next end is the last that is tried.
  std::uint32_t end_failures = 0;
  std::shared_ptr<const outcome> end;
  core::assignment_id follow_claim; ///< Of the task that follows from it; the same when repeated.
};

struct worker_agent_state {
  using time_point = std::chrono::steady_clock::time_point;

  static inline const char* name = "worker_agent";

  worker_agent_deps deps;
  core::uuid_source ids{1};
  std::map<lease_key, held_lease> held;
  std::deque<lease_key> finished; ///< To be completed by the next request.
  std::uint32_t threads_used = 0;
  std::uint32_t threads_kept = 0; ///< For tasks that follow, which are under way.
  core::assignment_id claim;      ///< Nil: none is open, or of unknown outcome.
  std::uint32_t claims_open = 0;
  std::uint32_t claim_failures = 0;
  bool claim_paused = false;
  bool completing = false;
  bool extending = false;
  bool stopping = false;
  bool time_is_up = false; ///< Stopping, and the grace is over: every request gets one last chance.
  time_point extend_at = time_point::max();
};

/// Deals with the node for one worker: claims what it can run, extends what it holds, hands in what
/// is done, gives back what is not. It knows no threads: `run` does.
///
/// Lifecycle: spawned by `worker`; ends by itself after `stop_working` once nothing is held, or at
/// once, holding nothing any more, when the gateway has ended.
/// Failure: a crash leaves the leases to run out; the worker is over.
/// Backpressure: at most one claim waits, for as many tasks as there are free threads; at most one
/// completion and one extension are under way, each for all tasks there are.
worker_agent_actor::behavior_type
worker_agent(worker_agent_actor::stateful_pointer<worker_agent_state> self, worker_agent_deps deps);

} // namespace holdfast::client

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::task_ended)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::stop_working)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::grace_over)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::claim_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::end_again)
CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::client::extend_now)
