#include "core/judgment_correction.hpp"

#include "core/time_text.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

using refused_correction = decision<corrected_judgment>;

refused_correction refuse_correction(errc code, std::string detail) {
  return refuse<corrected_judgment>(code, std::move(detail));
}

/// Why the judgment stays as it is, whatever the unit is.
refused_correction objection_to(const judgment_mark& j, const judgment_correction_rules& rules,
                                const correct_judgment& command, instant now) {
  if (j.late)
    return refuse_correction(errc::wrong_state,
                             "the judgment came after its lease: such a one cannot be corrected");
  if (!rules.within)
    return refuse_correction(errc::wrong_state, "the step lets nobody correct a judgment: its "
                                                "definition has no correct_within_seconds");
  if (command.removed)
    return refuse_correction(errc::not_qualified, "the contributor was removed from the step");
  if (command.number < j.corrected)
    return refuse_correction(errc::already_exists, "correction " + std::to_string(j.corrected)
                                                       + " of the judgment is in already");
  if (command.number != j.corrected + 1U)
    return refuse_correction(errc::invalid_argument,
                             "number must be " + std::to_string(j.corrected + 1U)
                                 + ", that of the next correction of the judgment");
  if (command.number > judgment_corrections_max)
    return refuse_correction(errc::limit_reached, "a judgment may be corrected "
                                                      + std::to_string(judgment_corrections_max)
                                                      + " times");
  if (now >= j.submitted_at + *rules.within)
    return refuse_correction(errc::wrong_state, "the judgment could be corrected until "
                                                    + to_rfc3339(j.submitted_at + *rules.within));
  return {};
}

} // namespace

decision<corrected_judgment> decide(unit& u, const judgment_correction_rules& rules,
                                    const correct_judgment& command, instant now) {
  const auto found =
      std::find_if(u.judgments.begin(), u.judgments.end(), [&](const judgment_mark& j) {
        return j.id == command.judgment && j.contributor == command.contributor;
      });
  if (found == u.judgments.end()) {
    const bool surplus = std::any_of(u.lapsed.begin(), u.lapsed.end(), [&](const auto& l) {
      return l.contributor == command.contributor && l.surplus && l.surplus == command.judgment;
    });
    return surplus ? objection_to(judgment_mark{{}, {}, 0, {}, 1, false, {}, {}, {}, {}, true},
                                  rules, command, now)
                   : refuse_correction(errc::not_found,
                                       "the contributor has no judgment of this id on the unit");
  }
  auto& j = *found;
  if (command.number > 0 && command.number == j.corrected)
    return {errc::none, {j.id, true, false}, {}, {}};
  if (auto refused = objection_to(j, rules, command, now); refused.refusal != errc::none)
    return refused;
  if (u.state == unit_state::canceled && !rules.hides_questions)
    return refuse_correction(errc::wrong_state, "the unit is canceled");
  if (u.state == unit_state::finalized && !rules.hides_questions)
    return refuse_correction(errc::wrong_state, "the judgment is used: the unit has its result");
  decision<corrected_judgment> done;
  done.answer = {j.id, false, is_open(u.state) && !is_test_question(u)};
  done.changes.writes.push_back(
      insert_judgment_correction{j.id, u.id, j.contributor, command.number, command.payload,
                                 command.answer, now, done.answer.applied});
  j.corrected = static_cast<std::uint8_t>(command.number);
  if (done.answer.applied)
    j.answer = command.answer;
  return done;
}

} // namespace holdfast::core
