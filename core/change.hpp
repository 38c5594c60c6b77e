#pragma once

#include "core/api_token.hpp"
#include "core/audit.hpp"
#include "core/contributor.hpp"
#include "core/correction_row.hpp"
#include "core/eligibility.hpp"
#include "core/ids.hpp"
#include "core/lease.hpp"
#include "core/queue_action_row.hpp"
#include "core/removal.hpp"
#include "core/routing.hpp"
#include "core/task.hpp"
#include "core/trace.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace holdfast::core {

/// What a decision wants written. One `change` is atomic: all of it is committed, in one
/// transaction, or none.

/// Where a unit stands. A *gathered* one is part of a batch, another unit of the same step, or
/// waits to be; it is not worked on. The numbers are stored.
enum class unit_state : std::uint8_t {
  judgable = 1,
  paused = 2,
  finalized = 3,
  canceled = 4,
  gathered = 5,
};
enum class step_status : std::uint8_t { open = 1, paused = 2, completed = 3, canceled = 4 };
/// Where the job of a workflow stands in the lifecycle system that it is part of. The numbers are
/// stored.
enum class job_status : std::uint8_t { launched = 1, paused = 2, finished = 3, canceled = 4 };

/// Whether a unit is worked on, now or later.
inline bool is_open(unit_state state) {
  return state == unit_state::judgable || state == unit_state::paused;
}

/// The names of the states in SQL, events and messages.
std::string_view to_string(unit_state state);
std::string_view to_string(step_status status);
std::string_view to_string(job_status status);
std::optional<job_status> job_status_named(std::string_view name);

/// The stored form of a step; its definition is part of its workflow's.
struct step_row {
  step_id id;
  workflow_id workflow;
  std::string key;            ///< The step's name inside its workflow.
  std::uint32_t position = 0; ///< Its place among the steps of all versions, from 0.
  step_status status = step_status::open;
  bool sealed = false; ///< No more units are expected.
  std::uint64_t total_units = 0;
  std::uint64_t completed_units = 0; ///< Finalized, canceled or part of a batch.
  std::uint64_t revision = 1; ///< Raised with every change of this row's status, seal or policy.
  /// A bit for the position of each step before this one that is complete.
  std::uint64_t upstreams_completed = 0;
  std::uint64_t job_revision = 0; ///< That `job` is of; 0: nobody has told of the job yet.
  job_status job = job_status::launched;
};

struct insert_workflow {
  workflow_id id;
  std::string name;
  std::string definition; ///< JSON, as validated.
  instant created_at;
};

/// A workflow goes on in another form; what began in an earlier one keeps that. Refused by the
/// store unless the version is the one after the last.
struct insert_workflow_version {
  workflow_id workflow;
  std::uint32_t version = 2; ///< The workflow itself was made as version 1.
  std::string definition;    ///< JSON, as validated.
  instant created_at;
};

struct insert_step {
  step_row row;
  instant created_at;
};

/// Sets the mutable members (status, seal, counts, revision, completed upstreams, job) of a step.
/// Of several in one batch the last counts.
struct update_step {
  step_row row;
};

struct insert_unit {
  unit_id id;
  step_id step;
  unit_id root;   ///< `root_data_id`: the first unit of the chain, for a first unit its own id.
  unit_id parent; ///< Nil for units made from source data.
  std::uint64_t ordinal = 0; ///< Place in the step's order of arrival.
  std::string source_key;    ///< Unique within the step.
  std::string input;         ///< JSON; perhaps a reference (`object_ref`).
  std::uint32_t slots = 1;   ///< `judgments_per_unit`.
  instant created_at;
  std::string truth{};     ///< Of a test question: what its answers are compared with. JSON.
  std::uint32_t loops = 0; ///< How often its chain was sent back.
  std::uint32_t part = 0;  ///< Place among the units of this step that its parent's result made.
  std::vector<contributor_id> excluded{}; ///< Never offered to these; in order, each once.
  std::uint32_t version = 1;              ///< Of the workflow, under which its chain began.
  list_place list{};
  bool gathered = false; ///< It waits to be part of a batch; else it is judgable.
  /// Results of its parent that had been taken back by then; of a batch, how often its parent had
  /// been taken out of one.
  std::uint32_t parent_reopened = 0;
};

/// The units become part of the batch, which is there already or is made by the same change.
/// Refused by the store unless all of them wait for one in its step.
struct gather_units {
  unit_id batch;
  std::vector<unit_id> members; ///< In the order in which its input has them.
};

/// They are part of the batch no more, and wait for another. Refused by the store unless the batch
/// is canceled and all of them are part of it.
struct ungather_units {
  unit_id batch;
  std::vector<unit_id> members;
};

/// The unit wants so many judgments now.
struct set_unit_slots {
  unit_id unit;
  std::uint32_t slots = 1;
};

/// The unit asks about something else from now on. Refused by the store unless the unit is judgable
/// or paused, is no test question, and was made from source data.
struct set_unit_input {
  unit_id unit;
  std::string input; ///< JSON; perhaps a reference.
};

/// Moves a unit between judgable, paused and canceled.
struct set_unit_state {
  unit_id unit;
  unit_state state;
  instant at;
};

struct finalize_unit {
  unit_id unit;
  std::string result; ///< JSON.
  double confidence = 0;
  instant at;
  std::int16_t route = no_route; ///< Index of the step's route that takes the unit.
  std::string route_reason{};    ///< For people; empty where the step has no routes.
};

/// Takes the result of a finalized unit back: it wants judgments again. Refused by the store unless
/// the unit is finalized.
struct reopen_unit {
  unit_id unit;
  std::uint32_t slots = 1; ///< Judgments wanted now.
  instant at;
};

/// The result of a finalized unit has the same answer, and rests on other judgments than it says.
/// Refused by the store unless the unit is finalized.
struct restate_unit {
  unit_id unit;
  std::string result; ///< JSON.
  double confidence = 0;
};

/// What an override finds in its unit.
enum class overridden_state : std::uint8_t {
  open = 0,       ///< No result: the override makes it.
  stands = 1,     ///< A result with the same answer and route, which stays the one that was told.
  taken_back = 2, ///< Another result, which is taken back.
};

/// The result of a unit is what its requester says. Refused by the store unless the unit is open,
/// or finalized, as `found` says; of a test question always.
struct override_unit {
  unit_id unit;
  std::string result; ///< JSON.
  instant at;
  std::int16_t route = no_route; ///< As in `finalize_unit`, like the following.
  std::string route_reason{};
  overridden_state found = overridden_state::open;
};

/// A finished unit rests on more judgments than it has asked for. Refused by the store unless the
/// unit is finalized.
struct recount_unit {
  unit_id unit;
  std::uint32_t slots = 1;
};

/// Somebody in charge has corrected a unit. Refused by the store when a correction of the unit has
/// its id.
struct insert_correction {
  correction_row row;
};

/// Results of a unit up to this one, counted from 1, were taken back.
struct taken_back {
  unit_id unit;
  std::uint32_t revision = 1;
};

/// A finalized unit is canceled, and its result stays to be seen; or one that waits to be part of a
/// batch is. Refused by the store unless the unit is finalized, or waits.
struct withdraw_unit {
  unit_id unit;
  instant at;
};

struct insert_lease {
  unit_id unit;
  core::lease lease;
};

/// Refused by the store unless the lease is there under exactly this token.
struct extend_lease_row {
  unit_id unit;
  contributor_id owner;
  core::token token = 0;
  instant expires_at;
};

/// Moves a lease to the history. Refused by the store unless it is there under exactly this token.
struct end_lease_row {
  unit_id unit;
  contributor_id owner;
  core::token token = 0;
  lease_end how = lease_end::released;
  instant at;
};

/// Stores an answer and ends the lease it was given under, which becomes `Submitted`. Refused by
/// the store unless the lease is there under exactly this token.
struct insert_judgment {
  judgment_id id;
  unit_id unit;
  contributor_id owner;
  core::token token = 0;
  std::string payload;       ///< JSON, as handed in and validated; perhaps a reference.
  std::string answer;        ///< What aggregation counts, taken from the payload.
  double trust_snapshot = 1; ///< The contributor's trust when the judgment came in.
  instant submitted_at;
  std::optional<bool> test_correct{}; ///< On a test question: whether the answer is right.
  /// How many units of the step the contributor had judged before, where that is counted.
  std::optional<std::uint32_t> judged_before{};
  std::optional<std::uint32_t> trust_questions{}; ///< As in `trust_mark`.
};

/// Stores an answer that came after its lease had expired as one that counts. The lease leaves the
/// history and becomes `Submitted`. Refused by the store unless the history has it as expired under
/// exactly this token.
struct insert_late_judgment {
  insert_judgment judgment;
};

/// Keeps an answer that came after its lease had expired apart from those that count; it never
/// does. The lease stays `Expired`. Refused by the store unless the history has it as expired under
/// exactly this token, or when an answer was kept for it already.
struct insert_surplus_judgment {
  insert_judgment judgment; ///< Without a verdict, on a test question too.
};

/// The contributor's judgment of the unit counts no more. Refused by the store unless it is there
/// and counts.
struct taint_judgment {
  unit_id unit;
  contributor_id contributor;
  instant at;
};

/// A judgment that did not count does so again. Refused by the store unless it is there and does
/// not count.
struct restore_judgment {
  unit_id unit;
  contributor_id contributor;
};

/// Whether somebody in charge has said that the judgment counts no more, so that nothing but their
/// word lets it count again. Refused by the store unless the judgment is there, and this is new.
struct set_taint_requested {
  unit_id unit;
  contributor_id contributor;
  bool requested = true;
};

/// The author of a judgment has handed in another payload. The store keeps it, and that of the
/// judgment before its first correction, under their numbers. Refused by the store unless the
/// judgment is there and `number` follows that of its last correction.
struct insert_judgment_correction {
  judgment_id judgment;
  unit_id unit;
  contributor_id contributor;
  std::uint32_t number = 1;
  std::string payload; ///< JSON; perhaps a reference.
  std::string answer;
  instant at;
  bool applied = true; ///< The judgment says this from now on; else it is only kept.
};

/// How much a judgment is trusted from now on. Refused by the store unless it is there.
struct set_judgment_trust {
  unit_id unit;
  contributor_id contributor;
  trust_mark trust{};
};

/// Whether the answers to a test question say nothing of those who gave them. Refused by the store
/// unless it is one, and this is new.
struct set_question_forgiven {
  unit_id unit;
  bool forgiven = true; ///< False: they count again.
  instant at;
};

/// What a contributor may do in a step from now on. Of several in one batch the last counts.
struct put_standing {
  step_id step;
  contributor_id contributor;
  contributor_standing standing = contributor_standing::working;
  standing_reason reason = standing_reason::requester;
  instant at;
  bool by_removal = false; ///< It follows from a removal (core/removal.hpp), or the end of one.
};

/// A monitor has found that a contributor's work is worth a look. Refused by the store when it has
/// before.
struct insert_flag {
  step_id step;
  contributor_id contributor;
  monitor what = monitor::agreement;
  std::string why; ///< For people; 1 to 512 bytes.
  instant at;
};

/// What a repair has met, in units but for the last.
struct repair_figures {
  std::uint64_t found = 0;       ///< Finished ones in which something counted that should not.
  std::uint64_t unchanged = 0;   ///< Their answer stands without it.
  std::uint64_t changed = 0;     ///< Another answer, from the judgments that are there.
  std::uint64_t reopened = 0;    ///< Others are asked before there is a result again.
  std::uint64_t went_on = 0;     ///< Left alone; of repairs that did not go through batches.
  std::uint64_t disregarded = 0; ///< Judgments that count no more.
  std::uint64_t reissued = 0;    ///< Of those taken back: others were made from the result.
};

/// The stored form of a repair: one passage over the units of a step, in their order of arrival,
/// for what a removed contributor had said of finished ones, or what is known today of others.
struct repair_row {
  repair_id id; ///< Chosen by the caller.
  step_id step;
  contributor_id contributor; ///< Or all who answered a question: `answerers_of`.
  bool dry_run = false;       ///< Only counts.
  std::uint64_t through = 0;  ///< The last unit's place when it was asked for.
  std::uint64_t bookmark = 0; ///< Units up to this place are dealt with.
  repair_figures figures;
  instant asked_at;
  instant changed_at;

  bool done() const { return bookmark >= through; }
};

/// Makes a repair or notes how far it is. Of several in one batch the last counts.
struct put_repair {
  repair_row row;
};

/// The consumer has applied the message; a second time the store refuses the whole change.
struct insert_inbox {
  std::string consumer;
  message_id message;
};

/// The consumer needs no event of the shard up to and including `seq` again. Never moves backwards;
/// of several in one batch the last counts.
struct advance_cursor {
  std::string consumer;
  shard_id shard = 0;
  event_seq seq = 0;
};

// --- tasks ---

/// Makes a queue or sets what can change of it. Of several in one batch the last counts.
struct put_queue {
  queue_name name;
  std::string definition; ///< JSON, as validated.
  bool paused = false;
  std::vector<std::string> paused_types;
  std::uint64_t revision = 1; ///< Raised with every change.
  instant at;
};

/// Deletes a queue with its schedules and its bulk actions. Its policy is kept, because the policy
/// says how long its finished tasks are. Refused by the store when the queue does not exist or has
/// live tasks. It comes after all other writes of its batch.
struct delete_queue {
  queue_name name;
  instant at;
};

/// Refused by the store when a task of this id exists, live or finished, or a live one of the same
/// queue and unique key, or when the queue does not exist.
struct insert_task {
  queue_name queue;
  task_spec spec;
  task_progress progress;
};

/// Sets the mutable members of a live task.
struct update_task {
  task_id task;
  task_progress progress;
};

struct insert_task_lease {
  task_id task;
  core::lease lease;
  instant due{}; ///< Since when the task could have been leased. Not stored.
};

/// Refused by the store unless the lease is there under exactly this token.
struct extend_task_lease {
  task_id task;
  core::token token = 0;
  instant expires_at;
};

/// Moves a task's lease to the history of its attempts. Refused by the store unless it is there
/// under exactly this token.
struct end_task_lease {
  task_id task;
  core::token token = 0;
  attempt_ending how = attempt_ending::released;
  task_error error;
  instant at;
};

/// Moves a live task to the finished ones. Refused by the store unless it is live, and leased under
/// exactly `token`, or not leased when that is 0.
struct finish_task {
  task_id task;
  core::token token = 0; ///< Of the lease that ends with it: what remains of it is kept with it.
  task_ending ending = task_ending::completed;
  std::string result; ///< JSON; empty for none.
  task_error error;
  task_progress progress; ///< As it ended.
  std::string unique_key; ///< Its own, which may be used again from the next batch on.
  instant at;
  // Not stored; for those who count.
  std::string type{};
  instant leased_at{}; ///< When the lease that ends with it began.
  // Likewise; for the span of its handler.
  std::string trace_id{};
  std::string span_id{};
};

/// Makes a finished task live again. Refused by the store unless it is finished.
struct revive_task {
  task_id task;
  task_progress progress;
  std::string unique_key; ///< Its own.
};

/// What came from a worker that had lost its lease: recorded, not applied.
struct insert_late_result {
  task_id task;
  core::token token = 0;
  worker_id worker;
  std::string outcome; ///< What the worker wanted: `completed`, `failed`, …
  std::string detail;  ///< Its result or error.
  instant at;
};

/// Takes what the queue has dealt with off the stage. Refused by the store unless each is there and
/// not refused.
struct take_staged {
  std::vector<staging_id> staged;
};

/// Sets a staged task aside, where people see it. Refused by the store unless it is there and not
/// refused already.
struct refuse_staged {
  staging_id staged = 0;
  errc code = errc::none;
  std::string detail; ///< For whoever staged it.
  instant at;
};

/// Stages a task for its queue, which takes it in as it takes what other producers stage. Refused
/// by the store when a task of this id is staged.
struct stage_task {
  queue_name queue;
  new_task task;
};

/// Makes a schedule of a queue or sets its members. Refused by the store when the queue does not
/// exist. Of several writes of one schedule in one batch the last counts.
struct put_schedule_row {
  queue_name queue;
  std::string name;
  std::string definition; ///< JSON, as validated.
  instant created_at;
  instant handled_until;      ///< Occurrences up to this instant are dealt with.
  instant last_made;          ///< The last occurrence that made a task; the epoch for none.
  std::uint64_t revision = 1; ///< Raised with every change of the definition.
  instant at;
};

/// Forgets a schedule; nothing when there is none.
struct delete_schedule_row {
  queue_name queue;
  std::string name;
};

// --- webhooks ---

/// Where reading begins. The numbers are on the wire.
enum class event_start : std::uint8_t {
  after = 1,  ///< Behind a position.
  oldest = 2, ///< With the oldest event that is kept.
  newest = 3, ///< With the next event that is committed.
};

/// Makes a webhook or sets what can change of it. Refused by the store when another one has its
/// name. A new one gets its position on every shard: behind all events that are committed before
/// or with it, or behind none that is kept.
struct put_webhook {
  webhook_id id;
  std::string name;
  std::string definition; ///< JSON, as validated.
  bool paused = false;
  std::uint64_t revision = 1;              ///< Raised with every change; 1 makes it.
  event_start start = event_start::newest; ///< Of a new one; newest or oldest.
  instant at;
};

/// Forgets a webhook with its positions and dead letters; nothing when there is none.
struct delete_webhook {
  webhook_id id;
};

/// How far the delivery of a webhook is on a shard. Nothing when there is no such webhook any more.
/// Of several in one batch the last counts.
struct put_webhook_position {
  webhook_id webhook;
  shard_id shard = 0;
  event_seq seq = 0;
  /// The revision of the webhook under which delivery has stopped here; 0: it goes on.
  std::uint64_t stopped_revision = 0;
  std::string reason{}; ///< Why it stopped, or waits; empty while it goes on.
  instant at;
};

/// An event that could not be delivered, or not again. Replaces an earlier one of the same event.
/// Nothing when there is no such webhook any more.
struct put_dead_letter {
  webhook_id webhook;
  message_id event;
  std::string json;         ///< The event, as published.
  std::uint32_t status = 0; ///< Of HTTP; 0: there was no answer.
  std::string reason;
  instant at;
};

/// The dead letter is to be delivered once more. Nothing when it is not there.
struct replay_dead_letter {
  webhook_id webhook;
  message_id event;
};

/// Nothing when it is not there.
struct delete_dead_letter {
  webhook_id webhook;
  message_id event;
};

/// Sets what is known of a contributor, in place of all that was known. Of several in one batch the
/// last counts. The lists are in order of bytes, each term once.
struct put_profile {
  contributor_id contributor;
  contributor_profile profile;
  instant at;
};

/// Makes a bulk action of a queue, or notes how far it is. Refused by the store when the queue does
/// not exist. Of several in one batch the last counts.
struct put_queue_action {
  queue_action_row row;
};

/// Forgets actions of the queue that have ended: all but the `keep` that were asked for last. Comes
/// after every `put_queue_action` of its batch.
struct forget_queue_actions {
  queue_name queue;
  std::uint32_t keep = 0;
};

/// Stores an API token as it is now, in place of its row if there is one. Of several in one batch
/// the last counts.
struct put_api_token {
  api_token row;
};

/// Says where somebody may not work, in place of what was said of that place; where it has
/// `ended_at`, only that this is over: see `after`. Of several in one batch each counts.
struct put_removal {
  removal row;
};

using write_op = std::variant<
    insert_workflow, insert_step, update_step, insert_unit, set_unit_state, set_unit_slots,
    finalize_unit, insert_lease, extend_lease_row, end_lease_row, insert_judgment, taint_judgment,
    put_standing, insert_inbox, advance_cursor, put_queue, insert_task, update_task,
    insert_task_lease, extend_task_lease, end_task_lease, finish_task, revive_task,
    insert_late_result, take_staged, refuse_staged, put_schedule_row, delete_schedule_row,
    stage_task, put_webhook, delete_webhook, put_webhook_position, put_dead_letter,
    replay_dead_letter, delete_dead_letter, reopen_unit, put_repair, insert_late_judgment,
    insert_surplus_judgment, insert_flag, insert_workflow_version, put_profile, gather_units,
    withdraw_unit, restore_judgment, set_question_forgiven, ungather_units, set_judgment_trust,
    restate_unit, delete_queue, put_api_token, insert_audit, put_queue_action, forget_queue_actions,
    set_unit_input, override_unit, recount_unit, insert_correction, set_taint_requested,
    insert_judgment_correction, put_removal>;

enum class event_type : std::uint8_t {
  unit_ready_for_assignment = 1,
  judgment_received = 2,
  unit_finalized = 3,
  job_step_updated = 4,
  unit_canceled = 5,
  test_judgment = 6,
  contributor_flagged = 7,
  unit_task_ended = 8,
  unit_reopened = 9,
  judgment_reinstated = 10,
  unit_withdrawn = 11,
  /// Never stored: stands for an event that is, and that the database does not give back.
  event_unreadable = 12,
  // Ends of tasks, of queues that tell of them: see core/task_events.hpp.
  task_completed = 13,
  task_failed = 14,
  task_dead = 15,
  task_canceled = 16,
};

/// The published name, e.g. `JudgmentReceived`.
std::string_view to_string(event_type type);
std::optional<event_type> event_type_named(std::string_view name);

/// Something that happened, told to the rest of the system and the world after its commit.
struct event {
  event_type type;
  /// Nil for events about a task, and of `event_unreadable`: nothing is known of that but its
  /// place.
  step_id step;
  unit_id unit;         ///< Nil for events about a step.
  judgment_id judgment; ///< Nil but for events about one.
  instant at;
  std::string details; ///< JSON object with the members particular to the type; empty for none.
  // Of events about a task alone.
  queue_name queue{}; ///< Where it was done.
  task_id task{};
};

/// An event in its place.
struct sequenced_event {
  message_id id;
  core::event event;
};

/// The event as stored and published: one JSON object.
std::string to_json(const event& what);

/// Stands in the place of an event that cannot be read. `at` is when that was committed, `problem`
/// tells why.
event unreadable_event(const message_id& place, instant at, std::string_view problem);

struct change {
  std::vector<write_op> writes;
  std::vector<event> events;
  /// The trace whose request has led to it, under whose span its commit is told of.
  trace_ptr trace{};

  bool empty() const { return writes.empty() && events.empty(); }
};

/// `to` and then `more`: one change that becomes durable as a whole.
void append(change& to, change more);

/// What a decision yields: a refusal, or an answer that may be given once `changes` are durable.
template <class Answer>
struct decision {
  errc refusal = errc::none;
  Answer answer{};
  change changes;
  std::string detail; ///< With a refusal: the particulars.
};

template <class Answer>
decision<Answer> refuse(errc code, std::string detail = {}) {
  decision<Answer> refused;
  refused.refusal = code;
  refused.detail = std::move(detail);
  return refused;
}

} // namespace holdfast::core
