#pragma once

#include "actors/node_dialer.hpp"
#include "actors/request_note.hpp"
#include "core/change.hpp"
#include "core/event_feed.hpp"
#include "core/judgment_correction.hpp"
#include "core/object_ref.hpp"
#include "core/outcome.hpp"
#include "core/placement.hpp"
#include "core/quality/refit.hpp"
#include "core/queue_policy.hpp"
#include "core/step_listing.hpp"
#include "core/sweep.hpp"
#include "core/unit.hpp"
#include "core/unit_corrections.hpp"
#include "core/webhook.hpp"
#include "core/workflow_versions.hpp"
#include "messages/cluster_messages.hpp"
#include "messages/correction_messages.hpp"
#include "messages/protocol.hpp"
#include "messages/task_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "metrics/registry.hpp"
#include "persistence/store.hpp"

#include <caf/actor.hpp>
#include <caf/allowed_unsafe_message_type.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// What the actors of one node say to each other. None of it leaves the process.
namespace holdfast::actors {

using core::hosted_item;

// --- writer ---

/// Who decides a change: a queue, or the actors of one step, under one life of that actor. When it
/// is started again its generation grows, and whatever survivors of its earlier life still send is
/// refused, as memory they decided from is no longer the truth.
struct decider {
  core::shard_id shard = 0;
  hosted_item item;
  std::uint64_t generation = 0;

  const core::step_id& step() const { return std::get<core::step_id>(item); }
  const core::queue_name& queue() const { return std::get<core::queue_name>(item); }
};

/// Any actor → writer: make this durable. Answered with `write_done` under the same ticket, in
/// order of arrival. An empty change is a barrier: its answer says that everything decided before
/// is settled.
struct write_request {
  decider from;
  std::uint64_t ticket = 0;
  core::change changes;
  /// The actor takes this change back by itself when an id in it is in use, and nothing that it
  /// decides before it knows rests on it: then it is refused alone, and in its turn.
  bool alone = false;
};

/// Writer → actor. `none`: durable. Anything else: nothing of the change is in the database, and
/// the actor's memory is ahead of it, so the actor must end. The writer takes nothing more from an
/// actor it has refused. Except `already_exists` to what was written `alone`.
struct write_done {
  std::uint64_t ticket = 0;
  core::failure failure;
  std::uint64_t tickets = 1; ///< How many it answers: this one, and those right before it.

  std::uint64_t first() const { return ticket - (tickets - 1); }
};

/// Membership → writer: these shards are ours to write, from these sequence numbers on. Whoever
/// sends it hears of doubts about them (`history_doubted`).
struct adopt_shards {
  std::vector<persistence::shard_fence> fences;
};

/// Membership → writer: answer `settled` as soon as nothing of these shards is queued.
struct settle_shards {
  std::vector<core::shard_id> shards;
};

/// Membership → writer: these shards are not ours to write any more. What is queued of them is
/// refused; answered by `settled` when nothing of them is under way.
struct abandon_shards {
  std::vector<core::shard_id> shards;
};

// --- membership ---

/// Shards, relay → membership: tell me which shards this node hosts: all of them now, then those
/// that come and go. A follower must answer `leave_shards`.
struct follow_hosting {
  caf::actor follower;
};

/// Membership → follower: these shards are ours, and the writers may write them.
struct shards_gained {
  std::vector<core::shard_id> shards;
};

/// Membership → follower: end what you do for these shards. Answered by `settled` when it has
/// ended.
struct leave_shards {
  std::vector<core::shard_id> shards;
};

/// Shards → membership: tell me when the processes of nodes are others than before.
struct follow_processes {
  caf::actor follower;
};

/// Membership → shards → shard host → queue: a process of a node has come or gone; which there are
/// is in the context.
struct processes_changed {};

/// Shards → membership: the writer says that the shard is another host's.
struct shard_doubted {
  core::shard_id shard = 0;
};

/// Writer → membership: the database does not know what batches of these shards, under these
/// epochs, follow from.
struct history_doubted {
  std::vector<std::pair<core::shard_id, core::epoch>> shards;
};

/// Peer nodes → membership: tell me of every look at the cluster.
struct follow_cluster {
  caf::actor peer_nodes;
};

/// Membership → peer nodes.
struct cluster_seen {
  core::cluster_view view;
  std::set<core::incarnation_id> believed_dead;
};

/// Membership → peer nodes: what hosts what has changed; tell the other nodes.
struct announce_change {};

/// Whoever has a reason → membership: look at the cluster now.
struct look_now {};

/// Peer nodes → membership: the process has ended; there is evidence.
struct process_gone {
  core::incarnation_id incarnation;
};

/// Gateway → shards → membership: answered by `shards_hosted` as soon as every shard has a living
/// host, wherever. The answer takes the way back through shards, so that the hosts here are there.
struct await_shards {};
struct shards_hosted {};

/// Node → membership: give the shards free. Answered by `settled`.
struct resign {};

/// Relay → writer: tell me of every committed event.
struct follow_events {
  caf::actor relay;
};

/// Writer → relay: committed events of one shard, without a gap to those before.
struct events_committed {
  core::shard_id shard = 0;
  std::vector<core::sequenced_event> events;
};

/// Node → writer: answer `settled` as soon as nothing is queued.
struct settle {};
struct settled {};

// --- refitter ---

/// Step → refitter. Answered by `step_surveyed`.
struct survey_step {
  std::shared_ptr<const persistence::survey_material> material;
};
struct step_surveyed {
  core::step_survey found;
  core::finished_by_version finished;
  std::vector<core::step_history::unreadable> unreadable; ///< Of judgments; left out of `found`.
};

/// Step → refitter. Answered by `model_refitted`.
struct refit_model {
  std::shared_ptr<const core::quality::refit_input> input;
};
struct model_refitted {
  std::shared_ptr<const core::quality::refit> found;
};

// --- objects ---

/// What becomes of a request to which the object store has no time now.
enum class when_busy : std::uint8_t {
  refuse, ///< It is refused as `overloaded`: whoever asked comes again.
  wait,   ///< It waits for its turn: one of several that would only ever refuse each other.
};

/// Queue, step → objects, objects → its keepers: store these texts, `count` of them from `first`
/// on. Answered by `objects_put`.
struct put_objects {
  std::shared_ptr<const std::vector<std::string>> texts;
  std::size_t first = 0;
  std::size_t count = 0;
  when_busy busy = when_busy::refuse;
};
struct objects_put {
  std::vector<core::outcome<core::object_ref>> items; ///< In the order of the texts.
};

/// Queue, step, reader → objects, objects → its keepers. Answered by `objects_got`.
struct get_objects {
  std::vector<core::object_ref> refs;
  when_busy busy = when_busy::refuse;
};
struct objects_got {
  std::vector<core::outcome<std::string>> items; ///< In the order of the references.
};

// --- search ---

/// Step search → shards: pass on what steps say. Answered by `settled`; from then on nothing is
/// left out.
struct follow_steps {
  caf::actor search;
};
/// Step → shards → step search: it has changed, and that is durable.
struct list_step {
  core::step_listing listing;
};

// --- steps and units ---

/// A contributor's request on its way through owner, shards and step to the unit.
template <class Request>
struct owned {
  Request request;
  caf::actor owner; ///< Told when the lease that is asked for is over.
};
struct owned_ask : owned<msg::ask_assignment> {
  std::uint32_t tries = 0; ///< How many units have refused this request already.
  bool reserved = false;   ///< The step has taken a slot off its ready set for it.
  std::string ui;          ///< Filled in by the step.
  std::string input{};     ///< The unit's, whole: filled in by the step for `input_wanted`.
  std::string input_of{};  ///< The reference that `input` was fetched by.
  bool is_new = false;     ///< The step has made sure of that; see `core::may_be_late`.
  bool admitted = false;   ///< By the bounds on how often contributors may ask.
};
using owned_release = owned<msg::release_assignment>;
using owned_extend = owned<msg::extend_assignment>;
using owned_submit = owned<msg::submit_judgment>;

/// Step → unit: a judgment comes in.
struct trusted_submit {
  owned_submit submit;
  core::trust_mark trust; ///< In the contributor, now.
  bool removed = false;   ///< They may no longer work in the step.
  /// What stands for the payload in its row: set when that is too large, and is in the store.
  std::string ref{};
  std::optional<std::uint32_t> judged_before{}; ///< As in `core::submit`, now.
};

/// Step → unit: would this judgment be taken now? Nothing is decided. Answered by
/// `judgment_checked`, or why not.
struct check_judgment {
  std::shared_ptr<const trusted_submit> judgment;
};
struct judgment_checked {};

/// Step → unit: correct an open unit. Answered by `unit_correction_done`; `unavailable` when the
/// unit is open no more.
struct correct_unit {
  core::correction_command command;
};
struct unit_correction_done {
  core::correction_row row;
  bool changed = false;
};

/// Step → unit: the author of a judgment hands in another payload. Answered by
/// `msg::judgment_corrected`; a trial decides nothing, and is answered by `judgment_checked`.
struct correct_judgment_part {
  msg::correct_judgment request;
  std::string ref; ///< What stands for the payload, when that is in the store.
  bool removed = false;
  core::judgment_correction_rules rules;
  bool trial = false;
};

/// Step → owner: the lease is over, whatever the reason.
struct lease_over {
  core::unit_id unit;
  core::assignment_id assignment;
};

/// One lease that is over.
struct lease_end_report {
  core::contributor_id contributor;
  bool answered = false;      ///< With a judgment: then the slot stays taken.
  core::instant barred_until; ///< Without: when the contributor may have the unit again.
};

/// A judgment that came in.
struct judged_report {
  core::contributor_id contributor;
  std::string answer;
};

/// Unit → step: an answer to a test question is durable, and so is the verdict on it.
struct test_answered {
  core::unit_id unit;
  core::contributor_id contributor;
  bool correct = false;
  core::judgment_moment when;
};

/// Unit → step, where it counts them or has test questions: a judgment that counts, and is of no
/// test question, is durable. Once of each, whatever becomes of it. It goes before the answer to
/// the contributor as `test_answered` does: else that one's way over the step would tell.
struct judgment_kept {
  core::contributor_id contributor;
  bool is_counted = true;
};

/// Unit → step, after every decision: what the step's ready set and timers must know.
struct unit_report {
  core::unit_id unit;
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t free = 0; ///< Slots now free.
  bool unreserve = false; ///< It decided about an offer for which the step had reserved a slot.
  std::vector<lease_end_report> ended;
  core::instant next_expiry; ///< `core::instant::max()`: no lease is out.
  std::optional<judged_report> judged{};
  /// Whose judgment of the unit counts no more, or says something else from now on.
  std::optional<core::contributor_id> unsaid{};
};

/// Unit → step: what the contributor did last to the unit is not stored, because an id that they
/// chose is in use elsewhere; they have to do with the unit what they had before. Follows the
/// unit's report of that.
struct part_undone {
  core::unit_id unit;
  core::contributor_id contributor;
  bool judged = false;  ///< It was a judgment; else a lease was granted.
  bool offered = false; ///< The step had reserved a slot for it.
  /// The lease that they hold again.
  std::optional<core::assignment_id> held{};
};

/// Unit → step: the unit is not open to this contributor before `barred_until`, or to nobody now;
/// offer another. Follows the unit's report.
struct offer_refused {
  core::unit_id unit;
  owned_ask ask;
  core::instant barred_until;
};

/// Unit → step: my input is in the object store; nothing is decided. Ask again with it.
struct input_wanted {
  core::unit_id unit;
  owned_ask ask;
  std::string ref;
};

/// Unit → step: this had to wait, and nothing is decided. Ask again if it is still to be granted:
/// its contributor may have been removed since, or the step paused.
struct offer_delayed {
  core::unit_id unit;
  owned_ask ask;
};

/// Step → unit: the step is canceled, and the unit with it, if it is still open. Answered by
/// `events_applied`.
struct step_canceled {};

/// End the leases that have run out.
struct expire_leases {
  core::duration longest; ///< That a lease of the unit may have been granted or extended for.
};

/// Nobody needs you in memory; stop when nothing is pending. Answered by the unit's end.
struct passivate {};

/// A judgment of yours was received.
struct judgment_seen {
  std::string consumer;
  core::message_id message;
  std::optional<core::model_opinion> opinion; ///< Of the step's model, if it has one.
};

/// A task that was to fill one of your slots is over. Answered by `events_applied`.
struct task_over {
  core::task_id task;
  core::task_ending ending = core::task_ending::completed;
  std::string result{};     ///< As its worker handed it in; empty when there is none.
  core::trust_mark trust{}; ///< In the contributor as whom it judges.
  std::string ref{};        ///< As `trusted_submit::ref`, of the result.
};

/// Nothing that this contributor did for you counts any more.
struct disregard_contributor {
  core::contributor_id contributor;
  bool keeps_judgments = false; ///< Only their lease ends.
};

/// What this contributor said to you counts again, if there is room. Told as a judgment if it does.
struct reinstate_contributor {
  core::contributor_id contributor;
};

/// Unit → step, to `core::replace_input`.
struct input_replaced {
  bool changed = false; ///< The unit had another input.
};

/// Step → unit. One message for all, as each message that an actor understands costs every live
/// unit its share of memory.
struct unit_command {
  std::variant<owned_ask, owned_release, owned_extend, trusted_submit, check_judgment,
               msg::change_unit, judgment_seen, task_over, disregard_contributor,
               reinstate_contributor, core::trust_anew, core::withdraw, core::replace_input,
               step_canceled, expire_leases, passivate, correct_unit, correct_judgment_part>
      what;
  request_note note{};
};

/// Unit → step: it has ended. Without a reason it was sent away.
struct unit_ended {
  core::unit_id unit;
  caf::error reason;
};

using msg::apply_events;
using msg::events_applied;

using msg::add_children;
using msg::finished_parent;
using msg::upstream_progress;

/// Shards → shard host: bring this into memory, so that its timers run.
struct activate {
  hosted_item item;
};

/// Intake → shards: for these queues tasks are staged. Those that are not hosted here are left out.
/// It comes again as long as that is so.
struct tasks_staged {
  std::vector<core::queue_name> queues;
};

/// Door → shards → shard host → queue: a claim that came over another node. Its sender is the
/// forwarder that the worker has there, which may end without it. Answered as the claim is.
struct distant_claim {
  msg::claim_tasks request;
};

/// Shards → shard host → queue: tasks are staged for you.
struct take_in_staged {
  core::queue_name queue;
};

/// Rescuer → shards → shard host: look at the clock; it may be that a timer was lost.
struct look_around {
  core::sweep_verdict overdue; ///< What is known to be late; the rest looks only.
};

/// Removal watch → shards → shard host → step: removals of contributors have changed, or ended.
struct removals_changed {};

/// Scrape of metrics → queue, step, relay, webhook delivery: add your numbers, and let go of it.
struct read_metrics {
  metrics::scrape_ptr into;
};

/// Shard host → step, queue: do what is due by now, whether your timer has told you or not.
struct look_again {};

/// Rescuer → shards → shard host → queue: these tasks are due in the database, and nobody has them.
struct look_for_tasks {
  core::queue_name queue;
  std::vector<core::task_id> tasks;
};

/// Gateway → shards: a validated definition. Answered by `msg::workflow_created`.
struct new_workflow {
  msg::create_workflow request;
  core::workflow_definition definition;
  std::string text; ///< To be stored.
  request_note note{};
};

/// Node → supervisor: the actor that runs as the named child now. Answered by `child_found`.
struct find_child {
  std::string name;
};
struct child_found {
  caf::actor child;
};

// --- owners ---

/// Owner → owners: I hold nothing and nobody is connected. Answered by `stop_owner`, unless a
/// request is under way.
struct owner_idle {
  core::contributor_id contributor;
  std::uint64_t requests_seen = 0;
};
struct stop_owner {};

// --- between nodes ---

/// Peer nodes → shards: what is for another node goes through me.
struct forward_through {
  caf::actor peer_nodes;
};

/// App → peer nodes: what came of a dial.
struct dialed {
  core::incarnation_id incarnation; ///< That was to be reached.
  dial_result result;
};

/// Where the host of each shard is reached, as far as this node knows.
struct routes {
  struct host {
    core::incarnation_id incarnation;                   ///< Nil: nobody.
    caf::actor door;                                    ///< Null: not reached.
    std::uint32_t protocol = msg::own_protocols.newest; ///< The newest that it understands.
  };
  std::vector<host> by_shard;
  std::vector<caf::actor> doors; ///< Of every node that is reached, this one included.
};

/// Peer nodes → forwarder: so it is now.
struct routes_changed {
  std::shared_ptr<const routes> now;
};

// --- relay and consumers ---

/// Consumer → relay: deliver events of these types to me. The relay answers with `deliver`
/// messages.
struct subscribe {
  std::string consumer;
  std::vector<core::event_type> types;
  caf::actor target;
};

/// Relay → consumer. Answered by `delivered`.
struct deliver {
  core::shard_id shard = 0;
  std::vector<core::sequenced_event> events; ///< None: try those that are set aside.
  bool again = false; ///< An earlier delivery failed: some may have been applied.
  bool anew = false;  ///< All that is not applied comes again: nothing is set aside any more.
};
/// Every effect is durable, but of events that are set aside until what they need can be read.
struct delivered {
  core::event_seq oldest_aside = 0; ///< Of the shard; 0: none is.
};

/// Feed → relay: send me `events_committed` of the shard from now on, or no more. Answered by
/// `settled`, before the first of them.
struct watch_events {
  core::shard_id shard = 0;
  bool on = true;
  caf::actor feed;
};

// --- webhooks ---

/// Delivery → feed: as `msg::read_events`, answered by `msg::event_page`. Their number is bounded
/// by that of webhooks, so it counts for nothing.
struct read_for_webhook {
  core::shard_id shard = 0;
  core::event_wish wish;
  core::duration wait{0};
};

/// Sender → delivery or pusher: what came of the post of that turn.
struct posted {
  std::uint64_t turn = 0;
  core::post_answer answer;
};

/// Delivery → shards: for the queue, whichever node hosts it. Answered as the request is.
struct enqueue_anywhere {
  msg::enqueue_tasks request;
};

// --- tasks that are pushed ---

/// Queue → pusher: the policy is this one now.
struct follow_push {
  core::queue_policy policy;
};

/// Pusher → queue: as the request, for this reason. Answered by `msg::task_outcome`.
struct give_back_pushed {
  msg::release_task request;
  core::task_error why;
};

/// Pruner → shards: tell me when tasks have ended.
struct follow_endings {
  caf::actor pruner;
};

/// Queue → shards → pruner: tasks have ended since the last time, so that some may be old by now.
/// Or, from shards alone, queues have come whose tasks may be.
struct tasks_ended {};

/// Pruner → relay: tell me of cursors that have moved in the database.
struct follow_cursors {
  caf::actor pruner;
};

/// Relay → pruner. Or shards → pruner: these have come.
struct cursors_written {
  std::set<core::shard_id> shards;
};

/// INTERNAL, self-sent timers.
struct flush_tick {};
/// Writer → itself: a commit has been held up for long enough.
struct held_up_tick {
  std::uint64_t number = 0;
};
struct retry_tick {
  std::uint64_t attempt = 0;
};
struct expiry_tick {
  core::instant at; ///< What it was set to; any other than the latest is void.
};
struct sweep_tick {};
struct repair_tick {};

/// Queue → itself: look again for the next tasks of a bulk action.
struct action_tick {};
/// Step → itself: what the database did not answer before.
struct try_again {
  std::function<void()> what;
};
/// Step → itself: try again to make the batch that is due.
struct gather_tick {};
struct queue_tick {
  core::instant at; ///< What it was set to; any other than the latest is void.
};
/// Step → itself: the end of a wait for units.
struct vacancy_tick {
  core::instant at; ///< What it was set to; any other than the latest is void.
};
struct extension_tick {};
struct renew_tick {};
struct overdue_tick {};
struct grace_tick {
  std::uint64_t session = 0;
};
/// Owner → itself: look whether the session is of use.
struct session_tick {
  std::uint64_t requests_seen = 0; ///< When it was set.
};
struct cursor_tick {};
struct feed_tick {};
struct delivery_tick {
  std::uint64_t turn = 0; ///< Any other than the latest is void.
};
struct push_wake_tick {
  std::uint64_t turn = 0; ///< Any other than the latest is void.
};
struct push_extension_tick {
  std::uint64_t turn = 0; ///< Likewise.
};
/// Pusher → itself: tell the queue again what came of this post.
struct push_telling_tick {
  std::uint64_t number = 0;
};
/// Root → itself: look whether posts of tasks are under way still.
struct push_drain_tick {
  core::instant until; ///< They are waited for until then.
};
struct unused_tick {};
/// The pause of an actor's `periodic` upkeep is over.
struct upkeep_tick {};

/// To the auditor. Answered by `audited` after an audit that began at `asked_at` or later.
struct audit_now {
  core::instant asked_at;
};
struct audited {
  core::instant at; ///< Its end.
  std::vector<broken_invariant> broken;
};
struct prune_tick {};
struct object_tick {};
struct audit_prune_tick {};
struct ripe_tick {};
struct dial_tick {
  core::incarnation_id incarnation;
};
struct patience_tick {};
struct pump_tick {
  std::string consumer;
  core::shard_id shard = 0;
  std::uint64_t life = 0;
  std::uint64_t coming = 0;
};
/// It is time to try again what is set aside.
struct aside_tick {
  pump_tick at;
};

} // namespace holdfast::actors

#define HOLDFAST_LOCAL_MESSAGE(Type) CAF_ALLOW_UNSAFE_MESSAGE_TYPE(holdfast::actors::Type)
HOLDFAST_LOCAL_MESSAGE(write_request)
HOLDFAST_LOCAL_MESSAGE(write_done)
HOLDFAST_LOCAL_MESSAGE(adopt_shards)
HOLDFAST_LOCAL_MESSAGE(follow_events)
HOLDFAST_LOCAL_MESSAGE(events_committed)
HOLDFAST_LOCAL_MESSAGE(settle)
HOLDFAST_LOCAL_MESSAGE(settled)
HOLDFAST_LOCAL_MESSAGE(distant_claim)
HOLDFAST_LOCAL_MESSAGE(repair_tick)
HOLDFAST_LOCAL_MESSAGE(action_tick)
HOLDFAST_LOCAL_MESSAGE(try_again)
HOLDFAST_LOCAL_MESSAGE(gather_tick)
HOLDFAST_LOCAL_MESSAGE(survey_step)
HOLDFAST_LOCAL_MESSAGE(step_surveyed)
HOLDFAST_LOCAL_MESSAGE(refit_model)
HOLDFAST_LOCAL_MESSAGE(model_refitted)
HOLDFAST_LOCAL_MESSAGE(watch_events)
HOLDFAST_LOCAL_MESSAGE(feed_tick)
HOLDFAST_LOCAL_MESSAGE(read_for_webhook)
HOLDFAST_LOCAL_MESSAGE(posted)
HOLDFAST_LOCAL_MESSAGE(enqueue_anywhere)
HOLDFAST_LOCAL_MESSAGE(delivery_tick)
HOLDFAST_LOCAL_MESSAGE(follow_push)
HOLDFAST_LOCAL_MESSAGE(give_back_pushed)
HOLDFAST_LOCAL_MESSAGE(push_wake_tick)
HOLDFAST_LOCAL_MESSAGE(push_extension_tick)
HOLDFAST_LOCAL_MESSAGE(push_telling_tick)
HOLDFAST_LOCAL_MESSAGE(push_drain_tick)
HOLDFAST_LOCAL_MESSAGE(unused_tick)
HOLDFAST_LOCAL_MESSAGE(follow_steps)
HOLDFAST_LOCAL_MESSAGE(list_step)
HOLDFAST_LOCAL_MESSAGE(owned_ask)
HOLDFAST_LOCAL_MESSAGE(owned_release)
HOLDFAST_LOCAL_MESSAGE(owned_extend)
HOLDFAST_LOCAL_MESSAGE(owned_submit)
HOLDFAST_LOCAL_MESSAGE(lease_over)
HOLDFAST_LOCAL_MESSAGE(unit_report)
HOLDFAST_LOCAL_MESSAGE(test_answered)
HOLDFAST_LOCAL_MESSAGE(judgment_kept)
HOLDFAST_LOCAL_MESSAGE(part_undone)
HOLDFAST_LOCAL_MESSAGE(offer_refused)
HOLDFAST_LOCAL_MESSAGE(input_wanted)
HOLDFAST_LOCAL_MESSAGE(input_replaced)
HOLDFAST_LOCAL_MESSAGE(offer_delayed)
HOLDFAST_LOCAL_MESSAGE(judgment_checked)
HOLDFAST_LOCAL_MESSAGE(unit_correction_done)
HOLDFAST_LOCAL_MESSAGE(unit_command)
HOLDFAST_LOCAL_MESSAGE(unit_ended)
HOLDFAST_LOCAL_MESSAGE(activate)
HOLDFAST_LOCAL_MESSAGE(tasks_staged)
HOLDFAST_LOCAL_MESSAGE(take_in_staged)
HOLDFAST_LOCAL_MESSAGE(look_for_tasks)
HOLDFAST_LOCAL_MESSAGE(follow_processes)
HOLDFAST_LOCAL_MESSAGE(processes_changed)
HOLDFAST_LOCAL_MESSAGE(look_around)
HOLDFAST_LOCAL_MESSAGE(look_again)
HOLDFAST_LOCAL_MESSAGE(removals_changed)
HOLDFAST_LOCAL_MESSAGE(read_metrics)
HOLDFAST_LOCAL_MESSAGE(queue_tick)
HOLDFAST_LOCAL_MESSAGE(extension_tick)
HOLDFAST_LOCAL_MESSAGE(vacancy_tick)
HOLDFAST_LOCAL_MESSAGE(new_workflow)
HOLDFAST_LOCAL_MESSAGE(owner_idle)
HOLDFAST_LOCAL_MESSAGE(stop_owner)
HOLDFAST_LOCAL_MESSAGE(subscribe)
HOLDFAST_LOCAL_MESSAGE(deliver)
HOLDFAST_LOCAL_MESSAGE(delivered)
HOLDFAST_LOCAL_MESSAGE(flush_tick)
HOLDFAST_LOCAL_MESSAGE(held_up_tick)
HOLDFAST_LOCAL_MESSAGE(retry_tick)
HOLDFAST_LOCAL_MESSAGE(expiry_tick)
HOLDFAST_LOCAL_MESSAGE(sweep_tick)
HOLDFAST_LOCAL_MESSAGE(renew_tick)
HOLDFAST_LOCAL_MESSAGE(overdue_tick)
HOLDFAST_LOCAL_MESSAGE(grace_tick)
HOLDFAST_LOCAL_MESSAGE(session_tick)
HOLDFAST_LOCAL_MESSAGE(cursor_tick)
HOLDFAST_LOCAL_MESSAGE(upkeep_tick)
HOLDFAST_LOCAL_MESSAGE(audit_now)
HOLDFAST_LOCAL_MESSAGE(audited)
HOLDFAST_LOCAL_MESSAGE(prune_tick)
HOLDFAST_LOCAL_MESSAGE(object_tick)
HOLDFAST_LOCAL_MESSAGE(audit_prune_tick)
HOLDFAST_LOCAL_MESSAGE(ripe_tick)
HOLDFAST_LOCAL_MESSAGE(follow_cursors)
HOLDFAST_LOCAL_MESSAGE(follow_endings)
HOLDFAST_LOCAL_MESSAGE(tasks_ended)
HOLDFAST_LOCAL_MESSAGE(cursors_written)
HOLDFAST_LOCAL_MESSAGE(pump_tick)
HOLDFAST_LOCAL_MESSAGE(aside_tick)
HOLDFAST_LOCAL_MESSAGE(put_objects)
HOLDFAST_LOCAL_MESSAGE(objects_put)
HOLDFAST_LOCAL_MESSAGE(get_objects)
HOLDFAST_LOCAL_MESSAGE(objects_got)
HOLDFAST_LOCAL_MESSAGE(await_shards)
HOLDFAST_LOCAL_MESSAGE(shards_hosted)
HOLDFAST_LOCAL_MESSAGE(resign)
HOLDFAST_LOCAL_MESSAGE(settle_shards)
HOLDFAST_LOCAL_MESSAGE(abandon_shards)
HOLDFAST_LOCAL_MESSAGE(follow_hosting)
HOLDFAST_LOCAL_MESSAGE(shards_gained)
HOLDFAST_LOCAL_MESSAGE(leave_shards)
HOLDFAST_LOCAL_MESSAGE(shard_doubted)
HOLDFAST_LOCAL_MESSAGE(history_doubted)
HOLDFAST_LOCAL_MESSAGE(follow_cluster)
HOLDFAST_LOCAL_MESSAGE(cluster_seen)
HOLDFAST_LOCAL_MESSAGE(announce_change)
HOLDFAST_LOCAL_MESSAGE(look_now)
HOLDFAST_LOCAL_MESSAGE(process_gone)
HOLDFAST_LOCAL_MESSAGE(forward_through)
HOLDFAST_LOCAL_MESSAGE(dialed)
HOLDFAST_LOCAL_MESSAGE(routes_changed)
HOLDFAST_LOCAL_MESSAGE(dial_tick)
HOLDFAST_LOCAL_MESSAGE(patience_tick)
HOLDFAST_LOCAL_MESSAGE(find_child)
HOLDFAST_LOCAL_MESSAGE(child_found)
#undef HOLDFAST_LOCAL_MESSAGE
