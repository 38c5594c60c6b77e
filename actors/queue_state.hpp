#pragma once

#include "actors/children.hpp"
#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"
#include "actors/payloads.hpp"
#include "actors/pending_effects.hpp"
#include "actors/reads.hpp"
#include "actors/standing_fault.hpp"
#include "actors/step_links.hpp"
#include "actors/stored_items.hpp"
#include "actors/tied_leases.hpp"
#include "core/queue.hpp"
#include "core/queue_meter.hpp"

#include <caf/stateful_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace holdfast::actors {

/// A request, and who made it.
struct asked {
  held_promise promise;
  caf::actor caller; ///< Null when nobody in particular.
};

struct queue_state {
  static inline const char* name = "queue";

  context_ptr context;
  decider identity;
  step_links links;

  bool loaded = false;
  /// Why nobody may ask it for anything: what is stored of it cannot be read. None when it can.
  core::failure damage;
  standing_fault load_fault;
  std::uint64_t loads = 0;         ///< The rows of a load before the latest are void.
  std::uint32_t load_attempts = 0; ///< Tries to load it that failed, in a row.
  core::instant loaded_at;
  /// Until then no id is too new to be known to the database: one has just been in use elsewhere.
  core::instant looks_all_up_until{};
  std::vector<std::function<void()>> stashed; ///< Requests that came before it was loaded.
  /// Live tasks whose rows the database does not give back. They stay as they are.
  std::unordered_set<core::task_id> unreadable;

  core::queue queue;
  core::queue_meter meter{core::instant{}}; ///< From `loaded_at` on.
  core::instant timer_at = core::instant::max();

  // --- workers that wait for a task ---
  struct waiting_claim {
    std::vector<held_promise> promises; ///< More than one when the request was repeated.
    core::claim command;
    core::instant until;
    caf::actor_addr client{}; ///< The connection with which what it is granted ends; null for none.
  };
  std::uint64_t last_waiting = 0;
  std::map<std::uint64_t, waiting_claim> waiting; ///< In order of arrival.
  std::set<std::pair<core::instant, std::uint64_t>> waiting_until;
  std::unordered_map<core::assignment_id, std::uint64_t> waiting_by_claim;
  /// Claims that have tasks, whose answers wait for a commit or for payloads: a repetition joins
  /// them, and the texts of its tasks are not copied once more.
  std::unordered_map<core::assignment_id, std::shared_ptr<waiting_claim>> being_answered;

  // --- leases that end with a connection (queue_ties.cpp) ---
  std::shared_ptr<tied_leases> ties;
  struct binding {
    caf::actor_addr client;
    core::token token = 0;
  };
  std::unordered_map<core::task_id, binding> bound; ///< The leases of `ties` that are not over.

  // --- extensions that wait for their common commit ---
  std::unordered_map<core::task_id, core::extend_task_lease> extending;
  struct extension_request {
    held_promise promise;
    msg::task_outcomes answer;
    std::vector<core::task_id> tasks; ///< Of which some may be written for another one before.
  };
  std::deque<extension_request> extension_requests;
  bool extension_armed = false;

  // --- requests that wait for the end of a task (queue_endings.cpp) ---
  struct awaited_end {
    core::task_id task;
    std::vector<held_promise> promises; ///< More than one when the request was repeated.
    core::instant until;
  };
  std::unordered_map<core::assignment_id, awaited_end> awaited_ends;
  std::unordered_map<core::task_id, std::vector<core::assignment_id>> awaited_tasks;
  std::set<std::pair<core::instant, core::assignment_id>> awaited_until;

  // --- what has just ended ---
  struct ending {
    core::token token = 0;
    core::task_ending how = core::task_ending::completed;
  };
  std::unordered_map<core::task_id, ending> recently_finished;
  std::deque<std::pair<core::instant, core::task_id>> finished_order;
  /// While tasks are being read, to be redriven or taken in: those that have ended since.
  std::uint32_t reads = 0;
  std::unordered_set<core::task_id> ended_since;

  /// Tasks that were just ejected, by claim.
  std::unordered_map<core::assignment_id, core::task_id> recently_ejected;
  std::deque<std::pair<core::instant, core::assignment_id>> ejection_order;

  // --- requests whose payloads are on their way into the object store ---
  payload_lines<caf::actor> lines;
  std::uint32_t unreachable_payloads = 0; ///< Claims in a row that met an object store away.

  bool taking_in = false; ///< Staged tasks are being read, or written.
  standing_fault intake_fault;
  std::uint32_t intakes_failed = 0; ///< Reads of the stage, in a row.
  core::instant
      intake_not_before{};  ///< While the stage cannot be read it is left alone for longer.
  bool looking_for = false; ///< Tasks that it does not know are being read.
  standing_fault lookout_fault;
  /// Tasks of schedules are being written. One change at a time: while the database is away they do
  /// not gather in memory.
  bool running_schedules = false;

  children<core::queue_name> pushers; ///< One at most: while the policy has `push`.
  core::queue_policy pushes_by;       ///< The last policy that is known to be durable.
  // --- bulk actions (queue_actions.cpp) ---
  std::deque<core::queue_action_row> actions; ///< Those that run, in the order of their turns.
  std::deque<core::queue_action_row> ended_actions; ///< The latest that have ended.
  bool acting = false;                              ///< A chunk is being read, or written.
  standing_fault action_fault;
  std::uint32_t action_tries = 0; ///< Looks for a chunk that failed, in a row.

  core::instant told_of_endings; ///< When the pruner last was.

  metrics::registration reported; ///< To scrapes of metrics.

  bool gone = false; ///< Its removal is durable: it ends with what is still being written.

  /// Ends first: its effects, which then learn that the queue ends, use what stands above.
  pending_effects pending;
};

using queue_ptr = caf::stateful_actor<queue_state>*;

// The parts of the queue actor, one file each. All run on the queue's own actor.

// queue.cpp

core::instant time(queue_ptr self);

/// Asks the loader for what has become of tasks, of whatever queue; those that do not exist are
/// left out.
inline auto read_tasks(queue_ptr self, std::vector<core::task_id> tasks) {
  return read(self, self->state.links.loader,
              [tasks = std::move(tasks)](persistence::store& db) { return load_tasks(db, tasks); });
}
/// Writes the changes of a decision, if any; `effect` runs when they, and all that was decided
/// before, are durable.
void carry_out(queue_ptr self, core::change changes,
               std::function<void(const core::failure&)> effect);
/// The same, answering a request, with its note.
template <class Answer>
void carry_out(queue_ptr self, core::change changes, const held_promise& promise, Answer answer) {
  carry_out(self, promise.noted(std::move(changes)),
            [promise, answer = std::move(answer)](const core::failure& why) mutable {
              if (why.code == core::errc::none)
                promise.deliver(std::move(answer));
              else
                promise.deliver(msg::to_error(why));
            });
}
void fail(const held_promise& promise, core::errc code, std::string detail);
/// The same once all that was decided before, and that the refusal may rest on, is durable.
void refuse(queue_ptr self, const held_promise& promise, core::failure refusal);
/// Whether the queue has been removed and waits for the commit; then the request is answered.
bool is_being_removed(queue_ptr self, const held_promise& promise);
/// After anything that may have made a task ready or moved a deadline.
void look_after(queue_ptr self);
/// Tells connections, once `changes` are durable, which of their leases they have lost.
void carry_out_losing(queue_ptr self, core::change changes,
                      const std::vector<core::lost_lease>& lost,
                      std::function<void(const core::failure&)> effect);
/// The claim of a worker that is given a task without waiting for one. `client`: the connection
/// with which the lease of the task ends.
inline queue_state::waiting_claim given_to(const held_promise& promise, core::worker_id worker,
                                           caf::actor_addr client = {}) {
  queue_state::waiting_claim to;
  to.promises.push_back(promise);
  to.command.worker = std::move(worker);
  to.client = std::move(client);
  return to;
}
/// Answers a claim with its tasks, as they are now, once `changes` are durable. Their payloads are
/// fetched from the store; a task whose payload cannot be read is taken back and harms no other.
void carry_out_granting(queue_ptr self, core::change changes, queue_state::waiting_claim to,
                        const std::vector<core::task_id>& tasks);
/// Lets the repetition of a claim have the answer that is on its way to its worker. False: there is
/// none.
bool join_answer(queue_ptr self, const queue_state::waiting_claim& repetition);

// queue_loading.cpp: from what is stored to the queue in memory.

/// Reads the queue from the database, and tries again while that fails.
void load(queue_ptr self);
/// The stored policy of the queue cannot be read: a valid policy takes its place, and the queue is
/// loaded again. Every other request is refused with the reason.
void put_over_damage(queue_ptr self, const asked& from, msg::put_queue& request);
msg::queue_view view_of(const core::queue& q);

// queue_producers.cpp: making tasks and steering them.

/// Finds out which of the tasks, if they might be known to the database and not to the queue,
/// may not be made: they are finished here, or belong to another queue. Then runs `then`.
void find_elsewhere(queue_ptr self, const std::vector<core::task_id>& tasks,
                    const held_promise& promise,
                    std::function<void(const std::vector<persistence::known_task>&)> then);

/// The task, if the worker holds it under this very claim; else null.
const core::task* under_claim(const core::queue& q, const core::task_id& task,
                              const core::worker_id& worker, const core::assignment_id& claim);
void on_enqueue(queue_ptr self, const asked& from, msg::enqueue_tasks& request);
void on_enqueue_envelopes(queue_ptr self, const asked& from, msg::enqueue_envelopes& request);
void on_change(queue_ptr self, const asked& from, const msg::change_task& request);
void on_eject(queue_ptr self, const asked& from, msg::eject_task& request);
void on_redrive(queue_ptr self, const asked& from, const msg::redrive_tasks& request);

/// A read that began with `++reads` is over. What has ended since, so is not as it was read.
std::unordered_set<core::task_id> end_read(queue_ptr self);

// queue_lookout.cpp: what it would not hear of by itself.

/// Compares what it has with what the database has, and takes in what it has forgotten.
void on_look_for(queue_ptr self, const look_for_tasks& m);
/// Ends the leases of workers that have ended with the node in which they ran.
void on_processes(queue_ptr self);

// queue_ties.cpp: leases that end with the connection over which they were claimed. They are bound
// to it one by one: the name of a worker is only what somebody says.

/// This connection claims leases that end with it. False: there are too many.
bool use_connection(queue_ptr self, const caf::actor& client, bool distant);
/// The connection, if it has claimed such leases here; else null.
caf::actor_addr connection_of(queue_ptr self, const caf::actor& caller);
/// The connection with which the lease of the task ends; null for none.
caf::actor_addr connection_of(queue_ptr self, const core::task_id& task);
/// The leases of these tasks end with the connection from now on; nothing when it is null.
void bind_leases(queue_ptr self, const caf::actor_addr& client,
                 const std::vector<core::task_id>& tasks);
/// Somebody has shown that they hold the lease: it ends with the connection over which they did,
/// if it ends with one. So a worker that has come back over another one keeps it.
void rebind_lease(queue_ptr self, const caf::actor& caller, const core::held_task& shown);
/// A lease that ends with a connection.
struct tied_lease {
  caf::actor_addr client;
  core::task_id task;
  core::token token = 0;
};
/// The lease of the task is over; adds it to `over` if it was to end with a connection.
void unbind_lease(queue_ptr self, const core::task_id& task, std::vector<tied_lease>& over);
/// The ends of these leases are durable: no later life of the queue needs to know of them.
void forget_leases(queue_ptr self, const std::vector<tied_lease>& over);
/// The messages that tell each connection of the leases that its workers have lost.
std::vector<std::pair<caf::actor, msg::tasks_lost>>
losses_by_connection(queue_ptr self, const std::vector<core::lost_lease>& lost);
void on_connection_down(queue_ptr self, const caf::down_msg& down);
/// Binds the leases again that an earlier life had bound, and ends those whose connections have
/// ended meanwhile.
void take_ties_over(queue_ptr self);

// queue_workers.cpp: what workers ask.

void on_claim(queue_ptr self, const asked& from, msg::claim_tasks& request);
void on_distant_claim(queue_ptr self, const asked& from, distant_claim& claim);
void on_extend(queue_ptr self, const asked& from, const msg::extend_tasks& request);
void on_extension_tick(queue_ptr self);
void on_save(queue_ptr self, const asked& from, msg::save_task& request);
void on_save_in_order(queue_ptr self, const asked& from, msg::save_task_in_order& request);
void on_release(queue_ptr self, const asked& from, msg::release_task& request);
void on_complete(queue_ptr self, const asked& from, msg::complete_tasks& request);
void on_follow(queue_ptr self, const asked& from, msg::follow_task& request);
void on_fail(queue_ptr self, const asked& from, msg::fail_task& request);
/// Calls off the claims of a connection that is gone.
void stop_waiting(queue_ptr self, const std::set<std::uint64_t>& claims);
/// Gives the claim what is ready, or lets it wait.
void claim_or_wait(queue_ptr self, queue_state::waiting_claim claim);
/// Calls off the claims of whoever is gone; answers those who still listen with nothing.
void stop_waiting_of(queue_ptr self,
                     const std::function<bool(const queue_state::waiting_claim&)>& gone);
/// How far tasks may be granted while the writers have much to do.
enum class serving : std::uint8_t {
  below_mark,  ///< While they are below their high-water mark; a timer tries again soon.
  as_backstop, ///< Up to twice the mark: the look that makes up for lost timers must not wait for
               ///< one.
};
/// Grants ready tasks to the claims that wait, and answers those that have waited long enough.
void serve(queue_ptr self, serving how = serving::below_mark);

// queue_payloads.cpp: what is too large for a row.

/// Those of the texts that are too large for a row.
std::vector<large_text> large_in(queue_ptr self, core::task_update& update);
std::vector<large_text> large_in(queue_ptr self, core::new_task& task);
std::vector<large_text> large_in(queue_ptr self, core::follow_task& command);
template <class Command>
std::vector<large_text> large_in(queue_ptr self, Command& command) {
  return large_in(self, command.update);
}

/// As `put_payloads`. The caller's later requests are decided after `then` has run.
void store(queue_ptr self, const caf::actor& caller, const std::vector<large_text>& texts,
           payloads_done then);

/// Decides about a command at once or, when it brings a text that is too large for a row, as soon
/// as that is stored.
template <class Command, class Then>
void when_stored(queue_ptr self, const asked& from, Command command, Then decide) {
  if (large_in(self, command).empty())
    return decide(std::move(command));
  const auto kept = std::make_shared<Command>(std::move(command));
  store(self, from.caller, large_in(self, *kept),
        [=, promise = from.promise](const std::vector<core::failure>& outcomes) {
          if (const auto why = first_failure(outcomes); why.code != core::errc::none)
            return promise.deliver(msg::to_error(why));
          decide(std::move(*kept));
        });
}

/// Lets the request, with so many bytes of documents, wait for earlier ones of the same caller.
void wait_in_line(queue_ptr self, const asked& from, std::size_t bytes,
                  std::function<void()> decide);

// queue_removal.cpp: its end.

/// Removes the queue when nothing in it is live or staged; success also when there is none.
void on_remove_queue(queue_ptr self, const asked& from, const msg::remove_queue& request);

// queue_explanation.cpp: why they do not move.

void on_explain(queue_ptr self, const asked& from, const msg::explain_task& request);
void on_metrics(queue_ptr self, const asked& from, const msg::get_queue_metrics& request);
/// The same for a scrape of all metrics.
void on_read_metrics(queue_ptr self, const read_metrics& reading);

// queue_endings.cpp: requests that wait for the end of a task.

void on_await_task(queue_ptr self, const asked& from, const msg::await_task& request);
/// The waits for tasks that end with `changes`; to be answered by `tell_ended` when these are
/// durable.
std::vector<core::assignment_id> waits_ended_by(queue_ptr self, const core::change& changes);
void tell_ended(queue_ptr self, const std::vector<core::assignment_id>& waits);
/// Answers the waits that have lasted long enough.
void end_long_waits(queue_ptr self);
/// When the first of them has.
core::instant next_wait_end(queue_ptr self);

// queue_actions.cpp: one change to many tasks.

void on_start_action(queue_ptr self, const asked& from, const msg::start_queue_action& request);
void on_stop_action(queue_ptr self, const asked& from, const msg::stop_queue_action& request);
/// Does the next chunk of the action whose turn it is, unless one is under way.
void go_on_with_actions(queue_ptr self);

// queue_intake.cpp: tasks that producers stage in the database themselves.

void on_take_in(queue_ptr self);

// queue_schedules.cpp: tasks that are made by the clock.

void on_put_schedule(queue_ptr self, const asked& from, msg::put_schedule& request);
void on_remove_schedule(queue_ptr self, const asked& from, const msg::remove_schedule& request);
void on_list_schedules(queue_ptr self, const asked& from, const msg::list_schedules& request);
void on_preview_schedule(queue_ptr self, const asked& from, const msg::preview_schedule& request);
void on_run_schedule(queue_ptr self, const asked& from, const msg::run_schedule& request);
void enter_schedules(queue_ptr self, std::vector<core::put_schedule_row>& stored);
/// Makes the tasks of what is due.
void run_schedules(queue_ptr self);
/// When that is to be done next.
core::instant next_schedule(queue_ptr self);

// queue_push.cpp: tasks that are posted to a receiver.

/// Has tasks posted by this policy, which is durable, from now on; or no longer, if it has no
/// `push`.
void push_by(queue_ptr self, const core::queue_policy& policy);
/// Whether it was the pusher that has ended. One that has crashed is started again by
/// `look_after_pusher`: not at once, as it may crash again.
bool on_pusher_down(queue_ptr self, const caf::down_msg& down);
/// Starts the pusher if there is to be one and it is not there.
void look_after_pusher(queue_ptr self);
void on_give_back(queue_ptr self, const asked& from, give_back_pushed& m);

// queue_requests.cpp: from messages to the core and back.

core::failure check(const core::new_task& task, const documents::json_limits& limits);
/// Whether a payload from outside may come in: it is JSON, and not what stands for a payload in the
/// object store. A failure names the field.
core::failure check_document(const std::string& text, const char* field,
                             const documents::json_limits& limits);
core::failure check(const msg::task_update& update, const documents::json_limits& limits);
core::new_task to_core(msg::task_request& request);
core::outcome<core::new_task> to_core(msg::task_envelope& request,
                                      const documents::json_limits& limits);
core::task_update to_core(msg::task_update& update);
msg::task_outcome to_message(core::item_outcome outcome);
msg::leased_task to_message(const core::task& t, const core::queue_policy& policy);

} // namespace holdfast::actors
