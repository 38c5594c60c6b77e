#pragma once

#include "core/task.hpp"
#include "messages/task_messages.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

/// What the user of a `worker` writes: one handler for each type of task, and the values with which
/// it says how a task went.
namespace holdfast::client {

class connection;

// --- how a task went ---

/// It is done.
struct done {
  std::string result{}; ///< JSON; empty for none.
};

/// Neither done nor failed: given back, to be looked at again, e.g. when somebody outside has
/// answered.
struct wait_until {
  core::instant next_action{}; ///< The default is at once. See `task_context::now`.
  msg::task_update update{};
};

/// An error.
struct failed {
  std::string code{};   ///< From the catalogue of the task's type, e.g. `REMOTE_TIMEOUT`.
  std::string detail{}; ///< For operators only.
  core::failure_kind kind = core::failure_kind::transient;
  core::duration retry_after{0}; ///< At least this long.
  msg::task_update update{};
};

/// It is done, and this one follows from it: made in the same commit and done next by the same
/// worker, with the handler of its own type.
struct next {
  msg::task_request task; ///< A nil id is replaced by a new one.
  std::string result{};   ///< Of the task that is done: JSON; empty for none.
};

using outcome = std::variant<done, wait_until, failed, next>;

// --- what a handler sees ---

/// The life of one lease, shared by the handler's thread and whoever looks after the lease.
struct lease_watch {
  using clock = std::chrono::steady_clock;

  std::atomic<bool> over{false};
  std::atomic<clock::time_point> ends{clock::time_point::max()};
  std::atomic<std::uint64_t> saves{0}; ///< How many were sent.
};

/// A leased task in the hands of its handler. For the thread of the handler, unless said otherwise.
class task_context {
public:
  /// Stores an update under the lease; false when the lease is over.
  using saver = std::function<bool(const msg::task_update&)>;
  using clock = std::function<core::instant()>;

  /// A test of a handler may make one without any node, and with a clock of its own.
  task_context(std::shared_ptr<const msg::leased_task> task, std::shared_ptr<lease_watch> lease,
               saver save, clock now, const connection* node = nullptr);

  const msg::leased_task& task() const { return *task_; }

  /// Stores progress, state or bookmark and waits until that is durable. False: the lease is over,
  /// and nothing was stored; drop the work. True also when the node did not answer within the
  /// deadline: whether it was stored is then unknown, and the lease may live. Throws
  /// `std::invalid_argument` for an update that the node refuses, e.g. an unknown state.
  bool save(const msg::task_update& update) const;

  /// Whether to drop the work: the lease was lost, ejected, canceled or has run out, or the worker
  /// stops. Look at it now and then; nothing interrupts a handler. From any thread.
  bool canceled() const;

  /// Until the lease ends as far as is known here. It is extended in the background, so this need
  /// not shrink. Zero when it is over. From any thread.
  core::duration time_left() const;

  /// For `wait_until`, and for whatever else is compared with times of the nodes: their clock, as
  /// `connection::now` knows it. The wall clock of this machine may be another time.
  core::instant now() const;

  /// The node whose task this is, for whatever else the work needs of it. Requests block the
  /// handler's thread, and are of no lease: repeat them safely. Throws `std::logic_error` when a
  /// test has made the context without one.
  const connection& node() const;

  /// For a task that a schedule has made: the time for which it has, e.g. the midnight of a nightly
  /// report that runs at noon because no node was up. None for all others, unless their producer
  /// chose an id of version 8.
  std::optional<core::instant> occurrence() const;

  /// The task as a message of its own, see `envelope_of`.
  std::string envelope() const;

private:
  std::shared_ptr<const msg::leased_task> task_;
  std::shared_ptr<lease_watch> lease_;
  saver save_;
  clock now_;
  const connection* node_;
};

/// Does the tasks of one type. One object serves all threads of a worker, so `run` is called by
/// several at once. It may block.
class task_handler {
public:
  using outcome = client::outcome;

  virtual ~task_handler() = default;

  /// An exception is a transient failure with the code `HANDLER_EXCEPTION` and its text as the
  /// detail; after `canceled()` it gives the task back instead. Run again whenever the lease was
  /// lost, so what it does to the world outside must be safe to repeat.
  virtual outcome run(const task_context& task) = 0;
};

} // namespace holdfast::client
