#pragma once

#include "core/ids.hpp"
#include "core/time.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Requests about removals of contributors from a step, a workflow or everywhere.
namespace holdfast::msg {

/// Takes a contributor off a step, a workflow, or everywhere where both are nil. Replaces what was
/// said of the same place before. Answered by `removal_view`; `not_found` when there is no such
/// workflow or step; `payload_invalid` lists every problem with its place. Counts at once in the
/// steps of the node that decides, and within seconds in all others.
struct put_removal {
  core::contributor_id contributor;
  core::workflow_id workflow;  ///< Nil: of a step, or everywhere.
  core::step_id step;          ///< Nil: of a workflow, or everywhere. One of the two at most.
  core::instant until;         ///< Ends then by itself; the epoch: not at an instant.
  core::duration lasts{0};     ///< Ends after that; 0: not after a time.
  bool keep_judgments = false; ///< What they said goes on counting in units that are not finished.
  std::string reason;          ///< Up to 512 bytes, for requesters and auditors.
};
HOLDFAST_WIRE(put_removal, x.contributor, x.workflow, x.step, x.until, x.lasts, x.keep_judgments,
              x.reason)

/// Ends a removal from the place: they may work there again, unless another removal reaches it, or
/// their answers to test questions speak against them. What the removal took out of units that are
/// not finished counts again where there is room. Of a step it also ends what `remove_contributor`
/// did. Answered by `removal_view`; the same again changes nothing.
struct reinstate_contributor {
  core::contributor_id contributor;
  core::workflow_id workflow; ///< As in `put_removal`, like `step`.
  core::step_id step;
};
HOLDFAST_WIRE(reinstate_contributor, x.contributor, x.workflow, x.step)

/// A removal. Instants of the epoch: never.
struct removal_view {
  core::contributor_id contributor;
  std::string scope; ///< `step`, `workflow` or `everywhere`.
  core::workflow_id workflow;
  core::step_id step;
  std::string state; ///< `active`, `over` or `reinstated`.
  bool keeps_judgments = false;
  std::string reason;
  std::string by; ///< Who said so, where that is known.
  core::instant at;
  core::instant until;
  core::instant reinstated_at;
};
HOLDFAST_WIRE(removal_view, x.contributor, x.scope, x.workflow, x.step, x.state, x.keeps_judgments,
              x.reason, x.by, x.at, x.until, x.reinstated_at)

/// Answered by `removal_page`: those of the contributor, active or not.
struct list_removals {
  core::contributor_id contributor;
  std::uint32_t limit = 100; ///< 1 to 1,000.
};
HOLDFAST_WIRE(list_removals, x.contributor, x.limit)

struct removal_page {
  std::vector<removal_view> removals; ///< Of steps, then of workflows, then from everywhere.
  bool more = false;                  ///< There are others behind them.
};
HOLDFAST_WIRE(removal_page, x.removals, x.more)

} // namespace holdfast::msg
