#pragma once

#include "core/placement.hpp"
#include "core/workflow_versions.hpp"
#include "messages/lineage_messages.hpp"
#include "messages/search_messages.hpp"
#include "messages/work_messages.hpp"
#include "messages/workflow_messages.hpp"
#include "persistence/memory_tables.hpp"
#include "tests/sim/audit_memory.hpp"
#include "tests/sim/plan.hpp"
#include "tests/sim/task_audit.hpp"
#include "tests/sim/trace.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace holdfast::sim {

/// The first thing that went wrong in a run.
struct violation {
  std::uint64_t step = 0;
  std::string invariant; ///< E.g. `I-1`.
  std::string what;      ///< With the rows concerned.
};

/// Holds the committed tables and everything that was answered to the invariants of
/// docs/GUARANTEES.md. Looks only at tables, batches and answers: it knows nothing of actors.
///
/// Checks are incremental: after a commit, the rows that it touched; everything in `check_all`. For
/// each unit the auditor remembers what it saw last, so that also a change that must not happen (a
/// token going back, a judgment vanishing, a finished unit opening again) is seen.
class auditor : private auditor_memory {
public:
  auditor(const plan& drawn, const persistence::memory::tables& tables, trace& log)
      : drawn_(drawn),
        t_(tables),
        log_(log),
        tasks_(tables,
               [this](const char* invariant, const std::string& what) { blame(invariant, what); }) {
  }
  auditor(const auditor&) = delete;
  auditor& operator=(const auditor&) = delete;

  /// What is known of tasks.
  task_auditor& tasks() { return tasks_; }

  /// To be called right after every commit that may have changed the tables: `batch` is what the
  /// node with `incarnation` meant to commit.
  void committed(core::incarnation_id incarnation, const persistence::write_batch& batch);

  // history_audit.cpp: a database that forgets commits, and begins a new generation.
  /// All that was concluded from commits and acknowledgements so far.
  struct snapshot {
    auditor_memory people;
    task_auditor::snapshot programs;
  };
  snapshot remember() const { return {*this, tasks_.remember()}; }
  /// The tables are about to go back to what they were then. Whatever was committed since is gone;
  /// the numbers that were given out since stay given out.
  void go_back(const snapshot& then);
  /// Whether the database lacks numbers that were given out.
  bool lacks_numbers() const;
  /// To be called when somebody has had a generation begun: all that is given out from now on is
  /// past all that was ever given out.
  void generation_begun();

  /// Everything that holds at every commit.
  void check_all();
  /// Everything that holds once all work is done and nothing moves any more: I-5, I-6, I-9, I-10.
  void check_quiescent(core::instant now);
  /// Then each shard is where it belongs: of all nodes that live, none wants to move one.
  void check_settled(const core::cluster_view& view);
  /// What is still to be done; empty when all units and tasks are finished and all counts have
  /// followed.
  std::string unfinished() const;

  // What was answered with success: I-12.
  void acknowledged(const msg::create_workflow& asked, const msg::workflow_created& answer);
  void acknowledged(const msg::update_workflow& asked, const msg::workflow_updated& answer);
  void acknowledged(const msg::get_workflow& asked, const msg::workflow_view& answer);
  void acknowledged(const msg::job_status_changed& asked, const msg::job_status_noted& answer);
  void acknowledged(const msg::add_source_data& asked, const msg::source_data_added& answer);
  void acknowledged(const msg::add_test_questions& asked, const msg::source_data_added& answer);
  void acknowledged(const msg::remove_contributor& asked, const msg::contributor_removed& answer);
  void acknowledged(const msg::forgive_question& asked, const msg::question_forgiven& answer);
  void acknowledged(const msg::repair_contributor& asked, const msg::repair_progress& answer);
  void acknowledged(const msg::repair_question& asked, const msg::repair_progress& answer);
  void acknowledged(const msg::seal_step& asked, const msg::step_view& answer);
  void acknowledged(const msg::change_step& asked, const msg::step_view& answer);
  void acknowledged(const msg::change_unit& asked, const msg::unit_changed& answer);
  void acknowledged(const msg::list_results& asked, const msg::result_page& answer);
  void acknowledged(const msg::get_lineage& asked, const msg::unit_lineage& answer);
  void acknowledged(const msg::explain_contributor& asked,
                    const msg::contributor_explanation& answer);
  void acknowledged(const msg::get_step_quality& asked, const msg::step_quality& answer);
  void acknowledged(const msg::ask_assignment& asked, const msg::assignment& answer);
  void acknowledged(const msg::release_assignment& asked, const msg::assignment_released& answer);
  void acknowledged(const msg::extend_assignment& asked, const msg::assignment_extended& answer);
  void acknowledged(const msg::submit_judgment& asked, const msg::judgment_accepted& answer);
  void acknowledged(const msg::end_session& asked, const msg::session_ended& answer);
  void acknowledged(const msg::put_profile& asked, const msg::profile_view& answer);
  void acknowledged(const msg::find_steps& asked, const msg::step_offers& answer);
  void acknowledged(const msg::rebuild_step_index& asked, const msg::step_index_rebuilt& answer);
  void acknowledged(const msg::get_feedback& asked, const msg::judgment_feedback& answer);

  /// The step says that it gives no feedback.
  void refused(const msg::get_feedback& asked);
  /// Somebody was refused for what they lack, as `detail` says. `known`: the step must go by their
  /// profile by now.
  void refused(const msg::ask_assignment& asked, const std::string& detail, bool known);
  /// Whether a search shows all that is there for its contributor. What has changed a moment ago
  /// may be missing, for a while.
  bool shows_all(const msg::find_steps& asked, const msg::step_offers& answer, core::instant now);
  /// The same where nothing has changed for long.
  void check_found(const msg::find_steps& asked, const msg::step_offers& answer);

  /// Reports a violation; only the first is kept.
  void blame(const char* invariant, const std::string& what);
  const std::optional<violation>& found() const { return found_; }

  std::uint64_t commits() const { return commits_; }
  std::uint64_t batches() const { return batches_; }
  /// Batches that had all items of a list, more than one.
  std::uint64_t whole_lists() const { return whole_lists_; }
  /// Of these, so many lost a unit, and the others waited again.
  std::uint64_t taken_apart() const { return taken_apart_; }
  /// Results that were taken back although others had been made from them.
  std::uint64_t reissued() const { return reissued_; }
  /// Open and finalized units that were canceled because of that.
  std::uint64_t canceled_with_parent() const { return canceled_with_parent_; }
  std::uint64_t withdrawn() const { return withdrawn_; }
  /// Of the open ones, those that somebody held.
  std::uint64_t interrupted() const { return interrupted_; }
  /// Units that were made from a later result of their parent than its first.
  std::uint64_t made_anew() const { return made_anew_; }
  std::size_t acknowledged_judgments() const { return judgments_.size(); }

private:
  /// All rows of one unit, gathered once.
  struct unit_rows {
    core::unit_id id;
    const persistence::memory::unit_row* unit = nullptr;
    std::vector<const core::lease*> active;
    std::vector<const persistence::memory::ended_row*> ended;
    std::vector<const persistence::memory::judgment_row*> judgments;
    std::vector<const core::insert_judgment*> surplus;

    bool is_test_question() const { return !unit->made.truth.empty(); }
    /// Judgments that count.
    std::vector<const persistence::memory::judgment_row*> counted() const;
  };

  bool require(bool holds, const char* invariant, const core::unit_id& unit, const char* what);
  unit_rows rows_of(const core::unit_id& id) const;
  std::string dump(const core::unit_id& id) const;
  std::string dump(const core::step_id& id) const;

  void check_host(core::incarnation_id incarnation, const persistence::shard_batch& part);
  void check_outbox(core::shard_id shard);
  void count_event(const core::event& event);
  void check_unit(const core::unit_id& id);
  void check_tokens(const unit_rows& rows, unit_memory& known);
  void check_new_lease(const unit_rows& rows, const core::lease& lease);
  void check_pairs(const unit_rows& rows);
  void check_surplus(const unit_rows& rows);
  void check_kept(const msg::submit_judgment& sent);
  void check_end(const unit_rows& rows, unit_memory& known);
  void note_end(const unit_rows& rows, unit_memory& known);
  void check_events(const unit_rows& rows, const unit_memory& known);
  void check_step(const core::step_id& id);
  void check_inboxes();
  template <class Rows>
  void check_added(const core::step_id& step, const Rows& rows,
                   const msg::source_data_added& answer);

  // quality_audit.cpp: what test questions, taints and removals must keep.
  void check_result(const unit_rows& rows);
  /// Test questions that they had answered a while before that judgment; none where one of them was
  /// ever forgiven: what was known of those at the time is not known any more.
  std::size_t tested_before(const core::insert_judgment& judgment) const;
  /// Units of the step that they judged, test questions apart.
  std::size_t judged_in(const core::step_id& step, const core::contributor_id& who) const;
  void check_judgments(const unit_rows& rows);
  void check_quiz_passed(const unit_rows& rows, const core::lease& lease);
  /// Nobody is asked more test questions than are due: the quiz comes once.
  void check_question_due(const unit_rows& rows, const core::lease& lease);
  void check_standings();
  void check_removal(const core::put_standing& standing);
  bool is_removed(const core::step_id& step, const core::contributor_id& contributor) const;
  void check_removed_are_gone();
  /// The judgments that a finalized unit's result is made of.
  std::vector<const persistence::memory::judgment_row*> behind(const unit_rows& rows) const;
  void check_repairs();
  std::string unfinished_repairs() const;
  /// A step that does not know yet what the first one knows of the job.
  std::string unfinished_jobs() const;
  std::string unfinished_units() const;

  // unit_task_audit.cpp: what the tasks that judge units must keep.
  void check_tasks_of(const unit_rows& rows);
  /// Under which rules a lease of this owner on the unit was granted.
  core::lease_policy policy_for(const core::insert_unit& unit,
                                const core::contributor_id& owner) const;

  // version_audit.cpp: in which forms workflows go on, and which form a unit keeps.
  void check_versions(const core::workflow_id& id);
  bool check_version(const unit_rows& rows);
  void check_first_slots(const core::insert_unit& made);
  void check_names_version(const unit_rows& rows);
  void check_view(const core::workflow_id& workflow, std::uint32_t version,
                  const std::vector<msg::step_view>& steps);

  // requirement_audit.cpp: who may work in a step, and who finds it.
  /// What the step may ask now: it may go by another version than the latest for a moment.
  std::vector<core::requirements> asked_by(const core::step_id& step) const;
  /// By what has been sent of the contributor so far.
  bool may_work(const core::step_id& step, const core::contributor_id& contributor) const;
  void check_profile(const core::contributor_id& contributor);
  /// The open steps whose requirements the stored profile meets, in the order of searches.
  std::vector<core::step_id> open_to(const core::contributor_id& contributor) const;
  /// An answer beside what it should be, for people.
  std::string compare(const msg::find_steps& asked, const msg::step_offers& answer,
                      const std::vector<core::step_id>& open) const;

  // withdrawal_audit.cpp: what was made from results that were taken back.
  /// Whether the unit was made from what is its parent's result now; of a batch, whether all its
  /// units are part of it and were.
  bool stands(const core::insert_unit& made) const;
  /// The same of all that it comes from.
  bool chain_stands(core::unit_id unit) const;
  void check_withdrawn(const unit_rows& rows, const unit_memory& known);
  void check_told_revision(const core::event& event);
  void check_told_result(const core::event& event);
  std::string unfinished_withdrawals() const;

  // route_audit.cpp: where finished units go on to.
  void check_route(const unit_rows& rows);
  /// What a row or an answer means, where it has a reference to the object store.
  std::string whole(const std::string& text) const { return tasks_.whole(text); }
  /// Nothing that the rows of a unit refer to was swept.
  void check_swept(const unit_rows& rows);
  void check_mapped_input(const core::insert_unit& made, const core::route& rule);
  void check_chain(const unit_rows& rows);
  /// All that the unit comes from, or came from before a batch was taken apart.
  std::set<core::unit_id> sources_of(const core::unit_id& unit) const;
  void check_children(const core::unit_id& id);
  /// The way that a unit took with a result; null when its chain ended there.
  const core::way* way_of(const core::insert_unit& made, std::int16_t route) const;
  /// How many units a finished one becomes in each step with a result.
  std::map<core::step_id, std::size_t> children_due(const core::insert_unit& made,
                                                    const outcome& had) const;
  /// With the one that it has.
  std::map<core::step_id, std::size_t> children_due(const persistence::memory::unit_row& row) const;
  void check_child(const core::insert_unit& made, const persistence::memory::unit_row& from);
  void check_exclusions(const core::insert_unit& made, const core::way& way);
  /// The steps that lead to `step`, other than back.
  std::vector<core::step_id> upstreams_of(const core::step_id& step) const;
  std::uint32_t position_of(const core::step_id& step) const {
    return t_.steps.at(step).row.position;
  }
  /// The step as it is in all versions: what may not change.
  const core::step_definition& defined(const core::step_id& step) const;
  /// The step of the unit, in its version.
  const core::step_definition& defined(const core::insert_unit& unit) const;
  /// Whether the rule holds of a form that the unit may go by: a test question by that of any later
  /// version, too.
  bool in_some_form(const core::insert_unit& unit,
                    const std::function<bool(const core::step_definition&)>& rule) const;
  /// Where the unit may go on to.
  const std::vector<core::way>& ways_of(const core::insert_unit& unit) const;

  // gathering_audit.cpp: what several units become.
  void check_gathered(const unit_rows& rows, unit_memory& known);
  void check_regrouped(const unit_rows& rows, unit_memory& known);
  void check_batch(const unit_rows& rows, unit_memory& known);
  void check_batch_size(const core::insert_unit& made, const std::vector<core::unit_id>& members);
  void check_batch_input(const core::insert_unit& made, const std::vector<core::unit_id>& members);
  std::string unfinished_batches() const;
  /// The units that are part of a batch, in its order.
  std::vector<core::unit_id> members_of(const core::unit_id& batch) const;

  /// The highest numbers that a shard ever had.
  struct given_out {
    core::epoch epoch = 0;
    std::uint64_t batch_seq = 0;
    core::event_seq event_seq = 0;
  };
  /// Takes in what the tables show.
  void note_given_out();

  const plan& drawn_;
  const persistence::memory::tables& t_;
  trace& log_;
  task_auditor tasks_;
  std::map<core::shard_id, given_out> given_out_;
  /// The highest token that the lease of a unit ever had, where the database has forgotten leases.
  std::map<core::unit_id, core::token> forgotten_tokens_;
  std::uint64_t generation_ = 1;
  std::optional<violation> found_;
  std::uint64_t commits_ = 0;
  std::uint64_t batches_ = 0;
  std::uint64_t whole_lists_ = 0;
  std::uint64_t taken_apart_ = 0;
  std::uint64_t reissued_ = 0;
  std::uint64_t canceled_with_parent_ = 0;
  std::uint64_t withdrawn_ = 0;
  std::uint64_t interrupted_ = 0;
  std::uint64_t made_anew_ = 0;

  std::map<std::pair<core::shard_id, core::epoch>, core::incarnation_id> committers_;

  // The ledger of what clients have sent: no loss of commits takes it back.
  struct sent_key {
    std::uint32_t least_version = 1; ///< What was acknowledged when it was sent first.
    std::set<std::uint32_t> slots;   ///< As asked for; 0: as the definition says.
  };
  std::map<std::pair<core::step_id, std::string>, sent_key> keys_sent_;
  /// The version before and the definition of each update that is more than a question.
  std::set<std::pair<std::uint32_t, std::string>> updates_sent_;

  std::map<core::contributor_id, core::contributor_profile> profiles_sent_;

  const known_workflow& workflow_of(const core::step_id& step) const;

public:
  /// A requester is about to send these keys: what is added later must be among them.
  void sending(const msg::add_source_data& data);
  void sending(const msg::add_test_questions& data);
  /// The same for the forms of workflows.
  void sending(const msg::update_workflow& asked);
  /// The same for what is said of contributors: of each always the same.
  void sending(const msg::put_profile& said);
  /// What is acknowledged before the first question must be in every answer.
  void sending(const msg::get_lineage& asked);
  void sending(const msg::get_feedback& asked);
};

} // namespace holdfast::sim
