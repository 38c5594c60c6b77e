#pragma once

#include "core/unit.hpp"

#include <cstdint>
#include <optional>
#include <string>

/// The author of a judgment hands in another payload, as long as the judgment is not used.
namespace holdfast::core {

/// Corrections of one judgment, so that nobody fills the database with them.
inline constexpr std::uint32_t judgment_corrections_max = 20;

/// The rules of the step.
struct judgment_correction_rules {
  std::optional<duration> within{}; ///< After the submission; none: nobody may correct.
  /// The step has test questions: nothing may tell them from other units.
  bool hides_questions = false;
};

struct correct_judgment {
  contributor_id contributor;
  judgment_id judgment;
  /// The first correction is number 1, the next number 2: the same number again is a repetition.
  std::uint32_t number = 1;
  std::string payload; ///< Valid against the step's schema; perhaps a reference.
  std::string answer;
  bool removed = false; ///< The contributor may no longer work in the step.
};

struct corrected_judgment {
  judgment_id judgment;
  bool repeated = false;
  bool applied = false; ///< The judgment says this from now on. Nobody outside may hear of it.
};

/// Puts another payload in the place of the judgment's, whose verdicts and trust stay as they are.
///
/// Where the step has test questions, a correction that comes too late to be used is kept and
/// answered like any other one: units that are finished soon would else be told from test
/// questions, which never are. What is said to a test question stays evidence, so a correction of
/// it is kept, too.
///
/// Refuses with `not_found` (no judgment of the contributor has this id), `wrong_state` (the step
/// lets nobody correct; the judgment came late; the time is over; where there are no test
/// questions, the unit is canceled or finished), `not_qualified` (the contributor is removed),
/// `already_exists` (a later correction is in), `invalid_argument` (a number was left out) and
/// `limit_reached`. A repetition is not refused, and its payload is not compared.
decision<corrected_judgment> decide(unit& u, const judgment_correction_rules& rules,
                                    const correct_judgment& command, instant now);

} // namespace holdfast::core
