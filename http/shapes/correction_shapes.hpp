#pragma once

#include "core/correction_row.hpp"
#include "core/judgment_correction.hpp"
#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/correction_messages.hpp"

/// The JSON of messages/correction_messages.hpp. Requesters and auditors see who has judged; of
/// authors who correct their own judgments nothing is told but what they have handed in.
namespace holdfast::http {

namespace sentence {
inline constexpr std::string_view correction_id =
    "The id of the correction. To send the same request again with it succeeds and changes "
    "nothing.";
inline constexpr std::string_view correction_reason =
    "Why, for people: 1 to 512 bytes. It is stored with the correction.";
} // namespace sentence

template <class Fields>
void describe(Fields& f, msg::reopen_unit& x) {
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, "The finished unit that is judged again.");
  f.required("reason", x.reason, sentence::correction_reason);
  f.optional("judgments", bounded{x.judgments, 1, core::reopen_judgments_max},
             "How many more judgments are asked for. Default: 1.");
  f.made("id", x.correction, sentence::correction_id);
}

template <class Fields>
void describe(Fields& f, msg::override_result& x) {
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, "The unit whose result you give; it may be open or finished.");
  f.required("answer", document{x.answer},
             "The answer: the value that a judgment would have at the step's answer pointer.");
  f.optional("corrected_to", document{x.corrected_to},
             "In a step that reviews, where `answer` is `correct`: the answer that there should "
             "be.");
  f.required("reason", x.reason, sentence::correction_reason);
  f.made("id", x.correction, sentence::correction_id);
}

template <class Fields>
void describe(Fields& f, msg::taint_judgment& x) {
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, sentence::unit);
  f.required("judgment_id", x.judgment, "The judgment that counts no more.");
  f.required("reason", x.reason, sentence::correction_reason);
  f.made("id", x.correction, sentence::correction_id);
}

template <class Fields>
void describe(Fields& f, msg::reinstate_judgment& x) {
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, sentence::unit);
  f.required("judgment_id", x.judgment, "The judgment that counts again.");
  f.required("reason", x.reason, sentence::correction_reason);
  f.made("id", x.correction, sentence::correction_id);
}

template <class Fields>
void describe(Fields& f, msg::unit_corrected& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.required("id", x.correction, "The correction.");
  f.required("what", x.what, "`reopened`, `overridden`, `tainted` or `reinstated`.");
  f.required("judgments_wanted", x.judgments_wanted,
             "How many judgments were asked for by the correction.");
  f.required("took_back", x.took_back,
             "A result was taken back, and what was made from it is withdrawn.");
  f.required("is_open", x.is_open, "The unit was worked on after the correction.");
  f.required("changed", x.changed,
             "False: there was nothing to do, such as for a judgment that counts no more already.");
}

template <class Fields>
void describe(Fields& f, msg::list_corrections& x) {
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, sentence::unit);
}

template <class Fields>
void describe(Fields& f, msg::correction_view& x) {
  f.required("number", x.number, "The place among the corrections of the unit, from 1.");
  f.required("id", x.correction, "The correction.");
  f.required("what", x.what, "`reopened`, `overridden`, `tainted` or `reinstated`.");
  f.optional("judgment_id", x.judgment, "The judgment; left out where it is about the unit.");
  f.optional("contributor_id", x.contributor, "Who gave that judgment.");
  f.required("by", x.by, "Who has asked for it, as the audit log names them; empty: a node.");
  f.required("reason", x.reason, "Why.");
  f.optional("answer", x.answer, "Of an override: the answer, as aggregation counts it.");
  f.required("at", x.at, "When.");
  f.required("judgments_wanted", x.judgments_wanted, "How many judgments it has asked for.");
  f.required("took_back", x.took_back, "A result was taken back by it.");
}

template <class Fields>
void describe(Fields& f, msg::kept_judgment& x) {
  f.required("judgment_id", x.judgment, "The judgment that its author has corrected.");
  f.required("number", x.number, "The number of the correction; 0: what was handed in at first.");
  f.required("applied", x.applied,
             "False: it is only kept, because the judgment was used or must stay as it is.");
  f.required("answer", x.answer, "The part of it that would be counted.");
  f.required("data", document{x.payload}, "What was handed in.");
  f.required("at", x.at, "When it was handed in.");
}

template <class Fields>
void describe(Fields& f, msg::correction_list& x) {
  f.required("unit_id", x.unit, sentence::unit);
  f.required("corrections", x.corrections, "The corrections of the unit in order, 100 at most.");
  f.required("judgments", x.judgments,
             "What authors have handed in for judgments that they have corrected.");
}

template <class Fields>
void describe(Fields& f, msg::correct_judgment& x) {
  f.required("judgment_id", x.judgment, "The judgment that you have handed in.");
  f.required("step_id", x.step, sentence::step_of_unit);
  f.required("unit_id", x.unit, "The unit that you have judged.");
  f.caller("contributor_id", x.contributor, sentence::contributor);
  f.optional("number", bounded{x.number, 1, core::judgment_corrections_max},
             "1 for the first correction of the judgment, 2 for the next. The same number again "
             "is a repetition and changes nothing. Default: 1.");
  f.required("data", document{x.payload}, "The judgment as it should be, by the step's schema.");
}

template <class Fields>
void describe(Fields& f, msg::judgment_corrected& x) {
  f.required("judgment_id", x.judgment, "The judgment.");
  f.required("number", x.number, "The number of the correction.");
  f.required("repeated", x.repeated, "The correction had been accepted before.");
}

} // namespace holdfast::http
