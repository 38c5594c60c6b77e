#pragma once

#include "core/change.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What became of an item of source data: every unit that was made from it, with all that happened
/// to each.
namespace holdfast::msg {

/// Reads the units of one item as committed, in order of creation. Answered by `unit_lineage`;
/// `not_found` if there is no such unit, or `after` is not of its item.
struct get_lineage {
  core::unit_id unit;      ///< Any unit of the item.
  core::unit_id after;     ///< The last one of the page before; nil: from the first.
  std::uint32_t limit = 0; ///< 1 to 100.
};
HOLDFAST_WIRE(get_lineage, x.unit, x.after, x.limit)

struct lineage_lease {
  core::assignment_id assignment;
  core::contributor_id contributor; ///< Or `task:QUEUE`, of a step whose judges are tasks.
  core::token token = 0;
  std::string status; ///< Active, Submitted, Expired, Released, Declined, Ejected, Canceled.
  core::instant granted_at;
  core::instant expires_at;
  core::instant ended_at; ///< 1970 while it is active.
};
HOLDFAST_WIRE(lineage_lease, x.assignment, x.contributor, x.token, x.status, x.granted_at,
              x.expires_at, x.ended_at)

struct lineage_judgment {
  core::judgment_id judgment;
  core::contributor_id contributor;
  std::string payload; ///< JSON; of an unreadable one, `{"problem":"..."}`: which row, and why.
  std::string answer;  ///< Empty for an unreadable one. What the step's aggregation counts.
  double trust = 1;    ///< In the contributor, when it came in.
  core::instant submitted_at;
  bool counts = true;       ///< False: it was tainted, or is surplus.
  core::instant tainted_at; ///< 1970 while it counts.
  std::string test;         ///< On a test question: right or wrong; else empty.
  std::string status;       ///< Counted, Late (it counts, too), Tainted or Surplus; or Unreadable.
  std::uint32_t trust_questions = 0; ///< Test questions that the trust rests on.
  /// What the contributor's accuracy is below with a chance of 5 %, by the same; 0: nobody is
  /// tested, or it is not known any more.
  double trust_low = 0;
};
HOLDFAST_WIRE(lineage_judgment, x.judgment, x.contributor, x.payload, x.answer, x.trust,
              x.submitted_at, x.counts, x.tainted_at, x.test, x.status, x.trust_questions,
              x.trust_low)

struct lineage_unit {
  core::unit_id unit;
  core::unit_id parent; ///< Nil for the first of its item.
  core::step_id step;
  std::string source_key;
  std::uint32_t part = 0;     ///< Place among what its parent's result made in this step.
  std::uint32_t loops = 0;    ///< How often its chain was sent back.
  std::uint32_t reopened = 0; ///< How many results of it were taken back.
  core::unit_state state = core::unit_state::judgable;
  bool test_question = false;
  std::uint32_t judgments_per_unit = 0; ///< Wanted so far; 0 for a test question.
  core::instant created_at;
  core::instant changed_at; ///< Of the last change of its state; 1970 for none.
  std::string input;        ///< JSON.
  std::string result;       ///< JSON; empty until finalized, like the following.
  double confidence = 0;
  std::int16_t route = core::no_route;        ///< Index of the route that it took on.
  std::string route_reason;                   ///< Why that one.
  std::vector<lineage_lease> leases;          ///< Of all times, in order of their grants.
  std::vector<lineage_judgment> judgments;    ///< With surplus, in order of submission.
  std::vector<core::contributor_id> excluded; ///< Who never gets it, for their part in its chain.
  std::uint32_t version = 0;                  ///< Of the workflow, under which its chain began.
  core::unit_id batch; ///< What a gathered unit is part of, perhaps of another item; or nil.
};
HOLDFAST_WIRE(lineage_unit, x.unit, x.parent, x.step, x.source_key, x.part, x.loops, x.reopened,
              x.state, x.test_question, x.judgments_per_unit, x.created_at, x.changed_at, x.input,
              x.result, x.confidence, x.route, x.route_reason, x.leases, x.judgments, x.excluded,
              x.version, x.batch)

struct unit_lineage {
  core::unit_id root; ///< The first unit of the item.
  std::vector<lineage_unit> units;
  bool more = false; ///< Ask again with `after` = the last unit.
};
HOLDFAST_WIRE(unit_lineage, x.root, x.units, x.more)

} // namespace holdfast::msg
