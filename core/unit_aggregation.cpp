// The decision of a unit that has all its judgments: its result, or one judgment more. Apart from
// the other decisions, because it builds on what follows from a result.

#include "core/unit.hpp"
#include "core/unit_result.hpp"

#include <utility>
#include <vector>

namespace holdfast::core {

decision<aggregated> decide(unit& u, const aggregation_policy& policy, const std::vector<way>& ways,
                            const aggregate_if_ready& command, instant now) {
  decision<aggregated> finalized;
  const bool needs_opinion = asks_model(policy.method);
  if (is_test_question(u) || !ready_to_aggregate(u)
      || (needs_opinion
          && (!command.opinion || command.opinion->judgments != counted_judgments(u))))
    return finalized;
  std::vector<trusted_answer> answers;
  answers.reserve(u.judgments.size());
  for (const auto& j : u.judgments)
    if (!j.tainted)
      answers.push_back({j.answer, j.trust, lot_of(u.id, j.contributor)});
  const auto consensus =
      aggregate_of(policy, answers, command.opinion ? &*command.opinion : nullptr);
  if (policy.stopping && !enough(*policy.stopping, consensus)) {
    ++u.slots;
    finalized.changes.writes.push_back(set_unit_slots{u.id, u.slots});
    return finalized;
  }
  u.state = unit_state::finalized;
  auto result = to_json(consensus);
  auto told = tell_result(u, ways, consensus, result, command.input, now);
  finalized.answer = {true, told.without_result};
  if (command.message.seq != 0)
    finalized.changes.writes.push_back(insert_inbox{command.consumer, command.message});
  finalized.changes.writes.push_back(finalize_unit{u.id, std::move(result), consensus.confidence,
                                                   now, told.taken.rule, told.taken.because});
  finalized.changes.events.push_back(std::move(told.event));
  return finalized;
}

} // namespace holdfast::core
