#pragma once

#include "core/change.hpp"
#include "messages/inspect.hpp"
#include "messages/reason.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What requesters send: define work, feed it, steer it, read its results. All of it may be
/// repeated.
namespace holdfast::msg {

/// The public state of a workflow step. In a list, a step that the database does not give back has
/// its id and no workflow.
struct step_view {
  core::step_id step;
  core::workflow_id workflow;
  std::string key;
  std::uint32_t position = 0;
  core::step_status status = core::step_status::open;
  bool sealed = false;
  std::uint64_t total_units = 0;
  std::uint64_t completed_units = 0;
  std::uint64_t revision = 0;
};
HOLDFAST_WIRE(step_view, x.step, x.workflow, x.key, x.position, x.status, x.sealed, x.total_units,
              x.completed_units, x.revision)

/// Creates a workflow. Answered by `workflow_created`; `payload_invalid` with every problem and its
/// place when the definition is wrong; `already_exists` when the id belongs to a different
/// definition.
struct create_workflow {
  core::workflow_id workflow; ///< Chosen by the caller.
  std::string definition;     ///< JSON; see docs/API.md.
};
HOLDFAST_WIRE(create_workflow, x.workflow, x.definition)

struct workflow_created {
  core::workflow_id workflow;
  std::vector<step_view> steps; ///< In order of the definition; source data goes to the first.
};
HOLDFAST_WIRE(workflow_created, x.workflow, x.steps)

/// Lets a workflow go on in another form: source data that comes from now on, and what becomes of
/// it, follows the new definition; what has begun goes on as it began. Answered by
/// `workflow_updated`; `payload_invalid` with every problem and its place when the definition is
/// wrong or changes what must stay, `wrong_state` when `version` is not the latest. To be repeated
/// when the answer was lost.
struct update_workflow {
  core::step_id step;        ///< The workflow's first step, which decides about it.
  std::uint32_t version = 0; ///< The latest, as far as the caller knows: what is being changed.
  std::string definition;    ///< JSON, all of it; see docs/API.md.
  bool dry_run = false;      ///< Only says what would change.
};
HOLDFAST_WIRE(update_workflow, x.step, x.version, x.definition, x.dry_run)

/// What is not the same in two definitions.
struct definition_difference {
  std::string
      place; ///< As a JSON pointer, with the key of a step for its index: /steps/label/lease.
  std::string before; ///< JSON; empty: it was not there.
  std::string after;  ///< JSON; empty: it is there no more.
};
HOLDFAST_WIRE(definition_difference, x.place, x.before, x.after)

struct workflow_updated {
  core::workflow_id workflow;
  std::uint32_t version = 0; ///< The latest now; of a dry run, what would be the latest.
  bool dry_run = false;
  std::vector<definition_difference> differences; ///< In order of place; 1000 at most.
  std::vector<step_view>
      steps; ///< Of this version, in its order; of a dry run those that are there.
};
HOLDFAST_WIRE(workflow_updated, x.workflow, x.version, x.dry_run, x.differences, x.steps)

/// Asks what a node would say of a definition, and changes nothing. Answered by `workflow_checked`,
/// also where the definition would be refused; `too_large` beyond the node's bounds.
struct check_workflow {
  std::string definition; ///< JSON, as that of `create_workflow`.
};
HOLDFAST_WIRE(check_workflow, x.definition)

/// What is wrong at one place, or may surprise its author.
struct definition_finding {
  std::string code;  ///< Of a warning, see docs/API.md; empty: a problem.
  std::string place; ///< JSON pointer into the definition; empty: the whole.
  std::string what;  ///< For people: the fault or surprise, and what to do.
};
HOLDFAST_WIRE(definition_finding, x.code, x.place, x.what)

struct workflow_checked {
  bool valid = false;                       ///< `create_workflow` would take it.
  std::vector<definition_finding> problems; ///< The first 100.
  std::vector<definition_finding> warnings; ///< The first 100; none where there are problems.
};
HOLDFAST_WIRE(workflow_checked, x.valid, x.problems, x.warnings)

/// The lifecycle system tells that the job has changed that the workflow is to it. May come more
/// than once and in any order: what is not newer than what is known changes nothing. Answered by
/// `job_status_noted`; `wrong_state` when the job is canceled, which is final, and this says
/// otherwise.
struct job_status_changed {
  core::workflow_id workflow;
  std::uint64_t revision = 0; ///< From 1; grows with every change of the job there.
  std::uint8_t status = 0;    ///< A `core::job_status`.
  core::step_id step{}; ///< The workflow's first step, which decides; nil: the node looks it up.
};
HOLDFAST_WIRE(job_status_changed, x.workflow, x.revision, x.status, x.step)

struct job_status_noted {
  core::workflow_id workflow;
  std::uint64_t revision = 0; ///< The latest that is known.
  bool applied = false;       ///< This request brought it.
};
HOLDFAST_WIRE(job_status_noted, x.workflow, x.revision, x.applied)

/// Reads a workflow as committed. Answered by `workflow_view`.
struct get_workflow {
  core::workflow_id workflow;
  std::uint32_t version = 0; ///< 0: the latest.
};
HOLDFAST_WIRE(get_workflow, x.workflow, x.version)

struct workflow_view {
  core::workflow_id workflow;
  std::string name;
  std::uint32_t version = 0; ///< What this is.
  std::uint32_t latest = 0;
  std::string definition;       ///< JSON, as it was handed in.
  std::vector<step_view> steps; ///< Of this version, in its order.
};
HOLDFAST_WIRE(workflow_view, x.workflow, x.name, x.version, x.latest, x.definition, x.steps)

/// Lists workflows in order of id. Answered by `workflow_page`.
struct list_workflows {
  core::workflow_id after; ///< Nil: from the first. It need not be there.
  std::uint32_t limit = 0; ///< 1 to 1000.
};
HOLDFAST_WIRE(list_workflows, x.after, x.limit)

struct workflow_summary {
  core::workflow_id workflow;
  std::string name;
  core::instant created_at;
  std::uint32_t latest = 0; ///< Version; 0: the row is damaged, and only the id is known.
  std::uint32_t open = 0;   ///< Steps of all versions, like the following.
  std::uint32_t paused = 0;
  std::uint32_t completed = 0;
  std::uint32_t canceled = 0;
  std::uint64_t job_revision = 0; ///< The latest that is known; 0: nobody has told of the job.
  std::uint8_t job_status = 0;    ///< A `core::job_status`; untold, the one it begins with.
};
HOLDFAST_WIRE(workflow_summary, x.workflow, x.name, x.created_at, x.latest, x.open, x.paused,
              x.completed, x.canceled, x.job_revision, x.job_status)

struct workflow_page {
  std::vector<workflow_summary> workflows;
  bool more = false; ///< Ask again with `after` = the last workflow.
};
HOLDFAST_WIRE(workflow_page, x.workflows, x.more)

/// One item of source data.
struct source_row {
  std::string key;             ///< The requester's name for it, unique in the step.
  std::string input;           ///< JSON.
  std::uint32_t judgments = 0; ///< Judgments wanted; 0 means what the step's definition says.
};
HOLDFAST_WIRE(source_row, x.key, x.input, x.judgments)

/// Adds source data to a step, at any time. Rows whose key is there already are left as they are; a
/// bad row is reported and harms no other.
struct add_source_data {
  core::step_id step;
  std::vector<source_row> rows;
};
HOLDFAST_WIRE(add_source_data, x.step, x.rows)

struct row_problem {
  std::uint32_t row = 0; ///< Index in the request.
  std::uint8_t code = 0; ///< A `core::errc`.
  std::string detail;
};
HOLDFAST_WIRE(row_problem, x.row, x.code, x.detail)

struct source_data_added {
  std::uint32_t added = 0;
  std::uint32_t already_there = 0;
  std::vector<row_problem> problems;
};
HOLDFAST_WIRE(source_data_added, x.added, x.already_there, x.problems)

/// Adds source data as `add_source_data` does, and tells rows whose key is there with another input
/// from those that are there as they are. Answered by `source_data_loaded`.
struct load_source_data {
  core::step_id step;
  std::vector<source_row> rows;
  /// Units whose rows have changed get the input of the row, unless somebody has had them.
  bool replace = false;
  bool dry_run = false; ///< Says what would happen, and changes nothing.
};
HOLDFAST_WIRE(load_source_data, x.step, x.rows, x.replace, x.dry_run)

/// A row whose key was there with another input.
struct changed_row {
  std::uint32_t row = 0; ///< Index in the request.
  core::unit_id unit;    ///< Under that key.
  bool replaced = false; ///< The unit has the input of the row now.
};
HOLDFAST_WIRE(changed_row, x.row, x.unit, x.replaced)

struct source_data_loaded {
  std::uint32_t added = 0;
  std::uint32_t already_there = 0; ///< With the same input.
  std::vector<changed_row> changed;
  /// With `replace` also each changed row that was not taken: `wrong_state` when somebody has had
  /// the unit.
  std::vector<row_problem> problems;
};
HOLDFAST_WIRE(source_data_loaded, x.added, x.already_there, x.changed, x.problems)

/// A unit whose right answer is known, to be mixed among the others.
struct test_question {
  std::string key;   ///< As of a `source_row`; both share the names of the step.
  std::string input; ///< JSON, of the form that the step's other units have.
  std::string truth; ///< JSON: what is right, e.g. `{"answer": "cat"}`; docs/API.md has the forms.
};
HOLDFAST_WIRE(test_question, x.key, x.input, x.truth)

/// Adds test questions to any step whose definition has `test_questions`, at any time. Answered by
/// `source_data_added`, under the same rules as `add_source_data`.
struct add_test_questions {
  core::step_id step;
  std::vector<test_question> rows;
};
HOLDFAST_WIRE(add_test_questions, x.step, x.rows)

/// Lists the test questions of a step in order of arrival, for those who may know them. Answered by
/// `test_question_page`.
struct list_test_questions {
  core::step_id step;
  std::uint64_t after = 0; ///< `ordinal` of the last one before; 0: from the first.
  std::uint32_t limit = 0; ///< 1 to 500.
};
HOLDFAST_WIRE(list_test_questions, x.step, x.after, x.limit)

struct test_question_summary {
  core::unit_id unit;
  std::uint64_t ordinal = 0;
  std::string key;
  std::string input; ///< Its beginning, 200 bytes at most; `get_unit` has all of it.
  std::string truth; ///< Empty: the row is damaged, and only its place is known.
  core::unit_state state = core::unit_state::judgable; ///< Only a judgable one is asked.
  bool forgiven = false;      ///< No answer to it counts, and it is asked no more.
  std::uint64_t answered = 0; ///< All answers, whether they count or not.
  std::uint64_t right = 0;    ///< Of these.
};
HOLDFAST_WIRE(test_question_summary, x.unit, x.ordinal, x.key, x.input, x.truth, x.state,
              x.forgiven, x.answered, x.right)

struct test_question_page {
  std::vector<test_question_summary> questions;
  bool more = false; ///< Ask again with `after` = the last ordinal.
};
HOLDFAST_WIRE(test_question_page, x.questions, x.more)

/// Says that no more source data will come: the step completes when its units are finished.
/// Answered by `step_view`.
struct seal_step {
  core::step_id step;
};
HOLDFAST_WIRE(seal_step, x.step)

/// Pauses, resumes or cancels a step. Answered by `step_view`.
struct change_step {
  core::step_id step;
  std::uint8_t verb = 0; ///< A `core::unit_verb`.
};
HOLDFAST_WIRE(change_step, x.step, x.verb)

/// Pauses, resumes or cancels one unit. Answered by `unit_changed`.
struct change_unit {
  core::step_id step;
  core::unit_id unit;
  std::uint8_t verb = 0; ///< A `core::unit_verb`.
};
HOLDFAST_WIRE(change_unit, x.step, x.unit, x.verb)

struct unit_changed {
  core::unit_id unit;
  core::unit_state state = core::unit_state::judgable;
};
HOLDFAST_WIRE(unit_changed, x.unit, x.state)

/// Takes a contributor off a step for good: they get no more units there, their leases end, and
/// what they said counts no more in units that are not finished. Answered by `contributor_removed`.
/// `repair_contributor` sees to the finished ones.
struct remove_contributor {
  core::step_id step;
  core::contributor_id contributor;
};
HOLDFAST_WIRE(remove_contributor, x.step, x.contributor)

struct contributor_removed {
  core::step_id step;
  core::contributor_id contributor;
};
HOLDFAST_WIRE(contributor_removed, x.step, x.contributor)

/// Forgives a test question that was wrong or unfair: no answer to it counts, from the beginning,
/// and it is asked no more. Whoever was removed for nothing else is back at work, and what they
/// said counts again in units that are not finished, where there is room. Answered by
/// `question_forgiven`.
struct forgive_question {
  core::step_id step;
  core::unit_id unit;
  bool count_again = false; ///< The reverse: the answers count again.
};
HOLDFAST_WIRE(forgive_question, x.step, x.unit, x.count_again)

/// Whose standing that has changed, by name; nobody's when it was so already.
struct question_forgiven {
  core::step_id step;
  core::unit_id unit;
  bool forgiven = true; ///< From now on.
  std::vector<core::contributor_id> reinstated;
  std::vector<core::contributor_id> removed;
};
HOLDFAST_WIRE(question_forgiven, x.step, x.unit, x.forgiven, x.reinstated, x.removed)

/// Looks at the finished units of a step without what a removed contributor said; of one who is at
/// work, as all who judged them are known today. Where the answer does not stand, the result is
/// taken back. Goes on by itself until it is done, whatever crashes.
/// Answered by `repair_progress`, at once; the same request again tells how far it is.
struct repair_contributor {
  core::step_id step;
  core::repair_id repair; ///< Chosen by the caller: asking again with it begins no other one.
  core::contributor_id contributor;
  bool dry_run = false; ///< Only counts what would be done.
};
HOLDFAST_WIRE(repair_contributor, x.step, x.repair, x.contributor, x.dry_run)

/// The same of everybody who has answered a test question, in one passage: after it was forgiven,
/// or counts again, what was finished before is looked at as all who judged it are known today.
/// Answered by `repair_progress`, of which `contributor` is `question:` and the id of the unit.
struct repair_question {
  core::step_id step;
  core::repair_id repair; ///< As of `repair_contributor`.
  core::unit_id unit;     ///< The test question.
  bool dry_run = false;   ///< Only counts what would be done.
};
HOLDFAST_WIRE(repair_question, x.step, x.repair, x.unit, x.dry_run)

/// How far a repair is, as committed.
struct repair_progress {
  core::step_id step;
  core::repair_id repair;
  core::contributor_id contributor;
  bool dry_run = false;
  bool done = false;
  std::uint64_t units = 0;       ///< Of the step, when it was asked for.
  std::uint64_t units_done = 0;  ///< Of these, looked at.
  std::uint64_t found = 0;       ///< Finished, and something counted that should not.
  std::uint64_t unchanged = 0;   ///< Of these: the answer stands.
  std::uint64_t changed = 0;     ///< Another answer, from the judgments that were there.
  std::uint64_t reopened = 0;    ///< Others are asked before there is a result again.
  std::uint64_t went_on = 0;     ///< Left alone; of repairs that did not go through batches.
  std::uint64_t disregarded = 0; ///< Judgments that count no more.
  std::uint64_t reissued = 0; ///< Changed or reopened, and other units were made from the result.
};
HOLDFAST_WIRE(repair_progress, x.step, x.repair, x.contributor, x.dry_run, x.done, x.units,
              x.units_done, x.found, x.unchanged, x.changed, x.reopened, x.went_on, x.disregarded,
              x.reissued)

/// Lists the contributors of a step by name: those who have worked there, and those who were
/// removed or flagged. Answered by `contributor_page`.
struct list_contributors {
  core::step_id step;
  std::string after;       ///< A name; empty: from the start.
  std::uint32_t limit = 0; ///< 1 to 1000.
};
HOLDFAST_WIRE(list_contributors, x.step, x.after, x.limit)

/// What a step knows of a contributor.
struct contributor_view {
  core::contributor_id contributor;
  core::contributor_standing standing = core::contributor_standing::working;
  core::standing_reason reason = core::standing_reason::requester; ///< If removed.
  std::uint64_t assignments = 0; ///< Ever granted to them in this step.
  std::uint32_t tests = 0;       ///< Test questions answered.
  std::uint32_t right = 0;       ///< Of these, answered rightly.
  double trust = 0;              ///< The mean of what their accuracy may be.
  double trust_low = 0;          ///< It is below this in one case of twenty.
  /// What monitors have raised: agreement, copying and so on; `damaged`: their standing cannot be
  /// read.
  std::vector<std::string> flags;
};
HOLDFAST_WIRE(contributor_view, x.contributor, x.standing, x.reason, x.assignments, x.tests,
              x.right, x.trust, x.trust_low, x.flags)

struct contributor_page {
  std::vector<contributor_view> contributors;
  bool more = false; ///< Ask again with `after` = the last name.
};
HOLDFAST_WIRE(contributor_page, x.contributors, x.more)

/// Lists steps in order of creation. Answered by `step_list`.
struct list_steps {
  core::step_id after;     ///< Nil: from the start.
  std::uint32_t limit = 0; ///< 1 to 1000.
};
HOLDFAST_WIRE(list_steps, x.after, x.limit)

struct step_list {
  std::vector<step_view> steps;
};
HOLDFAST_WIRE(step_list, x.steps)

/// Reads one unit as committed. Answered by `unit_view`.
struct get_unit {
  core::step_id step;
  core::unit_id unit;
};
HOLDFAST_WIRE(get_unit, x.step, x.unit)

struct unit_view {
  core::unit_id unit;
  core::step_id step;
  core::unit_id root;
  core::unit_id parent; ///< Nil for a unit made from source data.
  std::string source_key;
  std::string input;
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t judgments_per_unit = 0; ///< Wanted so far; 0 for a test question.
  std::uint32_t judgment_count = 0;
  std::uint32_t assignment_count = 0;
  std::string result; ///< JSON; empty until finalized.
  double confidence = 0;
  std::uint32_t version = 0; ///< Of the workflow, under which its chain began.
  core::unit_id batch;       ///< What a gathered unit is part of; nil while it waits.
};
HOLDFAST_WIRE(unit_view, x.unit, x.step, x.root, x.parent, x.source_key, x.input, x.state,
              x.judgments_per_unit, x.judgment_count, x.assignment_count, x.result, x.confidence,
              x.version, x.batch)

/// Asks why a unit does not move on. Answered by `unit_explanation`; `not_found` if the step has no
/// such unit.
struct explain_unit {
  core::step_id step;
  core::unit_id unit;
  std::string contributor; ///< Also what keeps it from them; empty: nobody in particular.
};
HOLDFAST_WIRE(explain_unit, x.step, x.unit, x.contributor)

struct unit_explanation {
  core::unit_id unit;
  core::unit_state state = core::unit_state::judgable;
  std::vector<reason> reasons; ///< What lasts longest first.
};
HOLDFAST_WIRE(unit_explanation, x.unit, x.state, x.reasons)

/// Asks what a contributor would get who asked the step for work now, and what keeps them from it.
/// Answered by `contributor_explanation`.
struct explain_contributor {
  core::step_id step;
  core::contributor_id contributor;
};
HOLDFAST_WIRE(explain_contributor, x.step, x.contributor)

struct contributor_explanation {
  core::contributor_id contributor;
  std::vector<reason> reasons; ///< What lasts longest first.
};
HOLDFAST_WIRE(contributor_explanation, x.contributor, x.reasons)

/// Looks at the judgments that count in a step as a whole. Flags of the step's monitors that follow
/// from it are raised before the answer. Answered by `step_quality`.
struct get_step_quality {
  core::step_id step;
};
HOLDFAST_WIRE(get_step_quality, x.step)

/// Somebody whose work is worth a look.
struct quality_concern {
  core::contributor_id contributor;
  std::string monitor; ///< agreement, copying, patterns or speed; `damaged`: see `why`.
  std::string why;     ///< For people, with figures.
};
HOLDFAST_WIRE(quality_concern, x.contributor, x.monitor, x.why)

struct step_quality {
  core::step_id step;
  std::uint64_t judgments = 0; ///< Looked at: the last 50,000 at most, none on test questions.
  std::uint64_t units = 0;     ///< That these are of.
  std::uint64_t labels = 0;    ///< Different answers among them.
  /// Whether there is an agreement to speak of: units with two judgments, and not all the same.
  bool comparable = false;
  double krippendorff_alpha = 0; ///< 1 is perfect, 0 what chance would do.
  double fleiss_kappa = 0;       ///< The same, as another figure.
  std::uint64_t finished_units = 0;
  double sure = 0;                  ///< The confidence that the stopping rule asks for, or 0.9.
  std::uint64_t unsure_units = 0;   ///< Finished ones with less.
  std::int64_t judgments_saved = 0; ///< By the stopping rule, in finished units; 0 without one.
  std::vector<quality_concern> concerns; ///< By monitor, then by name; 1000 at most.
};
HOLDFAST_WIRE(step_quality, x.step, x.judgments, x.units, x.labels, x.comparable,
              x.krippendorff_alpha, x.fleiss_kappa, x.finished_units, x.sure, x.unsure_units,
              x.judgments_saved, x.concerns)

/// Reads the results of a step, page by page, in order of arrival. Answered by `result_page`.
struct list_results {
  core::step_id step;
  std::uint64_t after = 0; ///< `last` of the page before; 0: from the start.
  std::uint32_t limit = 0; ///< 1 to 10000.
};
HOLDFAST_WIRE(list_results, x.step, x.after, x.limit)

struct unit_result {
  core::unit_id unit;
  std::string source_key;
  core::unit_state state = core::unit_state::judgable;
  std::uint32_t judgments = 0;
  /// JSON; empty until finalized, and of a finalized unit that the database does not give back.
  std::string result;
  double confidence = 0;
};
HOLDFAST_WIRE(unit_result, x.unit, x.source_key, x.state, x.judgments, x.result, x.confidence)

struct result_page {
  std::vector<unit_result> results;
  std::uint64_t last =
      0; ///< Send it as `after` for the next page; unchanged when there are no more.
};
HOLDFAST_WIRE(result_page, x.results, x.last)

/// Counts of a step, as committed. Answered by `step_statistics`.
struct get_step_statistics {
  core::step_id step;
};
HOLDFAST_WIRE(get_step_statistics, x.step)

struct step_statistics {
  step_view step;
  std::uint64_t judgable = 0;
  std::uint64_t paused = 0;
  std::uint64_t finalized = 0;
  std::uint64_t canceled = 0;
  std::uint64_t judgments = 0;
  std::uint64_t active_leases = 0;
  std::uint64_t expired_leases = 0;
};
HOLDFAST_WIRE(step_statistics, x.step, x.judgable, x.paused, x.finalized, x.canceled, x.judgments,
              x.active_leases, x.expired_leases)

/// Asks a node how it is. Answered by `node_status`.
struct get_node_status {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(get_node_status, x.version)

struct node_status {
  std::string name;
  core::incarnation_id incarnation;
  std::string version;
  core::instant started_at;
  core::instant now;
  std::uint32_t shards_hosted = 0;
  std::uint32_t shards_total = 0;
  std::uint64_t commits = 0;    ///< Batches committed by this incarnation.
  std::uint64_t changes = 0;    ///< Decisions in those batches.
  std::uint64_t queued = 0;     ///< Decisions waiting in the writers now.
  std::uint64_t refused = 0;    ///< Decisions the database refused.
  std::uint64_t overloaded = 0; ///< Requests turned away above the high-water mark.
  std::uint64_t live_units = 0; ///< Unit actors in memory.
  std::uint64_t sessions = 0;   ///< Contributors with an owner actor.
  bool draining = false;
};
HOLDFAST_WIRE(node_status, x.name, x.incarnation, x.version, x.started_at, x.now, x.shards_hosted,
              x.shards_total, x.commits, x.changes, x.queued, x.refused, x.overloaded, x.live_units,
              x.sessions, x.draining)

/// Asks a node who has come through its link. Answered by `link_status`.
struct get_link_status {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(get_link_status, x.version)

/// A reason for which peers were turned away or cut, and how often. Those that have not happened
/// are left out.
struct link_refusal {
  std::string reason; ///< As in the log, such as `name_not_allowed`.
  std::uint64_t connections = 0;
};
HOLDFAST_WIRE(link_refusal, x.reason, x.connections)

/// The numbers of a node's link since it started. Other nodes are peers here as well.
struct link_status {
  bool secured = false;          ///< False: no TLS, nothing is counted.
  std::uint64_t accepted = 0;    ///< Connections that were taken from the system.
  std::uint64_t established = 0; ///< Of these, the ones that proved who they are.
  std::uint64_t open = 0;        ///< Established and not yet ended.
  std::uint64_t frames = 0;      ///< Passed, both ways.
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::uint64_t reloads = 0; ///< Of certificates and their revocations.
  std::vector<link_refusal> refusals;
};
HOLDFAST_WIRE(link_status, x.secured, x.accepted, x.established, x.open, x.frames, x.bytes_in,
              x.bytes_out, x.reloads, x.refusals)

/// Asks a node what its audits of the database have found. Answered by `audit_status`.
struct get_audit_status {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(get_audit_status, x.version)

/// How often audits have found an invariant broken: rows, those of each audit anew.
struct audit_finding {
  std::string invariant; ///< Such as `I-1`.
  std::uint64_t violations = 0;
};
HOLDFAST_WIRE(audit_finding, x.invariant, x.violations)

/// The audits of a node since it started. One node of a cluster makes them.
struct audit_status {
  std::uint64_t done = 0;
  std::uint64_t failed = 0; ///< Such as took too long.
  core::instant last_at;    ///< The end of the last that was done.
  std::vector<audit_finding> findings;
};
HOLDFAST_WIRE(audit_status, x.done, x.failed, x.last_at, x.findings)

/// Has the node that is asked check the invariants in the database now, but for those of objects.
/// Answered by `cluster_verified` after an audit that began after the request came; `unavailable`
/// when it could not be made, such as when it takes longer than `audit.time_max`.
struct verify_cluster {
  std::uint32_t version = 1; ///< Of the answer that the caller understands.
};
HOLDFAST_WIRE(verify_cluster, x.version)

/// Rows that break an invariant.
struct broken_check {
  std::string invariant; ///< Such as `I-1`.
  std::string check;     ///< Which of the checks of the invariant.
  std::uint64_t rows = 0;
  std::string sample; ///< One of the rows.
};
HOLDFAST_WIRE(broken_check, x.invariant, x.check, x.rows, x.sample)

struct cluster_verified {
  core::instant at;                 ///< The end of the audit.
  std::vector<broken_check> broken; ///< Empty: all invariants hold.
};
HOLDFAST_WIRE(cluster_verified, x.at, x.broken)

} // namespace holdfast::msg
