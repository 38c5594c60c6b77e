#pragma once

#include "core/ids.hpp"
#include "core/item_result.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What comes out of a workflow: what has become of each item of source data, where its chain ends.
namespace holdfast::msg {

/// Lists the ends of all items of a workflow, as committed, in the order in which the items came.
/// That order does not change while the workflow goes on, so that a list may be continued later;
/// what ends behind the place that was reached is in the list from the first place on alone.
/// Answered by `workflow_result_page`.
struct list_workflow_results {
  core::workflow_id workflow;
  std::string after;         ///< `last` of the page before; empty: from the first.
  std::uint32_t limit = 0;   ///< 1 to 1000. A page may have fewer, also when others follow.
  std::uint8_t states = 0;   ///< Bits of `core::result_state`; 0: `final` alone.
  bool pseudonyms = false;   ///< In place of the names of contributors.
  bool leave_inputs = false; ///< Without `input`, which is what is long.
};
HOLDFAST_WIRE(list_workflow_results, x.workflow, x.after, x.limit, x.states, x.pseudonyms,
              x.leave_inputs)

struct workflow_result {
  core::unit_id unit;        ///< With which the chain ended.
  core::unit_id root;        ///< The first unit of the item.
  std::uint64_t ordinal = 0; ///< Place of the item in the order in which they came, from 1.
  std::string source_key;
  core::result_state state = core::result_state::final;
  std::string step;                 ///< The key of the step in which the chain ended.
  std::vector<std::string> path;    ///< Keys of the steps that the chain went through, to that one.
  std::vector<std::uint32_t> parts; ///< Which item of each list on the way, from 0.
  std::string input;                ///< JSON, of the item; empty: left out, or unreadable.
  std::string item;        ///< JSON: the item of the last list on the way; empty: there was none.
  std::string answer;      ///< JSON of its own type; empty: there is none.
  std::string fields;      ///< JSON: by field, of a step whose judgments have several; else empty.
  std::string votes;       ///< JSON: how many judgments gave each answer; else empty.
  double confidence = 0;   ///< Of the answer, where it was found.
  std::string answered_in; ///< The key of the step where it was found; empty without one.
  std::string verdict;     ///< Of the review that ended the chain; else empty.
  std::vector<core::contributor_id> contributors; ///< To the chain; judgments that count.
  std::uint32_t judgments = 0;                    ///< So many of these.
  std::uint32_t loops = 0;                        ///< How often the chain was sent back.
  std::uint32_t version = 0;                      ///< Of the workflow, that the item follows.
  core::unit_id batch;      ///< Of a gathered unit: the batch that has the result.
  core::instant created_at; ///< When the item came in.
  core::instant ended_at;   ///< When the chain ended.
  std::string problem; ///< What of it the database does not give back; empty: nothing is missing.
};
HOLDFAST_WIRE(workflow_result, x.unit, x.root, x.ordinal, x.source_key, x.state, x.step, x.path,
              x.parts, x.input, x.item, x.answer, x.fields, x.votes, x.confidence, x.answered_in,
              x.verdict, x.contributors, x.judgments, x.loops, x.version, x.batch, x.created_at,
              x.ended_at, x.problem)

struct workflow_result_page {
  std::vector<workflow_result> results;
  std::string last;  ///< Ask again with `after` = this, also later, for what has come since.
  bool more = false; ///< There are others behind it now.
};
HOLDFAST_WIRE(workflow_result_page, x.results, x.last, x.more)

} // namespace holdfast::msg
