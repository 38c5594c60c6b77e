#pragma once

#include "actors/context.hpp"
#include "actors/held_promise.hpp"
#include "actors/internal_messages.hpp"
#include "actors/payloads.hpp"
#include "actors/pending_effects.hpp"
#include "actors/reads.hpp"
#include "actors/standing_fault.hpp"
#include "actors/step_links.hpp"
#include "actors/stored_items.hpp"
#include "actors/unit.hpp"
#include "core/answer_model.hpp"
#include "core/assignment_rate.hpp"
#include "core/contributor_board.hpp"
#include "core/known_profiles.hpp"
#include "core/ready_set.hpp"
#include "core/refit_pace.hpp"
#include "core/step.hpp"
#include "core/survey_pace.hpp"
#include "core/sweep.hpp"
#include "core/unit_corrections.hpp"
#include "core/workflow_versions.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace holdfast::actors {

/// A correction of a unit by somebody in charge, as it goes through the step.
struct correction_in_hand {
  held_promise promise;
  request_note note; ///< For the change.
  core::unit_id unit;
  core::correction_command command;
  std::string answer;       ///< Of an override, as it came: JSON.
  std::string corrected_to; ///< Likewise; empty for none.
  std::uint32_t tries = 0;
};

/// Somebody who needs a unit's actor: gets its handle, or a null one and the reason.
using unit_user = std::function<void(const caf::actor&, const core::failure&)>;

struct step_state {
  static inline const char* name = "step";

  step_state() = default;
  step_state(const step_state&) = delete;
  step_state& operator=(const step_state&) = delete;
  /// A unit must not outlive the life of its step that knows it.
  ~step_state() {
    for (const auto& [id, unit] : live)
      caf::anon_send_exit(unit.actor, caf::exit_reason::user_shutdown);
    for (const auto& [id, unit] : leaving)
      caf::anon_send_exit(unit, caf::exit_reason::user_shutdown);
  }

  context_ptr context;
  decider identity;
  step_links links;
  core::uuid_source ids{0};

  metrics::registration reported; ///< To scrapes of metrics.

  bool loaded = false;
  std::uint32_t load_attempts = 0;
  standing_fault load_fault;
  /// Requests that came before the step was loaded; with a failure, they get that.
  std::vector<std::function<void(const core::failure&)>> stashed;

  core::step step;
  core::versioned_workflow workflow;
  std::vector<core::step_id> siblings;    ///< The steps of all its versions, by position.
  std::vector<step_context_ptr> contexts; ///< Of the units here, by version; null: it has none.
  core::ready_set ready;
  core::assignment_rate rate; ///< Of requests for assignments.
  pending_effects pending;

  // --- units ---
  struct live_unit {
    caf::actor actor;
    core::instant last_used;
  };
  std::unordered_map<core::unit_id, live_unit> live;
  std::unordered_map<core::unit_id, caf::actor> leaving; ///< Sent away, and not ended yet.
  /// Units that are being loaded, or that must end before they may be loaded again, with those who
  /// wait.
  std::unordered_map<core::unit_id, std::vector<unit_user>> awaited;
  std::unordered_map<core::unit_id, std::uint32_t> crashes;
  /// Units whose rows are damaged, and whether they are to be paused as poison pills. Nobody is
  /// offered them until they have been read.
  std::unordered_map<core::unit_id, bool> unreadable;
  bool sweep_armed = false;

  core::full_record found_full; ///< By the looks of the rescuer.

  // --- cancellation ---
  bool canceling_units = false;    ///< A passage over the open units of the canceled step.
  std::uint32_t cancel_failed = 0; ///< Units that it could not tell.
  std::uint32_t cancel_tries = 0;  ///< Passages in a row that could not tell all.

  /// Offers under way: slots taken off the ready set that the unit does not know of yet.
  std::unordered_map<core::unit_id, std::uint32_t> reserved;

  // --- leases ---
  struct held_lease {
    core::assignment_id assignment;
    core::unit_id unit;
    caf::actor owner; ///< Null when the step has learned of the lease from the database.
  };
  /// Active and requested leases of each contributor, to recognise repeated requests.
  std::unordered_map<core::contributor_id, std::vector<held_lease>> held;
  /// Assignments of a contributor that are over, to recognise a request that is repeated so late
  /// that its lease has come and gone.
  struct over_assignments {
    std::vector<core::assignment_id> latest; ///< A few, oldest first.
    core::instant forgotten;                 ///< See `core::over_memory`.
  };
  std::unordered_map<core::contributor_id, over_assignments> over;
  core::instant loaded_at; ///< What was over by then is known to the database alone.
  struct late_ask {
    held_promise promise;
    owned_ask ask;
  };
  /// Requests that may have been answered by an earlier host; they wait until that is looked up.
  std::vector<late_ask> late_asks;
  bool looking_up = false;
  /// Offers under way for which the input of the unit is being fetched.
  std::unordered_set<core::assignment_id> fetching;
  /// Of contributors whose judgments are on their way into the object store.
  payload_lines<core::contributor_id> judgment_lines;
  std::set<std::pair<core::instant, core::unit_id>> expiries; ///< The next one of each unit.
  std::unordered_map<core::unit_id, core::instant> expiry_of;
  core::instant timer_at = core::instant::max();

  // --- requests that wait for units (step_vacancies.cpp) ---
  /// Changes after which somebody may get a unit. Every life of a step counts from another number:
  /// a request that comes from an earlier life has missed something, for all that is known.
  std::uint64_t vacancies = 0;
  std::multimap<core::instant, held_promise> awaiting_units; ///< By the ends of their waits.
  core::instant vacancy_tick_at = core::instant::max();

  // --- quality ---
  std::optional<core::contributor_board> board; ///< Since the step is loaded.
  std::optional<core::answer_model> model;      ///< Where the method of aggregation asks one.
  core::refit_pace refits;                      ///< Of the model.
  std::uint64_t withdrawals = 0; ///< How often something that counted was to count no more.

  core::known_profiles profiles;
  /// `node_removals::generation` up to which the step has followed; none: it has not looked.
  std::optional<std::uint64_t> removals_seen;

  // --- the bound on what one contributor does (step_cap.cpp) ---
  std::optional<core::contributor_tally> tally; ///< Since somebody has asked under a bound.
  std::vector<late_ask> uncounted_asks;         ///< Those that wait for it.

  // --- surveys ---
  core::survey_pace surveys; ///< Of the step's own accord.
  standing_fault survey_fault;
  standing_fault survey_damage; ///< Judgments that surveys leave out.

  // --- repairs ---
  /// One whose row is being written, and whoever asks for it.
  struct beginning_repair {
    core::repair_row row;
    std::vector<held_promise> waiting;
  };
  std::vector<std::shared_ptr<beginning_repair>> beginning_repairs;
  std::vector<core::repair_row> repairs; ///< Those not done, the one that is worked on first.
  bool repairing = false;                ///< A chunk of it is under way.
  std::uint32_t repair_tries = 0;        ///< How often that was put off.
  std::uint32_t repair_unsettled = 0;    ///< Of these, for units that were not settled.

  // --- corrections ---
  std::deque<std::shared_ptr<correction_in_hand>> corrections; ///< The first is under way.
  /// Units of which authors correct judgments, and how many do: until the step has heard of it,
  /// what its model says of the unit is out of date.
  std::unordered_map<core::unit_id, std::uint32_t> judgments_corrected;

  // --- gathering ---
  std::optional<core::gathering> waiting; ///< For a batch; since the step is loaded.
  /// A batch is being made, or some are being taken apart: one at a time, so that what is decided
  /// about units that are gathered is decided about them as they are.
  bool regrouping = false;
  std::vector<std::function<void()>> to_regroup; ///< Those that wait for their turn.
  std::uint32_t gather_tries = 0; ///< How often the units of the batch that is due were not read.
  core::instant wake_at = core::instant::max(); ///< A timer is set for batches that were put off.

  // --- adding units ---
  /// One at a time looks which keys are there, so that two cannot both find one missing.
  std::vector<std::function<void()>> adding;
  bool looks_for_keys = false; ///< The first of these.
  /// Of units whose commit is under way: whoever looks into the database may miss them.
  std::unordered_set<std::string> keys_on_their_way;
  std::size_t intakes_on_their_way = 0; ///< Whose commits are.
  /// Of requesters whose data is on its way into the object store.
  payload_lines<caf::actor> adding_lines;
  /// How often results of the steps before were taken back, as far as this life knows: what was
  /// read of them before counts no more.
  std::uint64_t results_taken_back = 0;
};

using step_ptr = caf::stateful_actor<step_state>*;

/// What the step is as of the latest version that has it.
inline const core::step_definition& definition_of(const step_state& st) {
  return st.workflow.step(st.step.row.position);
}

/// What units that began under `version` share.
inline const step_context_ptr& context_of(const step_state& st, std::uint32_t version) {
  return st.contexts[version - 1];
}

/// What the unit shares with others. Test questions share it with those that begin now, whatever
/// the version in which they were added: nobody is to tell them apart.
inline const step_context_ptr& context_of(const step_state& st, const core::unit& unit) {
  return context_of(st, core::is_test_question(unit) ? st.workflow.newest(st.step.row.position)
                                                     : unit.version);
}

/// The lease policies of the units here.
inline core::lease_policies leases_of(const step_state& st) {
  return st.workflow.leases(st.step.row.position);
}

/// Asks the loader for units of the step, which may be of others when their ids came from outside.
inline auto read_units(step_ptr self, std::vector<core::unit_id> units) {
  return read(self, self->state.links.loader,
              [units = std::move(units), leases = leases_of(self->state)](persistence::store& db) {
                return db.load_units(units, leases);
              });
}

// The parts of the step actor, one file each. All run on the step's own actor.

// step_units.cpp: the step as supervisor and timekeeper of its units.

/// Gives `user` the actor of `unit`, loading it and its neighbours when needed.
void with_unit(step_ptr self, const core::unit_id& unit, unit_user user);

/// Its rows are damaged: it is offered to nobody until somebody has asked for it and it could be
/// read.
void set_unit_aside(step_ptr self, const core::unit_id& unit, const core::failure& why);
void on_unit_report(step_ptr self, const unit_report& report);
void on_unit_ended(step_ptr self, const unit_ended& ended);
void on_expiry_tick(step_ptr self, const expiry_tick& tick);
/// Does what is due if the timer has not told.
void on_look_again(step_ptr self);
/// One offer less is under way to the unit.
// step_vacancies.cpp: requests that wait until the step may have a unit for somebody.

void on_await_units(step_ptr self, const msg::await_units& request);
/// After a change by which somebody may get a unit.
void note_vacancy(step_ptr self);
/// Answers the requests that have waited long enough.
void on_vacancy_tick(step_ptr self, const vacancy_tick& tick);

void unreserve(step_ptr self, const core::unit_id& unit);
void on_sweep_tick(step_ptr self);
/// A unit as the ready set and the timers see it.
persistence::open_unit summary_of(const core::unit& unit);
/// Enters an open unit, as stored, into these.
void enter_unit(step_ptr self, const persistence::open_unit& unit);
/// Sets the timer to the earliest end of a lease.
void arm_expiry(step_ptr self);

/// Keeps finished units from being loaded until `release_units`, so that nobody but the caller
/// decides about them. False when some of them live, or are coming or going: they may soon be gone.
bool hold_units(step_ptr self, const std::vector<core::unit_id>& units);
/// Test questions that live are loaded anew when somebody needs them.
void send_questions_away(step_ptr self);
/// They may be loaded again, for those who have asked meanwhile first.
void let_go(step_ptr self, const std::vector<core::unit_id>& units);
/// Lets them go as they are stored now: those that are open again are offered.
void release_units(step_ptr self, const std::vector<core::unit_record>& units);

// step_cancellation.cpp: a canceled step ends its units.

/// Cancels all open units of the step if it is canceled, some at a time, and goes on with what an
/// earlier life has left. Nothing when it is at work on that.
void cancel_open_units(step_ptr self);
/// Before the unit is told anything else: it ends with its step, if that is canceled.
void heed_cancellation(step_ptr self, const caf::actor& unit);

// step_contributors.cpp: who asks for work, and hands it in.

void on_ask(step_ptr self, owned_ask& ask);
void on_offer_refused(step_ptr self, offer_refused& refused);
/// Goes on from what was before a grant or a judgment that is not stored.
void on_part_undone(step_ptr self, const part_undone& undone);
void on_input_wanted(step_ptr self, input_wanted& wanted);
void on_offer_delayed(step_ptr self, offer_delayed& delayed);
void on_release(step_ptr self, owned_release& release);
void on_extend(step_ptr self, owned_extend& extend);
void on_submit(step_ptr self, owned_submit& submit);
void on_change_unit(step_ptr self, const msg::change_unit& change);
/// The lease of the contributor on `unit` has ended: its owner is told, and its assignment never
/// names another one.
void end_held(step_ptr self, const core::contributor_id& contributor, const core::unit_id& unit);

// step_intake.cpp: new units, from source data and questions.

/// One request to add items, through its three stages: find known keys, decide, make durable.
struct intake {
  std::vector<core::source_item> items;
  /// The message that brought the item of each parent: written into the inbox with the item.
  std::unordered_map<core::unit_id, core::insert_inbox> inbox;
  /// `step_state::results_taken_back` when the parents were read; none: there are no parents.
  std::optional<std::uint64_t> parents_read_at{};
  request_note note{}; ///< Of the request, for its change.
  /// Of a request that compares inputs: gets the units under keys that are known, before anything
  /// new is added.
  std::function<void(const intake&, const std::vector<persistence::source_unit>&)> compares{};
  bool dry_run = false; ///< Adds nothing, and counts what would be new.
  /// Answers: how many were new, and how many were known; or the failure.
  std::function<void(const core::failure&, std::uint32_t, std::uint32_t)> done;
};

/// The inputs that are too large for a row. They are to be stored before `enqueue`.
std::vector<large_text> large_in(step_ptr self, intake& in);
/// Queues one intake. False when too many wait already.
bool enqueue(step_ptr self, intake in);

/// The rows of a request that are well-formed, as items, and what is wrong with the others.
struct accepted_rows {
  std::vector<core::source_item> items;
  std::vector<std::uint32_t> rows; ///< The index of each item in the request.
  std::vector<msg::row_problem> problems;
};
accepted_rows accept_source_rows(step_ptr self, std::vector<msg::source_row>& rows);
/// Whether source data may enter here; else the request is answered.
bool takes_source_data(step_ptr self);
/// Has `take` run behind the caller's earlier requests that wait for data to be stored, while these
/// `bytes` of its own wait.
void in_adding_turn(step_ptr self, std::size_t bytes,
                    std::function<void(const held_promise&, const caf::actor&)> take);
/// Stores what is too large for a row, and queues the intake.
void store_and_enqueue(step_ptr self, const held_promise& promise, const caf::actor& caller,
                       intake in);

void on_add_source_data(step_ptr self, msg::add_source_data& request);
/// In step_loading.cpp.
void on_load_source_data(step_ptr self, msg::load_source_data& request);
void on_add_test_questions(step_ptr self, msg::add_test_questions& request);

/// Whose slots tasks fill in new units of the step; those who were removed fill none.
std::vector<core::contributor_id> judging_tasks(step_ptr self);

// step_gather.cpp: units that become one.

/// Goes on from what is stored.
void restore_waiting(step_ptr self, const std::vector<core::waiting_unit>& units);
/// A unit is durable that waits to be part of a batch.
void note_waiting(step_ptr self, const core::unit_record& unit);
/// Makes the batches that are due, one after the other.
void gather_when_due(step_ptr self);
/// Calls `regroup` when nobody else decides about units that are gathered, until `regrouped`.
void when_gathering_rests(step_ptr self, std::function<void()> regroup);
/// It is the next one's turn.
void regrouped(step_ptr self);

// step_versions.cpp: the forms that the workflow takes.

/// Goes on with all versions that are stored.
void take_versions(step_ptr self, const versions_loaded& stored);
/// Looks for versions that this step does not know yet, then calls `go_on`. Calls keep their order.
void with_versions(step_ptr self, std::function<void(const core::failure&)> go_on);
void on_update_workflow(step_ptr self, const msg::update_workflow& request);

// step_job.cpp: what the workflow is to a lifecycle system outside.

void on_job_status_changed(step_ptr self, const msg::job_status_changed& request);

// step_children.cpp: new units, from finished ones of the steps before.

void on_add_children(step_ptr self, const add_children& request);
void on_upstream_progress(step_ptr self, const upstream_progress& change);

// step_withdrawal.cpp: units whose parents' results were taken back.

/// Cancels all that was made here from these results, and takes apart the batches of which some of
/// that is part; calls `done` when that is durable.
void withdraw_made_from(step_ptr self, const std::vector<core::taken_back>& results,
                        std::function<void(const core::failure&)> done);

// step_profiles.cpp: whether contributors have what the step asks of them, and how far they are
// trusted.

/// What the contributor lacks; nothing as long as it is not known.
std::optional<std::vector<std::string>> known_lacks(step_ptr self,
                                                    const core::contributor_id& contributor);
/// Calls `go_on` when it is known what the contributor lacks, or cannot be found out.
void with_lacks(
    step_ptr self, const core::contributor_id& contributor,
    const std::function<void(const core::failure&, const std::vector<std::string>&)>& go_on);

/// How far their next judgment is trusted by what the step knows now.
core::trust_mark trust_now(step_ptr self, const core::contributor_id& contributor);
/// Whether that is all: else `learn_trust` reads what is known of them elsewhere, and calls
/// `go_on`.
bool trust_is_known(step_ptr self, const core::contributor_id& contributor);
void learn_trust(step_ptr self, const core::contributor_id& contributor,
                 const std::function<void(const core::failure&)>& go_on);

// step_cap.cpp: how much of the step one contributor may do.

/// Why the contributor gets no more units of the step; none: they may, as far as is known.
std::optional<std::string> cap_reached(step_ptr self, const core::contributor_id& contributor);
/// Answers a request of somebody who has done as much as they may, or has it wait until that is
/// known. False: they may go on.
bool refused_as_capped(step_ptr self, const held_promise& promise, owned_ask& ask);
/// Judgments came in.
void note_for_cap(step_ptr self, const unit_report& report);

// step_removals.cpp: who was removed, or is back, by what was said elsewhere.

/// The removal that keeps the contributor from the step now; none: nothing does. Costs no read.
std::optional<core::removal> removal_of(step_ptr self, const core::contributor_id& contributor);
/// Follows what has changed since the last time: leases end, what does not count any more is taken
/// out. Costs a look at a number where nothing has.
void heed_removals(step_ptr self);
/// The same, and what has ended by itself.
void heed_ended_removals(step_ptr self);
/// Has the contributor's standing follow from removals as they are known now. `touched`: they have
/// had to do with units here, as the caller knows.
void follow_removal(step_ptr self, const core::contributor_id& contributor, bool touched);
/// Whether the contributor may neither get work nor hand any in.
bool may_not_work(step_ptr self, const core::contributor_id& contributor);
/// Answers a request for work of somebody who was removed elsewhere. False: they were not.
bool refused_as_removed(step_ptr self, const held_promise& promise,
                        const core::contributor_id& contributor);

// step_quality.cpp: what the contributors' judgments say about them, and about the units.

/// Goes on from the stored past.
void restore_quality(step_ptr self, const core::step_history& history);
/// Where a unit stands has changed, or a judgment came in.
void note_for_quality(step_ptr self, const unit_report& report);
/// The verdict on an answer is durable: draws the conclusion, once.
void conclude(step_ptr self, const test_answered& answer);
/// Tells the unit again who was removed: it may have crashed before that was durable. Who has no
/// part in it is nothing to it.
void disregard_removed(step_ptr self, const core::unit_id& unit);
/// What the contributor said to the units is trusted as their answers to test questions say now.
void trust_anew(step_ptr self, const core::contributor_id& contributor,
                const std::vector<core::unit_id>& units);
/// Answers a request of a contributor whose standing cannot be read. False: it can be.
bool refused_as_held(step_ptr self, const held_promise& promise,
                     const core::contributor_id& contributor);
/// What those who are not removed said to the unit counts again, if there is room.
void reinstate(step_ptr self, const core::contributor_id& contributor,
               const std::vector<core::unit_id>& units);
/// The contributor is removed: what they hold and what counts of theirs goes with them.
void carry_out_removal(step_ptr self, const core::contributor_id& contributor);
/// All leases of the contributor in the step end; what they have said goes on counting.
void end_leases_of(step_ptr self, const core::contributor_id& contributor);
/// What the judgments of a history say together, as far as they count.
core::answer_model model_of(step_ptr self, const core::step_history& history);
void on_remove_contributor(step_ptr self, const msg::remove_contributor& request);
void on_list_contributors(step_ptr self, const msg::list_contributors& request);
void on_get_feedback(step_ptr self, const msg::get_feedback& request);

// step_refits.cpp: the model looks at everything again.

/// Goes on with this model, and with a refit of it if it has judgments enough.
void take_model(step_ptr self, core::answer_model model);
/// A judgment came in, or the step has started: refits its model when it is time.
void refit_when_due(step_ptr self);
// step_forgiving.cpp: test questions that were wrong or unfair.

void on_forgive_question(step_ptr self, const msg::forgive_question& request);
/// Whether the unit is no test question of the step; the request is answered then.
bool refused_as_no_question(step_ptr self, const core::unit_id& unit);

// step_explanation.cpp: why units do not move, and contributors get no work.

void on_explain_unit(step_ptr self, const msg::explain_unit& request);
void on_explain_contributor(step_ptr self, const msg::explain_contributor& request);

// step_survey.cpp: what the judgments look like as a whole.

/// A judgment came in: looks at them all when it is time.
void survey_when_due(step_ptr self);
void on_get_step_quality(step_ptr self, const msg::get_step_quality& request);

// step_repair.cpp: what was finished before a contributor was removed.

void on_repair_contributor(step_ptr self, const msg::repair_contributor& request);
void on_repair_question(step_ptr self, const msg::repair_question& request);
/// Takes up the repairs that are not done. Those that cannot be read wait until the next start of
/// the step, and it says which these are.
void restore_repairs(step_ptr self, persistence::stored_repairs& repairs);

/// Works on the repairs that are not done, unless it is being done.
void go_on_with_repairs(step_ptr self);

// step_corrections.cpp: what somebody in charge says of one unit, and authors of their judgments.

void on_reopen_unit(step_ptr self, const msg::reopen_unit& request);
void on_override_result(step_ptr self, const msg::override_result& request);
void on_taint_judgment(step_ptr self, const msg::taint_judgment& request);
void on_reinstate_judgment(step_ptr self, const msg::reinstate_judgment& request);
void on_correct_judgment(step_ptr self, const msg::correct_judgment& request);

// step_events.cpp: what consumers bring.

void on_apply_events(step_ptr self, const apply_events& delivery);
/// Somebody resumes the unit, which may have been damaged while it was told of its last judgment:
/// looks for that among the events, and tells it again.
void aggregate_mended(step_ptr self, const core::unit_id& unit);
/// At every look of the rescuer: units that have been full for two of them, and are not aggregated,
/// are told of their last judgment again.
void aggregate_forgotten(step_ptr self);

/// Why something stored could not be read, as whoever brings events hears it: `damaged` where no
/// other try will read it either, so that it is set aside.
core::failure unreadable(core::failure why);

/// Refuses as soon as all is durable that the refusal may have seen.
void refuse(step_ptr self, const held_promise& promise, core::failure why);

/// Does it once more in a while, which grows with `attempt`, from 1.
void again_later(step_ptr self, std::uint32_t attempt, std::function<void()> what);

/// Writes the changes of a decision; `effect` runs after the commit.
void write(step_ptr self, core::change changes, std::function<void(const core::failure&)> effect);

} // namespace holdfast::actors
