#pragma once

#include "core/errors.hpp"
#include "http/fields.hpp"
#include "http/shapes/reason_shape.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/workflow_messages.hpp"

/// The JSON of messages/workflow_messages.hpp, but for what nodes say of themselves
/// (cluster_shapes.hpp). Requests without a shape are sent by composed routes
/// (http/composed/step_requests.hpp).
namespace holdfast::http {

// --- steps ---

template <class Fields>
void describe(Fields& f, msg::step_view& x) {
  f.required("id", x.step, sentence::step);
  f.required("workflow_id", x.workflow, "The workflow of the step.");
  f.required("key", x.key, "The name of the step in its workflow.");
  f.required("position", x.position,
             "The place of the step among the steps of all versions of the workflow, from 0.");
  f.required("status", word{x.status, step_status_words()}, "Where the step stands.");
  f.required("sealed", x.sealed, "No more source data is expected.");
  f.required("total_units", x.total_units, "Units that were ever made in the step.");
  f.required("completed_units", x.completed_units,
             "Units that are finalized, canceled or part of a batch.");
  f.required("revision", x.revision, "Grows with every change of the step.");
}

template <class Fields>
void describe(Fields& f, msg::get_step_statistics& x) {
  f.required("step_id", x.step, sentence::step);
}

/// The step itself, and the counts beside its members.
template <class Fields>
void describe(Fields& f, msg::step_statistics& x) {
  describe(f, x.step);
  f.required("judgable_units", x.judgable, "Units that are offered to contributors.");
  f.required("paused_units", x.paused, "Units that are paused.");
  f.required("finalized_units", x.finalized, "Units that have a result.");
  f.required("canceled_units", x.canceled, "Units that were canceled.");
  f.required("judgments", x.judgments, "Judgments that were handed in.");
  f.required("active_leases", x.active_leases, "Leases that are out now.");
  f.required("expired_leases", x.expired_leases, "Leases that ran out.");
}

// --- workflows ---

template <class Fields>
void describe(Fields& f, msg::create_workflow& x) {
  f.whole(document{x.definition},
          "The definition of the workflow. It is stored as it is written here.");
  f.made("id", x.workflow,
         "The id of the workflow. The same id with the same definition is a "
         "repetition.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_created& x) {
  f.required("workflow_id", x.workflow, "The workflow.");
  f.required("steps", x.steps,
             "The steps, in the order of the definition. Source data goes to the first.");
}

template <class Fields>
void describe(Fields& f, msg::check_workflow& x) {
  f.whole(document{x.definition}, "The definition, as `create_workflow` takes it.");
}

template <class Fields>
void describe(Fields& f, msg::definition_finding& x) {
  f.optional("code", x.code, "The kind of a warning; left out of a problem.");
  f.required("place", x.place, "A JSON pointer into the definition; empty: the whole.");
  f.required("what", x.what, "For people: the fault or surprise, and what to do.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_checked& x) {
  f.required("valid", x.valid, "True: the definition would be taken.");
  f.required("problems", x.problems, "Everything that is wrong, by place; 100 at most.");
  f.required("warnings", x.warnings, "Surprises of a valid definition, by step; 100 at most.");
}

template <class Fields>
void describe(Fields& f, msg::definition_difference& x) {
  f.required("place", x.place,
             "A JSON pointer into the definition, with the key of a step in place of its index, "
             "such as `/steps/label/lease`.");
  f.optional("before", document{x.before}, "The value before; left out where there was none.");
  f.optional("after", document{x.after}, "The value now; left out where there is none.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_updated& x) {
  f.required("workflow_id", x.workflow, "The workflow.");
  f.required("version", x.version,
             "The latest version now; of a validation, the version that an update would make.");
  f.required("dry_run", x.dry_run, "True: nothing was changed.");
  f.required("differences", x.differences,
             "The places at which the definition differs from the version before, in order of "
             "place; 1000 at most.");
  f.required("steps", x.steps,
             "The steps of this version, in its order; of a validation those that are there.");
}

template <class Fields>
void describe(Fields& f, msg::get_workflow& x) {
  f.required("id", x.workflow, sentence::workflow);
  f.optional("version", x.version, "The version to be read. Left out, or 0: the latest.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_view& x) {
  f.required("id", x.workflow, sentence::workflow);
  f.required("name", x.name, "The name that the definition gives the workflow.");
  f.required("version", x.version, "The version that this is.");
  f.required("latest", x.latest, "The latest version.");
  f.required("definition", document{x.definition}, "The definition, as it was handed in.");
  f.required("steps", x.steps, "The steps of this version, in its order.");
}

template <class Fields>
void describe(Fields& f, msg::list_workflows& x) {
  if (x.limit == 0)
    x.limit = 100;
  f.optional("after", x.after,
             "The `id` of the last workflow of the answer before. Left out: from the first.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "How many workflows at most. Default: 100.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_summary& x) {
  f.required("id", x.workflow, sentence::workflow);
  f.required("name", x.name, "The name that the definition gives the workflow.");
  f.required("created_at", x.created_at, "When the workflow was created.");
  f.required("latest", x.latest,
             "The latest version; 0: the stored workflow is damaged, and only its id is known.");
  f.required("open", x.open, "How many steps of all versions are open.");
  f.required("paused", x.paused, "How many steps of all versions are paused.");
  f.required("completed", x.completed, "How many steps of all versions are completed.");
  f.required("canceled", x.canceled, "How many steps of all versions are canceled.");
  f.required("job_revision", x.job_revision,
             "The revision of the job that `job_status` is of; 0: none was ever told.");
  f.required("job_status", word{x.job_status, job_status_words()},
             "The status of the job that the workflow is to the lifecycle system.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_page& x) {
  f.required("workflows", x.workflows, "The workflows, in order of id.");
  f.required("more", x.more, sentence::more);
}

template <class Fields>
void describe(Fields& f, msg::job_status_changed& x) {
  f.required("workflow_id", x.workflow, sentence::workflow);
  f.required("revision", x.revision,
             "The revision of the job, from 1. It grows with every change of the job; a revision "
             "that is not newer than the known one changes nothing.");
  f.required("status", word{x.status, job_status_words()},
             "The status of the job. `canceled` is final.");
  f.hidden(x.step);
}

template <class Fields>
void describe(Fields& f, msg::job_status_noted& x) {
  f.required("workflow_id", x.workflow, sentence::workflow);
  f.required("revision", x.revision, "The latest revision of the job that is known.");
  f.required("applied", x.applied, "True: this request brought that revision.");
}

// --- source data and test questions ---

template <class Fields>
void describe(Fields& f, msg::source_row& x) {
  f.required("key", x.key,
             "Your name for the item, unique in the step: 1 to 512 bytes of UTF-8. A row whose key "
             "is there already is left as it is.");
  f.required("input", document{x.input},
             "The data of the item; 256 KiB at most, unless the node has another bound.");
  f.optional("judgments", bounded{x.judgments, 0, 1000},
             "Judgments wanted for the item, at most 1000. Left out, or 0: the number in the "
             "definition of the step.");
}

template <class Fields>
void describe(Fields& f, msg::add_source_data& x) {
  f.required("step_id", x.step, "The first step of a workflow.");
  f.required("rows", x.rows,
             "The items, 10000 at most, unless the node has another bound. A bad row is reported "
             "and harms no other.");
}

template <class Fields>
void describe(Fields& f, msg::row_problem& x) {
  f.required("row", x.row, "The place of the row in the request, from 0.");
  f.required("code", word{x.code, error_words()}, "The error, as a problem names it.");
  bool retryable = core::describe(static_cast<core::errc>(x.code)).retryable;
  f.required("retryable", retryable, "Whether the same row may be taken later.");
  f.required("detail", x.detail, "The mistake in the row, for people.");
}

template <class Fields>
void describe(Fields& f, msg::source_data_added& x) {
  f.required("added", x.added, "Rows that were added.");
  f.required("already_there", x.already_there, "Rows whose key was there already.");
  f.required("problems", x.problems, "The rows that were not added, and why.");
}

template <class Fields>
void describe(Fields& f, msg::test_question& x) {
  f.required("key", x.key,
             "Your name for the test question, unique among all units of the step: 1 to 512 bytes "
             "of UTF-8.");
  f.required("input", document{x.input},
             "The data of the unit, in the form that the other units of the step have.");
  f.required("truth", document{x.truth}, "The right answer, such as `{\"answer\": \"cat\"}`.");
}

template <class Fields>
void describe(Fields& f, msg::add_test_questions& x) {
  f.required("step_id", x.step, "A step whose definition has `test_questions`.");
  f.required("rows", x.rows,
             "The test questions, 10000 at most, unless the node has another bound. A bad row is "
             "reported and harms no other.");
}

template <class Fields>
void describe(Fields& f, msg::list_test_questions& x) {
  if (x.limit == 0)
    x.limit = 100;
  f.required("step_id", x.step, sentence::step);
  f.optional("after", x.after,
             "The `ordinal` of the last test question of the answer before. Left out: from the "
             "first.");
  f.optional("limit", bounded{x.limit, 1, 500}, "How many test questions at most. Default: 100.");
}

template <class Fields>
void describe(Fields& f, msg::test_question_summary& x) {
  f.required("unit_id", x.unit, "The unit that is the test question.");
  f.required("ordinal", x.ordinal, "The place in the order of arrival.");
  f.required("key", x.key, "Your name for the test question.");
  f.required("input", x.input,
             "The beginning of the text of its data, 200 bytes at most. The unit has all of it.");
  f.optional("truth", document{x.truth},
             "The right answer; left out where the stored test question is damaged.");
  f.required("state", word{x.state, unit_state_words()},
             "Where the unit stands. Only a `Judgable` test question is asked.");
  f.required("forgiven", x.forgiven, "True: no answer counts, and it is asked no more.");
  f.required("answered", x.answered, "How often it was answered, whether that counts or not.");
  f.required("right", x.right, "How many of these answers were right.");
}

template <class Fields>
void describe(Fields& f, msg::test_question_page& x) {
  f.required("questions", x.questions, "The test questions, in order of arrival.");
  f.required("more", x.more, sentence::more);
}

template <class Fields>
void describe(Fields& f, msg::forgive_question& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("unit_id", x.unit, "The unit that is the test question.");
  f.optional("count_again", x.count_again,
             "True: the reverse, the answers count again. Default: false.");
}

template <class Fields>
void describe(Fields& f, msg::question_forgiven& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("unit_id", x.unit, "The unit that is the test question.");
  f.required("forgiven", x.forgiven, "Whether the test question is forgiven from now on.");
  f.required("reinstated", x.reinstated, "The contributors who work in the step again by this.");
  f.required("removed", x.removed, "The contributors who were removed from the step by this.");
}

// --- contributors of a step ---

template <class Fields>
void describe(Fields& f, msg::remove_contributor& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("contributor_id", x.contributor, sentence::contributor);
}

template <class Fields>
void describe(Fields& f, msg::contributor_removed& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("contributor_id", x.contributor, "The contributor, who gets no more units there.");
}

template <class Fields>
void describe(Fields& f, msg::list_contributors& x) {
  if (x.limit == 0)
    x.limit = 100;
  f.required("step_id", x.step, sentence::step);
  f.optional("after", x.after,
             "The `contributor_id` of the last contributor of the answer before. Left out: from "
             "the first.");
  f.optional("limit", bounded{x.limit, 1, 1000}, "How many contributors at most. Default: 100.");
}

template <class Fields>
void describe(Fields& f, msg::contributor_view& x) {
  f.required("contributor_id", x.contributor, "The name of the contributor.");
  f.required("standing", word{x.standing, standing_words()},
             "`Working`, or `Removed`: the contributor gets no more units of the step.");
  f.required("reason", word{x.reason, standing_reason_words()},
             "Why the standing is what it is; of no meaning for one who was never removed.");
  f.required("assignments", x.assignments, "Assignments that the contributor ever had there.");
  f.required("tests", x.tests, "Test questions answered there.");
  f.required("right", x.right, "Test questions answered right there.");
  f.required("trust", x.trust, "How far the contributor is trusted, from 0 to 1.");
  f.required("trust_low", x.trust_low,
             "Their accuracy is below this in one case of twenty, from 0 to 1.");
  f.required("flags", x.flags,
             "The monitors that want somebody to look at the work, such as `agreement` or "
             "`copying`; `damaged`: the stored standing cannot be read.");
}

template <class Fields>
void describe(Fields& f, msg::contributor_page& x) {
  f.required("contributors", x.contributors, "The contributors, in order of name.");
  f.required("more", x.more, sentence::more);
}

template <class Fields>
void describe(Fields& f, msg::explain_contributor& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("contributor_id", x.contributor, sentence::contributor);
}

template <class Fields>
void describe(Fields& f, msg::contributor_explanation& x) {
  f.required("contributor_id", x.contributor, "The contributor.");
  f.required("reasons", x.reasons,
             "The reasons why the contributor gets a unit or none; the reason that lasts longest "
             "comes first.");
}

// --- repairs ---

template <class Fields>
void describe(Fields& f, msg::repair_contributor& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("contributor_id", x.contributor,
             "The contributor whose judgments the repair is about. If they are removed, the repair "
             "takes their judgments out of finished units.");
  f.made("id", x.repair,
         "The id of the repair. To ask again with the same id tells how far the repair is.");
  f.optional("dry_run", x.dry_run, "True: only count the units. Default: false.");
}

template <class Fields>
void describe(Fields& f, msg::repair_question& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("unit_id", x.unit,
             "The unit that is the test question. The repair is about everybody who answered it.");
  f.made("id", x.repair,
         "The id of the repair. To ask again with the same id tells how far the repair is.");
  f.optional("dry_run", x.dry_run, "True: only count the units. Default: false.");
}

template <class Fields>
void describe(Fields& f, msg::repair_progress& x) {
  f.required("id", x.repair, "The repair.");
  f.required("step_id", x.step, sentence::step);
  f.required("contributor_id", x.contributor,
             "The contributor whom the repair is about; `question:` and the id of the unit, where "
             "it is about a test question.");
  f.required("dry_run", x.dry_run, "True: the repair changes nothing.");
  f.required("done", x.done, "The repair has looked at all units.");
  f.required("units", x.units, "Units that the step had when the repair was asked for.");
  f.required("units_done", x.units_done, "How many of these the repair has looked at.");
  f.required("found", x.found,
             "Finished units in which something counted otherwise than it should.");
  f.required("unchanged", x.unchanged, "How many of these keep their answer.");
  f.required("changed", x.changed,
             "How many of these get another answer from the judgments that are there.");
  f.required("reopened", x.reopened, "How many of these ask others before they have a result.");
  f.required("went_on", x.went_on,
             "How many of these were left alone; only repairs of old versions have any.");
  f.required("disregarded", x.disregarded, "Judgments that count no more.");
  f.required("reissued", x.reissued,
             "Changed or reopened units whose result others were made from.");
}

// --- quality ---

template <class Fields>
void describe(Fields& f, msg::get_step_quality& x) {
  f.required("step_id", x.step, sentence::step);
}

template <class Fields>
void describe(Fields& f, msg::quality_concern& x) {
  f.required("contributor_id", x.contributor, "The contributor whose work is worth a look.");
  f.required("monitor", x.monitor,
             "`agreement`, `copying`, `patterns` or `speed`; `damaged`: a stored row cannot be "
             "read.");
  f.required("why", x.why, "The reason with its figures, for people.");
}

template <class Fields>
void describe(Fields& f, msg::step_quality& x) {
  f.required("step_id", x.step, sentence::step);
  f.required("judgments", x.judgments,
             "Judgments looked at: the last 50000 at most, without those on test questions.");
  f.required("units", x.units, "Units that these judgments are of.");
  f.required("labels", x.labels, "Different answers among these judgments.");
  f.required("comparable", x.comparable,
             "Whether there is an agreement to measure: there are units with two judgments, and "
             "not all answers are the same.");
  f.required("krippendorff_alpha", x.krippendorff_alpha,
             "The agreement as Krippendorff's alpha: 1 is perfect, 0 is chance.");
  f.required("fleiss_kappa", x.fleiss_kappa,
             "The agreement as Fleiss' kappa: 1 is perfect, 0 is chance.");
  f.required("finished_units", x.finished_units, "Units that have a result.");
  f.required("sure", x.sure,
             "The confidence that the stopping rule of the step asks for; 0.9 without a rule.");
  f.required("unsure_units", x.unsure_units, "Finished units with less confidence than `sure`.");
  f.required("judgments_saved", x.judgments_saved,
             "Judgments that the stopping rule has saved in finished units; 0 without a rule.");
  f.required("concerns", x.concerns,
             "The contributors whose work is worth a look, by monitor, then by name; 1000 at "
             "most.");
}

// --- units and results ---

template <class Fields>
void describe(Fields& f, msg::unit_view& x) {
  f.required("id", x.unit, sentence::unit);
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("root_id", x.root, "The first unit of the item.");
  f.optional("parent_id", x.parent,
             "The unit from whose result this one was made; left out for a unit made from source "
             "data.");
  f.required("source_key", x.source_key, "Your name for the item.");
  f.required("input", document{x.input}, "The data of the unit.");
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
  f.required("judgments_per_unit", x.judgments_per_unit,
             "Judgments that the unit wants so far; 0 for a test question.");
  f.required("judgment_count", x.judgment_count, "Judgments that are in.");
  f.required("assignment_count", x.assignment_count, "Leases that are out now.");
  f.optional("result", document{x.result}, "The result; left out until there is one.");
  f.required("confidence", x.confidence,
             "How sure the result is, from 0 to 1; 0 until there is one.");
  f.required("version", x.version, "The version of the workflow that the unit follows.");
  f.optional("batch_id", x.batch,
             "The batch that a gathered unit is part of; left out while it waits for one.");
}

template <class Fields>
void describe(Fields& f, msg::unit_changed& x) {
  f.required("id", x.unit, sentence::unit);
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
}

template <class Fields>
void describe(Fields& f, msg::unit_explanation& x) {
  f.required("id", x.unit, sentence::unit);
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
  f.required(
      "reasons", x.reasons,
      "The reasons why the unit does not move on; the reason that lasts longest comes first.");
}

template <class Fields>
void describe(Fields& f, msg::list_results& x) {
  if (x.limit == 0)
    x.limit = 100;
  f.required("step_id", x.step, sentence::step);
  f.optional("after", x.after, "The `last` of the answer before. Left out: from the first.");
  f.optional("limit", bounded{x.limit, 1, 10000}, "How many results at most. Default: 100.");
}

template <class Fields>
void describe(Fields& f, msg::unit_result& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.required("source_key", x.source_key, "Your name for the item.");
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
  f.required("judgments", x.judgments, "Judgments of the unit.");
  f.optional("result", document{x.result},
             "The result; left out until there is one, and where the stored one is damaged.");
  f.required("confidence", x.confidence,
             "How sure the result is, from 0 to 1; 0 until there is one.");
}

template <class Fields>
void describe(Fields& f, msg::result_page& x) {
  f.required("results", x.results, "The units with their results, in order of arrival.");
  f.required("last", x.last,
             "Send this as `after` to go on. It stays the same when there are no more.");
}

} // namespace holdfast::http
