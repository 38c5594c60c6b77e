#pragma once

#include "core/ids.hpp"
#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/search_messages.hpp"
#include "messages/work_messages.hpp"

/// The JSON of messages/work_messages.hpp and messages/search_messages.hpp; the index of steps is
/// in cluster_shapes.hpp.
///
/// Contributors may see the answers to their own requests: none of these has a member that tells a
/// test question, another person's judgment or a trust figure, but for `judgment_feedback`, which
/// says of the asker what the step's definition has it say.
namespace holdfast::http {

// --- assignments ---

template <class Fields>
void describe(Fields& f, msg::ask_assignment& x) {
  f.required("step_id", x.step, "The step in which the contributor wants to work.");
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.made("id", x.assignment,
         "The id of the assignment. To ask again with the same id gives the same lease.");
}

template <class Fields>
void describe(Fields& f, msg::assignment& x) {
  f.required("assignment_id", x.id, "The assignment: a lease on one slot of a unit.");
  f.required("unit_id", x.unit, "The unit to be judged.");
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("token", x.token,
             "The fencing token of the lease. Send it with everything done under the lease.");
  f.required("lease_seconds", seconds_until{x.expires_at}, sentence::lease_seconds);
  f.required("expires_at", x.expires_at, sentence::expires_at);
  f.required("input", document{x.input}, "The data of the unit.");
  f.required("ui", x.ui, sentence::ui);
}

template <class Fields>
void describe(Fields& f, msg::release_assignment& x) {
  core::assignment_id ignored;
  f.required("assignment_id", ignored, sentence::ignored_assignment);
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, sentence::unit);
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.required("token", x.token, sentence::token);
  f.optional("decline", x.decline,
             "True: this unit is never offered to this contributor again. Default: false.");
}

template <class Fields>
void describe(Fields& f, msg::assignment_released& x) {
  f.required("unit_id", x.unit, "The unit that was given back.");
}

template <class Fields>
void describe(Fields& f, msg::extend_assignment& x) {
  core::assignment_id ignored;
  f.required("assignment_id", ignored, sentence::ignored_assignment);
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, sentence::unit);
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.required("token", x.token, sentence::token);
}

template <class Fields>
void describe(Fields& f, msg::assignment_extended& x) {
  f.required("unit_id", x.unit, "The unit whose lease was extended.");
  f.required("lease_seconds", seconds_until{x.expires_at}, sentence::lease_seconds);
  f.required("expires_at", x.expires_at, sentence::expires_at);
}

// --- judgments ---

template <class Fields>
void describe(Fields& f, msg::submit_judgment& x) {
  f.required("unit_id", x.unit, "The unit that was judged.");
  f.required("step_id", x.step, sentence::step_of_unit);
  core::assignment_id ignored;
  f.optional("assignment_id", ignored, sentence::ignored_assignment);
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.required("token", x.token, sentence::token);
  f.required("data", document{x.payload},
             "The judgment, as the schema of the step wants it; 256 KiB at most, unless the node "
             "has another bound.");
  f.made("id", x.judgment,
         "The id of the judgment. To submit again with the same id is a repetition.");
}

template <class Fields>
void describe(Fields& f, msg::judgment_accepted& x) {
  f.required("judgment_id", x.judgment, "The judgment.");
  f.required("repeated", x.repeated, "The judgment had been accepted before.");
  f.required("surplus", x.surplus,
             "The judgment came after its lease had ended. It is kept, and may not count.");
}

template <class Fields>
void describe(Fields& f, msg::get_feedback& x) {
  core::judgment_id ignored;
  f.required("judgment_id", ignored,
             "The judgment. The unit and the contributor already name it, so nothing is done with "
             "it.");
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, "The unit that the contributor has judged.");
  f.caller("contributor_id", x.contributor, sentence::contributor);
}

template <class Fields>
void describe(Fields& f, msg::judgment_feedback& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.required("test_question", x.test_question,
             "The unit was a test question, and the contributor has answered it.");
  f.required("right", x.right, "The answer to the test question was right.");
  f.required("counts", x.counts,
             "The answer counts. An answer to a test question that was forgiven does not.");
}

// --- sessions ---

template <class Fields>
void describe(Fields& f, msg::end_session& x) {
  f.caller("contributor_id", x.contributor, sentence::contributor);
}

template <class Fields>
void describe(Fields& f, msg::session_ended& x) {
  f.required("released", x.released, "How many leases were given back.");
}

// --- profiles ---

template <class Fields>
void describe(Fields& f, msg::put_profile& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.optional("channels", x.channels,
             "The channels of the contributor: at most 64 terms, each 1 to 64 of "
             "`a-z A-Z 0-9 _ . : -`. Left out: none.");
  f.optional("skills", x.skills,
             "The skills of the contributor, in the form of `channels`. Left out: none.");
  f.optional("certifications", x.certifications,
             "The certifications of the contributor, in the form of `channels`. Left out: none.");
  f.optional("location", x.location,
             "Where the contributor is, such as `DE-BY`, which is within `DE`. Left out: not "
             "known.");
  f.optional("trust", bounded{x.trust, 0, 1},
             "How far the contributor is trusted, from 0 to 1. Left out: as their answers to test "
             "questions say.");
}

template <class Fields>
void describe(Fields& f, msg::get_profile& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
}

template <class Fields>
void describe(Fields& f, msg::profile_view& x) {
  f.required("contributor_id", x.contributor, sentence::contributor);
  f.required("channels", x.channels, "The channels of the contributor, sorted, each once.");
  f.required("skills", x.skills, "The skills of the contributor, sorted, each once.");
  f.required("certifications", x.certifications,
             "The certifications of the contributor, sorted, each once.");
  f.required("location", x.location, "Where the contributor is; empty: not known.");
  f.required("trust", x.trust, "How far the contributor is trusted, from 0 to 1.");
  f.required("trust_given", x.trust_given,
             "True: `trust` is from the profile. False: it follows from test questions.");
  f.required("tests_right", x.tests_right, "Test questions answered right, in all steps.");
  f.required("tests_answered", x.tests_answered, "Test questions answered, in all steps.");
  f.required("changed_at", x.changed_at, "When the profile was last set; null: never.");
}

// --- looking for steps ---

template <class Fields>
void describe(Fields& f, msg::find_steps& x) {
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.optional("limit", bounded{x.limit, 1, 1000}, "How many steps at most. Default: 20.");
  f.optional("after_priority", x.after_priority,
             "To go on: the `priority` of the last step of the answer before.");
  f.optional("after", x.after,
             "To go on: the `id` of the last step of the answer before, together with "
             "`after_priority`.");
}

template <class Fields>
void describe(Fields& f, msg::step_offer& x) {
  f.required("id", x.step, sentence::step);
  f.required("workflow_id", x.workflow, "The workflow of the step.");
  f.required("key", x.key, "The name of the step in its workflow.");
  f.required("title", x.title, "The title of the step, for people.");
  f.required("ui", x.ui, sentence::ui);
  f.required("priority", x.priority, "Steps of higher priority come first.");
}

template <class Fields>
void describe(Fields& f, msg::step_offers& x) {
  f.required("steps", x.steps,
             "The open steps whose requirements the contributor meets: those of the highest "
             "priority first, among equals the oldest. A request for an assignment tells whether a "
             "step has a unit for them now.");
  f.required("complete", x.complete,
             "False: part of the steps could not be looked at. Ask again for the rest.");
}

} // namespace holdfast::http
