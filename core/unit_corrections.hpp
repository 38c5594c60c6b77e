#pragma once

#include "core/repair.hpp"
#include "core/unit.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What somebody in charge corrects about one unit: a finished unit is judged again, its result is
/// overridden, one of its judgments counts no more or counts again.
namespace holdfast::core {

/// Who corrects, and why.
struct correction_author {
  correction_id id;         ///< Chosen by the caller.
  std::uint32_t number = 1; ///< Of this correction, among those of its unit.
  std::string by;           ///< The principal; empty: a node's own request.
  std::string reason;       ///< For people.
};

/// A finished unit is judged again: it asks for so many more judgments, and those that it has go on
/// counting. What was made from its result is withdrawn, as by a repair.
struct reopen_finished {
  std::uint32_t judgments = 1; ///< 1 to `reopen_judgments_max`.
};

/// The requester says what the result is. An open unit gets it at once, and its leases end. Of a
/// finished unit the result that was there is taken back, unless it gives the same answer and takes
/// the same route: then only what is stored of it changes.
struct override_result {
  std::string answer;     ///< As aggregation counts it.
  std::string correction; ///< JSON; of a review that corrects.
  input_values input{};   ///< Of the unit, where a route asks about its input.
};

/// One judgment counts no more. An open unit asks for another one in its place; a finished unit is
/// repaired without it.
struct taint_one {
  judgment_id judgment;
};

/// One judgment counts again, also where another one has taken its slot. A finished unit is
/// repaired with it.
struct reinstate_one {
  judgment_id judgment;
  bool removed = false; ///< Its contributor is removed from the step.
};

struct correction_command {
  correction_author author;
  std::variant<reopen_finished, override_result, taint_one, reinstate_one> what;
};

/// The rules of the step.
struct correction_rules {
  const lease_policy& lease;
  const aggregation_policy& aggregation;
  const std::vector<way>& ways;
  repair_policy repair = repair_policy::refill;
};

/// What a correction did. Without changes there was nothing to do, such as for a judgment that
/// counts no more already.
using corrected = decision<correction_row>;

/// Corrects a unit that is open. Refuses with `wrong_state` a reopening, test questions (forgive
/// these), units that are canceled or gathered, and to reinstate somebody who is removed; with
/// `not_found` a judgment that the unit does not have, or that is kept as surplus; and with
/// `unavailable` a unit that is finished: look at it again.
///
/// Whether the same request was carried out before is not decided here: whoever has the rows of
/// earlier corrections knows it.
corrected correct(unit& u, const correction_rules& rules, const correction_command& command,
                  instant now);

/// The result of a finished unit as it is stored.
struct finished_result {
  standing_result standing;
  /// JSON: what the judgments gave, of a result that was overridden already; empty: they gave none.
  std::string before_override{};
  /// Of the step's model, where the method asks one, after the correction.
  std::optional<model_opinion> opinion{};
};

/// Corrects a unit that is finished, with the same refusals.
corrected correct_finished(unit_record& u, const correction_rules& rules,
                           const correction_command& command, const finished_result& was,
                           instant now);

/// The judgment that the command is about; nil where it is about the whole unit.
judgment_id judgment_of(const correction_command& command);

} // namespace holdfast::core
