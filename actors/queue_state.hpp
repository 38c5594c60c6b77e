#pragma once

#include "actors/held_promise.hpp"
#include "actors/pending_effects.hpp"
#include "actors/queue.hpp"
#include "core/queue.hpp"

#include <caf/stateful_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace holdfast::actors {

struct queue_state {
  static inline const char* name = "queue";

  context_ptr context;
  decider identity;
  step_links links;

  bool loaded = false;
  std::uint32_t load_attempts = 0;
  core::instant loaded_at;
  std::vector<std::function<void()>> stashed; ///< Requests that came before it was loaded.

  core::queue queue;
  pending_effects pending;
  core::instant timer_at = core::instant::max();

  // --- workers that wait for a task ---
  struct waiting_claim {
    std::vector<held_promise> promises; ///< More than one when the request was repeated.
    core::claim command;
    core::instant until;
  };
  std::uint64_t last_waiting = 0;
  std::map<std::uint64_t, waiting_claim> waiting; ///< In order of arrival.
  std::set<std::pair<core::instant, std::uint64_t>> waiting_until;
  std::unordered_map<core::assignment_id, std::uint64_t> waiting_by_claim;

  // --- workers whose leases end with them ---
  std::unordered_map<core::worker_id, caf::actor> tied;

  // --- extensions that wait for their common commit ---
  std::unordered_map<core::task_id, core::extend_task_lease> extending;
  std::vector<std::function<void(const core::failure&)>> extension_answers;
  bool extension_armed = false;

  // --- what has just ended ---
  struct ending {
    core::token token = 0;
    core::task_ending how = core::task_ending::completed;
  };
  std::unordered_map<core::task_id, ending> recently_finished;
  std::deque<std::pair<core::instant, core::task_id>> finished_order;
  /// While finished tasks are being read to be redriven: those that have ended since.
  std::uint32_t redrives = 0;
  std::unordered_set<core::task_id> ended_since;

  bool taking_in = false; ///< Staged tasks are being read, or written.
  /// Tasks of schedules are being written. One change at a time: while the database is away they do
  /// not gather in memory.
  bool running_schedules = false;

  core::instant told_of_endings; ///< When the janitor last was.
  std::size_t undurable = 0;     ///< Rows handed to the writer and not settled.
};

using queue_ptr = caf::stateful_actor<queue_state>*;

// The parts of the queue actor, one file each. All run on the queue's own actor.

// queue.cpp

core::instant time(queue_ptr self);
/// Writes the changes of a decision, if any; `effect` runs when they, and all that was decided
/// before, are durable.
void carry_out(queue_ptr self, core::change changes,
               std::function<void(const core::failure&)> effect);
/// The same, answering a request.
template <class Answer>
void carry_out(queue_ptr self, core::change changes, const held_promise& promise, Answer answer) {
  carry_out(self, std::move(changes),
            [promise, answer = std::move(answer)](const core::failure& why) {
              if (why.code == core::errc::none)
                promise.deliver(answer);
              else
                promise.deliver(msg::to_error(why));
            });
}
void fail(const held_promise& promise, core::errc code, std::string detail);
/// After anything that may have made a task ready or moved a deadline.
void look_after(queue_ptr self);
/// Tells tied workers, once `changes` are durable, what they have lost.
void carry_out_losing(queue_ptr self, core::change changes, std::vector<core::lost_lease> lost,
                      std::function<void(const core::failure&)> effect);

// queue_producers.cpp: making tasks and steering them.

/// Finds out which of the tasks, if they might be known to the database and not to the queue,
/// may not be made: they are finished here, or belong to another queue. Then runs `then`.
void find_elsewhere(queue_ptr self, const std::vector<core::task_id>& tasks,
                    const held_promise& promise,
                    std::function<void(const std::vector<persistence::known_task>&)> then);

/// The task, if the worker holds it under this very claim; else null.
const core::task* under_claim(const core::queue& q, const core::task_id& task,
                              const core::worker_id& worker, const core::assignment_id& claim);
void on_enqueue(queue_ptr self, msg::enqueue_tasks& request);
void on_enqueue_envelopes(queue_ptr self, msg::enqueue_envelopes& request);
void on_change(queue_ptr self, const msg::change_task& request);
void on_eject(queue_ptr self, msg::eject_task& request);
void on_redrive(queue_ptr self, const msg::redrive_tasks& request);

// queue_workers.cpp: what workers ask.

void on_claim(queue_ptr self, msg::claim_tasks& request);
void on_extend(queue_ptr self, const msg::extend_tasks& request);
void on_extension_tick(queue_ptr self);
void on_save(queue_ptr self, msg::save_task& request);
void on_release(queue_ptr self, msg::release_task& request);
void on_complete(queue_ptr self, msg::complete_tasks& request);
void on_follow(queue_ptr self, msg::follow_task& request);
void on_fail(queue_ptr self, msg::fail_task& request);
void on_worker_down(queue_ptr self, const caf::down_msg& down);
/// Gives what is ready to those who wait for it, and tells those who have waited long enough.
void serve(queue_ptr self);

// queue_intake.cpp: tasks that producers stage in the database themselves.

void on_take_in(queue_ptr self);

// queue_schedules.cpp: tasks that are made by the clock.

void on_put_schedule(queue_ptr self, msg::put_schedule& request);
void on_remove_schedule(queue_ptr self, const msg::remove_schedule& request);
void on_list_schedules(queue_ptr self, const msg::list_schedules& request);
void enter_schedules(queue_ptr self, std::vector<core::put_schedule_row>& stored);
/// Makes the tasks of what is due.
void run_schedules(queue_ptr self);
/// When that is to be done next.
core::instant next_schedule(queue_ptr self);

// queue_requests.cpp: from messages to the core and back.

/// Whether more may be taken in, as far as waiting writes go.
core::failure admit(queue_ptr self);
core::failure check(const core::new_task& task, const documents::json_limits& limits);
core::failure check(const msg::task_update& update, const documents::json_limits& limits);
core::new_task to_core(msg::task_request& request);
core::outcome<core::new_task> to_core(msg::task_envelope& request,
                                      const documents::json_limits& limits);
core::task_update to_core(msg::task_update& update);
msg::task_outcome to_message(core::item_outcome outcome);
msg::leased_task to_message(const core::task& t, const core::queue_policy& policy);

} // namespace holdfast::actors
