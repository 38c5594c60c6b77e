#pragma once

#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/lineage_messages.hpp"

/// The JSON of messages/lineage_messages.hpp: for requesters and auditors, since it names
/// contributors with their judgments, and the test questions.
namespace holdfast::http {

template <class Fields>
void describe(Fields& f, msg::get_lineage& x) {
  if (x.limit == 0)
    x.limit = 20;
  f.required("unit_id", x.unit, "Any unit of the item.");
  f.optional("after", x.after,
             "The `id` of the last unit of the answer before. Left out: from the first.");
  f.optional("limit", bounded{x.limit, 1, 100}, "How many units at most. Default: 20.");
}

template <class Fields>
void describe(Fields& f, msg::lineage_lease& x) {
  f.required("assignment_id", x.assignment, "The assignment.");
  f.required("contributor_id", x.contributor,
             "The contributor; `task:` and the name of a queue, where a task judges.");
  f.required("token", x.token, "The fencing token of the lease.");
  f.required("status", x.status,
             "`Active`, `Submitted`, `Expired`, `Released`, `Declined`, `Ejected` or `Canceled`.");
  f.required("granted_at", x.granted_at, "When the lease was granted.");
  f.required("expires_at", x.expires_at, "When the lease ends, or would have ended.");
  f.optional("ended_at", x.ended_at, "When the lease did end; left out while it is active.");
}

template <class Fields>
void describe(Fields& f, msg::lineage_judgment& x) {
  f.required("judgment_id", x.judgment, "The judgment.");
  f.required("contributor_id", x.contributor,
             "The contributor; `task:` and the name of a queue, where a task has judged.");
  f.required("data", document{x.payload},
             "The judgment as it was handed in; `{\"problem\": …}` where it cannot be read.");
  f.required("answer", x.answer,
             "The part of the judgment that is counted; empty where it cannot be read.");
  f.required("trust", x.trust,
             "How far the contributor was trusted when the judgment came in, from 0 to 1.");
  f.required("trust_questions", x.trust_questions, "Test questions that `trust` rests on.");
  f.required("trust_low", x.trust_low,
             "The accuracy of the contributor is below this with a chance of 5 %; 0: not known.");
  f.required("submitted_at", x.submitted_at, "When the judgment was handed in.");
  f.required("status", x.status,
             "`Counted`, `Late` (which counts as well), `Tainted`, `Surplus` or `Unreadable`.");
  f.required("counts", x.counts, "Whether the judgment counts.");
  f.optional("tainted_at", x.tainted_at,
             "Since when the judgment does not count; left out while it does.");
  f.optional("test", x.test, "On a test question: `right` or `wrong`.");
}

template <class Fields>
void describe(Fields& f, msg::lineage_unit& x) {
  f.required("id", x.unit, sentence::unit);
  f.optional("parent_id", x.parent,
             "The unit from whose result this one was made; left out for the first of its item.");
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("source_key", x.source_key, "Your name for the item.");
  f.required("part", x.part,
             "The place among the units that the result of the parent made in this step, from 0.");
  f.required("loops", x.loops, "How often the item was sent back to an earlier step.");
  f.required("reopened", x.reopened, "How many results of the unit were taken back.");
  f.required("state", word{x.state, unit_state_words()}, sentence::unit_state);
  f.required("test_question", x.test_question, "Whether the unit is a test question.");
  f.required("judgments_per_unit", x.judgments_per_unit,
             "Judgments that the unit wants so far; 0 for a test question.");
  f.required("created_at", x.created_at, "When the unit was made.");
  f.optional("changed_at", x.changed_at, "When its state last changed; left out if never.");
  f.required("input", document{x.input}, "The data of the unit.");
  f.optional("result", document{x.result}, "The result; left out until there is one.");
  f.required("confidence", x.confidence,
             "How sure the result is, from 0 to 1; 0 until there is one.");
  f.required("route", x.route, "The index of the route that the unit took on, from 0; -1: none.");
  f.optional("route_reason", x.route_reason, "Why it took that route, for people.");
  f.required("leases", x.leases, "All leases on the unit, in order of their grants.");
  f.required("judgments", x.judgments,
             "All judgments of the unit, also those that do not count, in order of submission.");
  f.required("excluded", x.excluded,
             "The contributors who never get the unit, for their part in the item.");
  f.required("version", x.version, "The version of the workflow that the unit follows.");
  f.optional("batch_id", x.batch,
             "The batch that a gathered unit is part of, perhaps of another item.");
}

template <class Fields>
void describe(Fields& f, msg::unit_lineage& x) {
  f.required("root_id", x.root, "The first unit of the item.");
  f.required("units", x.units, "The units of the item, in order of creation.");
  f.required("more", x.more, sentence::more);
}

} // namespace holdfast::http
