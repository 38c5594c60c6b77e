#pragma once

#include "core/correction_row.hpp"
#include "messages/inspect.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// What somebody in charge corrects about one unit, what an author corrects about a judgment, and
/// what there is of both.
///
/// A correction by somebody in charge has an id that the caller chooses: the same request again
/// succeeds and changes nothing; another request under the id is `already_exists`. Units that are
/// test questions, canceled or part of a batch are refused with `wrong_state`.
namespace holdfast::msg {

/// Has a finished unit judged again: it asks for more judgments, and those that it has go on
/// counting. What was made from its result is withdrawn. Answered by `unit_corrected`;
/// `wrong_state` when the unit has no result.
struct reopen_unit {
  core::step_id step;
  core::unit_id unit;
  core::correction_id correction;
  std::uint32_t judgments = 1; ///< How many more: 1 to 100.
  std::string reason;          ///< For people: 1 to 512 bytes.
};
HOLDFAST_WIRE(reopen_unit, x.step, x.unit, x.correction, x.judgments, x.reason)

/// Says what the result of a unit is, whether or not it has one. An open unit is finished by that,
/// and its leases end. Another result is taken back, and what was made from it is withdrawn. No
/// later repair changes the result. Answered by `unit_corrected`; `payload_invalid` when no
/// judgment of the step could give the answer.
struct override_result {
  core::step_id step;
  core::unit_id unit;
  core::correction_id correction;
  std::string answer;       ///< JSON: the value at the step's answer pointer.
  std::string corrected_to; ///< JSON; of a review whose answer is `correct`, else empty.
  std::string reason;       ///< For people: 1 to 512 bytes.
};
HOLDFAST_WIRE(override_result, x.step, x.unit, x.correction, x.answer, x.corrected_to, x.reason)

/// One judgment counts no more. An open unit asks for another one; a finished unit is repaired
/// without it. Answered by `unit_corrected`; `not_found` when the unit has no such judgment that
/// could count.
struct taint_judgment {
  core::step_id step;
  core::unit_id unit;
  core::judgment_id judgment;
  core::correction_id correction;
  std::string reason; ///< For people: 1 to 512 bytes.
};
HOLDFAST_WIRE(taint_judgment, x.step, x.unit, x.judgment, x.correction, x.reason)

/// One judgment counts again, also where another one has taken its slot. Answered by
/// `unit_corrected`; `wrong_state` when its contributor is removed from the step.
struct reinstate_judgment {
  core::step_id step;
  core::unit_id unit;
  core::judgment_id judgment;
  core::correction_id correction;
  std::string reason; ///< For people: 1 to 512 bytes.
};
HOLDFAST_WIRE(reinstate_judgment, x.step, x.unit, x.judgment, x.correction, x.reason)

/// What a correction did, as committed.
struct unit_corrected {
  core::unit_id unit;
  core::correction_id correction;
  std::string what;                   ///< reopened, overridden, tainted or reinstated.
  std::uint32_t judgments_wanted = 0; ///< Asked for by it.
  bool took_back = false; ///< A result was taken back, and what was made from it is withdrawn.
  bool is_open = false;   ///< The unit was worked on after it.
  bool changed = true;    ///< False: there was nothing to do, and nothing is noted.
};
HOLDFAST_WIRE(unit_corrected, x.unit, x.correction, x.what, x.judgments_wanted, x.took_back,
              x.is_open, x.changed)

/// Reads what was corrected of a unit, as committed. Answered by `correction_list`; `not_found` if
/// the step has no such unit.
struct list_corrections {
  core::step_id step;
  core::unit_id unit;
};
HOLDFAST_WIRE(list_corrections, x.step, x.unit)

struct correction_view {
  std::uint32_t number = 0; ///< In order, from 1.
  core::correction_id correction;
  std::string what;                 ///< As in `unit_corrected`.
  core::judgment_id judgment;       ///< Nil where it is about the whole unit.
  core::contributor_id contributor; ///< Who gave the judgment; empty likewise.
  std::string by;                   ///< The principal, as the audit log names it; empty: a node.
  std::string reason;
  std::string answer; ///< Of an override: the answer, as aggregation counts it.
  core::instant at;
  std::uint32_t judgments_wanted = 0;
  bool took_back = false;
};
HOLDFAST_WIRE(correction_view, x.number, x.correction, x.what, x.judgment, x.contributor, x.by,
              x.reason, x.answer, x.at, x.judgments_wanted, x.took_back)

/// What was handed in for a judgment that its author has corrected.
struct kept_judgment {
  core::judgment_id judgment;
  std::uint32_t number = 0; ///< 0: what came first.
  bool applied = true;      ///< False: it is only kept, as the judgment was used or must stay.
  std::string answer;
  std::string payload; ///< JSON.
  core::instant at;
};
HOLDFAST_WIRE(kept_judgment, x.judgment, x.number, x.applied, x.answer, x.payload, x.at)

struct correction_list {
  core::unit_id unit;
  std::vector<correction_view> corrections; ///< In order; 100 at most.
  std::vector<kept_judgment> judgments;     ///< By judgment and number.
};
HOLDFAST_WIRE(correction_list, x.unit, x.corrections, x.judgments)

/// The author of a judgment hands in another payload, within the time that the step gives
/// (`correct_within_seconds`) and as long as the judgment is not used. Answered by
/// `judgment_corrected`. The same number again is a repetition and changes nothing. In a step with
/// test questions the answer says nothing of whether the judgment was used already.
struct correct_judgment {
  core::step_id step;
  core::unit_id unit;
  core::contributor_id contributor;
  core::judgment_id judgment;
  std::uint32_t number = 1; ///< 1 for the first correction of the judgment, then 2, …: 20 at most.
  std::string payload;      ///< JSON, by the step's schema.
};
HOLDFAST_WIRE(correct_judgment, x.step, x.unit, x.contributor, x.judgment, x.number, x.payload)

struct judgment_corrected {
  core::judgment_id judgment;
  std::uint32_t number = 0;
  bool repeated = false; ///< It had been accepted before.
};
HOLDFAST_WIRE(judgment_corrected, x.judgment, x.number, x.repeated)

} // namespace holdfast::msg
