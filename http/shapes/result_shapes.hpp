#pragma once

#include "core/item_result.hpp"
#include "http/fields.hpp"
#include "http/shapes/step_words.hpp"
#include "messages/result_messages.hpp"

/// The JSON of messages/result_messages.hpp.
namespace holdfast::http {

inline const word_list& result_state_words() {
  using core::result_state;
  static const auto words =
      words_of_core({result_state::final, result_state::rejected, result_state::canceled,
                     result_state::superseded, result_state::gathered});
  return words;
}

template <class Fields>
void describe(Fields& f, msg::workflow_result& x) {
  auto position = core::to_string(core::result_place{x.ordinal, x.unit});
  f.required("source_key", x.source_key, "Your name for the item.");
  f.required("state", word{x.state, result_state_words()},
             "`final`: there is a result. `rejected`: a review rejected it, and nothing goes on. "
             "`canceled`: the unit, or the step that it leads to, was canceled. `superseded`: the "
             "result that the unit was made from was taken back. `gathered`: the unit is part of a "
             "batch of another item, which has the result.");
  f.optional("answer", document{x.answer},
             "The answer, of the type that people gave it in; left out where there is none.");
  f.optional("fields", document{x.fields},
             "By field, of a step whose judgments have several: the answer and its confidence.");
  f.required("confidence", x.confidence,
             "How sure the answer is, from 0 to 1, in the step in which it was found.");
  f.optional("votes", document{x.votes}, "How many judgments gave each answer there.");
  f.optional("answered_in", x.answered_in, "The key of the step in which the answer was found.");
  f.required("step", x.step, "The key of the step in which the chain of the item ended.");
  f.required("path", x.path, "The keys of the steps that the item went through, in order.");
  f.optional("verdict", x.verdict,
             "Of the review that ended the chain: `approve`, `correct` or `reject`.");
  f.optional("parts", x.parts,
             "Which item of each list the result is about, from 0: one number for each step that "
             "made a list into units.");
  f.optional("item", document{x.item}, "That item of the last list.");
  f.required("contributors", x.contributors,
             "Everybody whose judgments on the way count; pseudonyms where these were asked for.");
  f.required("judgments", x.judgments, "How many judgments that are.");
  f.required("loops", x.loops, "How often the item was sent back to an earlier step.");
  f.required("version", x.version, "The version of the workflow that the item follows.");
  f.required("ordinal", x.ordinal, "The place of the item in the order of arrival, from 1.");
  f.required("unit_id", x.unit, "The unit with which the chain ended.");
  f.required("root_id", x.root, "The first unit of the item.");
  f.optional("batch_id", x.batch, "Of a gathered unit: the batch that has the result.");
  f.required("created_at", x.created_at, "When the item came in.");
  f.required("ended_at", x.ended_at, "When the chain ended.");
  f.optional("input", document{x.input}, "The data of the item, as they came in.");
  f.required("position", position,
             "Send this as `after` to go on behind this result, where a file was cut.");
  f.optional("problem", x.problem,
             "What of the result the database does not give back; left out where all is there.");
}

template <class Fields>
void describe(Fields& f, msg::workflow_result_page& x) {
  f.required("results", x.results, "The results, in the order in which their items came.");
  f.required(
      "last", x.last,
      "Send this as `after` to go on, also later: it stays good while the workflow goes on.");
  f.required("more", x.more, "Others follow now. A page may be empty and yet have others behind.");
}

} // namespace holdfast::http
