#pragma once

#include "core/errors.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// A task: a durable item of machine work, done under the same leases as units, with one slot.
///
///             enqueue                 claim
///   (producer) ─────► waiting ────────────────────► leased ─────────► finished: completed
///                       ▲ │ ▲                         │  │             failed, canceled or dead
///                       │ │ └─────────────────────────┘  └───────────►   │
///                       │ │   release, eject, failed with              │
///                       │ │   tries left, lease run out                │ redrive
///                       │ └── cancel ──────────────────────────────►   │
///                       └────────────────────────────────────────────┘
///
/// Inside this life cycle a task moves through the named states of its own type
/// (`AWAITING_DOCUMENT`, …), which Holdfast stores and checks but gives no meaning to.
namespace holdfast::core {

/// How a task ended. The numbers are stored.
enum class task_ending : std::uint8_t {
  completed = 1,
  failed = 2,   ///< Its worker said that trying again cannot help.
  canceled = 3, ///< Somebody did not want it any more.
  dead = 4,     ///< A dead letter: its tries, its pauses or its workers are used up.
};

std::string_view to_string(task_ending ending);
std::optional<task_ending> task_ending_named(std::string_view name);

/// What the producer said of a task; never changes.
struct task_spec {
  task_id id;
  std::string type;     ///< Chooses the handler, e.g. `entity.match`.
  std::string version;  ///< Of the body's form, `major.minor`.
  std::string body;     ///< JSON: the work, as proposed (`execution_spec`).
  std::string trace_id; ///< W3C trace context; empty for none.
  std::string span_id;
  std::int16_t priority = 0; ///< Higher goes first; see `queue_policy::aging`.
  std::string key;           ///< Whose task it is: shares and limits of a queue are per key.
  std::string credential;    ///< What it uses of the world outside: rate limits are per credential.
  std::string unique_key;    ///< At most one live task of a queue has it; empty: any number.
  std::uint32_t max_attempts = 0; ///< 0: as the queue says.
  std::string owner_id;           ///< The end user who asked for the work.
  std::string run_as_id;          ///< Under whose rights it runs.
  instant created_at;
};

/// What becomes of a new task whose unique key is taken.
enum class on_conflict : std::uint8_t {
  keep = 1,   ///< Answer with the live task that has the unique key.
  reject = 2, ///< Refuse with `already_exists`.
};

/// A task that somebody asks for.
struct new_task {
  task_spec spec;
  std::string state; ///< Empty: the first of its type.
  std::string data = "{}";
  instant run_at; ///< Not before; the default is at once.
  on_conflict conflict = on_conflict::keep;
  /// What is stored in place of body and data once their form has been checked: references to the
  /// objects that hold them (`core/object_ref`). Empty: the texts themselves.
  std::string body_ref{};
  std::string data_ref{};
};

/// What changes in the life of a task.
struct task_progress {
  std::string state = "new";          ///< Named by the task's type.
  std::string data = "{}";            ///< JSON that belongs to the state.
  std::string execution_state = "{}"; ///< JSON: the bookmark of a long work. Workers only.
  std::uint32_t percent = 0;          ///< What a requester may see of the progress.
  std::uint32_t attempts = 0;         ///< Tries that failed.
  std::uint32_t crashes = 0;          ///< Leases that ended with the death of their worker.
  instant next_action;                ///< When it is to be looked at next; not the lease's end.
  instant last_change;                ///< Of state or data.
  instant last_action;                ///< Of anything.
  bool paused = false;
  /// Tries that failed and leases that ended with the death of their worker, in all states. They
  /// are forgotten with the end of the task.
  std::uint32_t failures = 0;
  assignment_id ejection; ///< The claim of its last ejection; nil for none.
  /// The last save that had a number: the token of its lease, and the number. See `save_task`.
  token saved_under = 0;
  std::uint64_t saved_number = 0;
  /// Leases that ended because the world outside asked to come back later, until the task ends.
  std::uint32_t pauses = 0;
  /// Leases given back at once and without progress since the last progress; see `release_task`.
  std::uint32_t idle_releases = 0;
};

/// A live task.
struct task {
  task_spec spec;
  task_progress progress;
  lease_table leases; ///< At most one is active. Its id is that of the claim it was granted to.
  /// When it was last told to come back later; not stored, so that a start begins without it.
  instant paused_at{};

  const lease* held() const { return leases.active.empty() ? nullptr : &leases.active.front(); }
};

/// How a lease of a task ended other than by the task's end. The numbers are stored.
enum class attempt_ending : std::uint8_t {
  released = 1,     ///< Given back, to be looked at again at `next_action`.
  failed = 2,       ///< An error that may pass.
  rate_limited = 3, ///< The world outside asked to come back later; counted as a pause, not a try.
  expired = 4,      ///< Its worker was not heard of in time.
  lost = 5,         ///< Its worker died.
  ejected = 6,      ///< Somebody who knew better took it.
  canceled = 7,
};

std::string_view to_string(attempt_ending ending);

/// What a worker says of an error.
enum class failure_kind : std::uint8_t {
  transient = 1,    ///< It may go well the next time.
  permanent = 2,    ///< It never will.
  rate_limited = 3, ///< The world outside asked to come back after `retry_after`.
};

/// What may be done to a task from outside.
enum class task_verb : std::uint8_t {
  pause = 1,  ///< No new lease; one that is out may go on.
  resume = 2, ///< Undoes `pause`.
  cancel = 3, ///< Ends the task; its lease is lost.
  retry = 4,  ///< Due now, whatever it waits for.
};

/// An error as a worker reports it and a requester may see it.
struct task_error {
  std::string code;   ///< From the catalogue of its type, e.g. `REMOTE_TIMEOUT`.
  std::string detail; ///< For operators only.
};

} // namespace holdfast::core
