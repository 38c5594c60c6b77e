#include "core/explanation.hpp"

#include "core/offering.hpp"
#include "core/time_text.hpp"
#include "core/unit_tasks.hpp"

namespace holdfast::core {

namespace {

std::string people(std::size_t count) {
  return count == 1 ? "1 contributor" : std::to_string(count) + " contributors";
}

void explain_end(const unit_record& unit, const std::vector<way>& ways,
                 std::vector<reason>& reasons) {
  if (unit.state == unit_state::canceled && !unit.result.empty())
    return reasons.push_back({"withdrawn", "the result that it was made from was taken back"});
  if (unit.state == unit_state::canceled)
    return reasons.push_back({"canceled", "it was canceled"});
  if (unit.state == unit_state::gathered && unit.batch)
    return reasons.push_back({"in_batch", "it is part of the batch " + to_string(unit.batch)});
  reasons.push_back({"finalized", "it has its result"});
  if (unit.overridden)
    reasons.push_back({"overridden", "its requester has said what the result is: list its "
                                     "corrections to see who, and why"});
  if (ways.empty())
    return reasons.push_back({"chain_ended", "its step leads to no other"});
  if (unit.route == no_route || static_cast<std::size_t>(unit.route) >= ways.size())
    return reasons.push_back({"chain_ended", "no route was for it"});
  const auto& to = ways[static_cast<std::size_t>(unit.route)].rule.to;
  std::string steps;
  for (const auto& key : to)
    steps += (steps.empty() ? "" : ", ") + key;
  if (to.empty())
    reasons.push_back({"chain_ended", "its route ends the chain"});
  else
    reasons.push_back({"went_on", "it went on to " + steps});
}

reason step_paused(const step_row& step, const std::string& which) {
  return {"step_paused", which + " step is paused"
                             + (step.job != job_status::paused ? ": resume it"
                                : step.job_revision == 0       ? ": its job is not launched yet"
                                                               : ", as its job is")};
}

/// For whom `free` slots of a unit wait.
reason wanted(const workforce& workers, std::size_t free) {
  auto text = "it waits for " + people(free) + " to ask for work";
  if (workers.asks.ask_nothing())
    return {"waiting", std::move(text)};
  text += "; they need " + text_of(workers.asks);
  const auto& [known, eligible] = workers.looked_up;
  if (known == 0)
    return {"waiting", std::move(text)};
  text += "; " + std::to_string(eligible) + " of " + std::to_string(known)
          + " that the step looked up within the last minute have that";
  return {eligible == 0 ? "no_eligible_contributor" : "waiting", std::move(text)};
}

void explain_open(const step_row& step, const unit_record& unit, const workforce& workers,
                  instant now, std::vector<reason>& reasons) {
  if (step.status == step_status::canceled)
    reasons.push_back({"step_canceled", "its step was canceled"});
  if (step.status == step_status::paused)
    reasons.push_back(step_paused(step, "its"));
  if (unit.state == unit_state::paused)
    reasons.push_back({"paused", "it is paused: resume it"});
  if (unit.state == unit_state::gathered)
    return reasons.push_back({"waits_for_batch",
                              "it waits to be part of a batch: for more units, or "
                              "for all that lead to its step to be complete"});
  if (is_test_question(unit))
    reasons.push_back({"test_question", "it is a test question: it is never finished"});
  if (ready_to_aggregate(unit)) {
    reasons.push_back({"judged", "all its judgments are in: it is about to get its result"});
    return;
  }
  std::size_t tainted = 0;
  for (const auto& j : unit.judgments)
    tainted += j.taint_requested ? 1 : 0;
  if (tainted > 0)
    reasons.push_back({"judgments_tainted",
                       std::to_string(tainted)
                           + " of its judgments do not count by request: list its corrections to "
                             "see who has asked, and why"});
  for (const auto& lease : unit.leases.active)
    reasons.push_back(
        is_task_judge(lease.owner) ? reason{"task", "task " + to_string(lease.id) + " has it until "
                                                        + to_rfc3339(lease.expires_at)}
        : lease.held_at(now)
            ? reason{"leased", lease.owner + " has it until " + to_rfc3339(lease.expires_at)}
            : reason{"lease_ran_out", "the lease of " + lease.owner + " ran out at "
                                          + to_rfc3339(lease.expires_at)
                                          + " and is about to be ended"});
  std::size_t barred = 0;
  for (const auto& bar : unit.bars)
    barred += now < bar.until ? 1 : 0;
  if (barred > 0)
    reasons.push_back({"barred", people(barred)
                                     + " had a part in it, in its chain, or declined: "
                                       "it needs others"});
  if (const auto free = free_slots(unit); free > 0 && !is_test_question(unit))
    reasons.push_back(wanted(workers, free));
}

reason not_eligible(const contributor_id& contributor, const std::vector<std::string>& lacks) {
  return {"not_eligible", contributor + " may not work in the step: " + text_of_lacks(lacks)};
}

/// What keeps the contributor from every unit of the step, whichever it is; nothing if they may
/// work there. A test question that they get first is nothing of the kind.
std::optional<reason> kept_out(const candidate& who) {
  if (who.next.refusal == errc::damaged)
    return reason{"standing_unreadable",
                  who.contributor + " gets nothing: their standing in the step cannot be read"};
  if (who.barred)
    return reason{"removed", text_of(*who.barred)};
  if (who.next.refusal == errc::not_qualified)
    return reason{"removed", who.contributor + " was removed from the step"};
  if (!who.lacks.empty())
    return not_eligible(who.contributor, who.lacks);
  if (who.next.refusal != errc::none)
    return reason{"quiz_stalled", who.contributor
                                      + " cannot go on with the quiz: they hold its questions "
                                        "unanswered, or there are too few of them"};
  return std::nullopt;
}

void explain_for(const step_row& step, const unit_record& unit, const lease_policy& policy,
                 const candidate& who, instant now, std::vector<reason>& reasons) {
  const auto kept = kept_out(who);
  if (kept)
    reasons.push_back(*kept);
  else if (who.next.question && *who.next.question != unit.id)
    reasons.push_back({"test_due", who.contributor + " gets a test question first"});
  auto tried = unit;
  const auto asked = decide(tried, policy, ask{who.contributor, {}, 0}, now);
  if (asked.refusal == errc::none) {
    // Why the step gives nothing to anybody is told already.
    if (!kept && step.status == step_status::open)
      reasons.push_back({"open_to_them", who.contributor + " may have it"});
    return;
  }
  const auto until = barred_until(unit, who.contributor, now);
  if (asked.refusal == errc::already_judged)
    reasons.push_back({"judged_by_them", who.contributor + " has judged it"});
  else if (asked.refusal == errc::already_exists)
    reasons.push_back({"held_by_them", who.contributor + " has it"});
  else if (until == instant::max())
    reasons.push_back({"barred_for_them", who.contributor
                                              + " never gets it: they declined it, or "
                                                "judged another unit of its chain"});
  else if (until > now)
    reasons.push_back(
        {"barred_for_them", who.contributor + " does not get it before " + to_rfc3339(until)});
}

} // namespace

std::vector<reason> explain(const step_row& step, const contributor_board& board,
                            const ready_set& ready, const contributor_id& contributor,
                            const std::vector<std::string>& lacks, instant now,
                            const std::optional<removal>& barred) {
  std::vector<reason> reasons;
  if (step.status == step_status::canceled)
    reasons.push_back({"step_canceled", "the step was canceled"});
  if (step.status == step_status::completed)
    reasons.push_back({"step_completed", "the step is complete"});
  if (step.status == step_status::paused)
    reasons.push_back(step_paused(step, "the"));
  const auto next = board.next_for(contributor, ready.ready_units() > 0);
  if (next.refusal == errc::damaged) {
    reasons.push_back({"standing_unreadable", board.held(contributor).detail});
    return reasons;
  }
  if (barred) {
    reasons.push_back({"removed", text_of(*barred)});
    return reasons;
  }
  if (next.refusal == errc::not_qualified) {
    reasons.push_back({"removed", contributor + " was removed from the step"});
    return reasons;
  }
  if (!lacks.empty()) {
    reasons.push_back(not_eligible(contributor, lacks));
    return reasons;
  }
  const auto again = offered_again(board, ready, contributor, now);
  if (again && !board.is_question(*again))
    reasons.push_back({"work", "there is a unit for " + contributor});
  else if (again)
    reasons.push_back({"test_due", contributor + " gets a test question next"});
  else if (next.refusal != errc::none)
    reasons.push_back({"quiz_stalled", contributor
                                           + " cannot go on with the quiz: they hold its questions "
                                             "unanswered, or there are too few of them"});
  else if (next.question)
    reasons.push_back({"test_due", contributor + " gets a test question next"});
  else if (ready.next_for(contributor, now))
    reasons.push_back({"work", "there is a unit for " + contributor});
  else if (ready.open_units() == 0)
    reasons.push_back({"no_units", step.sealed ? "all units of the step are finished"
                                               : "the step has no open unit: add source data"});
  else if (ready.ready_units() == 0)
    reasons.push_back({"no_slot", "every open unit is leased, judged or paused"});
  else if (const auto opens = ready.next_opening_for(contributor, now); opens != instant::max())
    reasons.push_back(
        {"barred", contributor
                       + " had a part in all units that have a free slot; one is open "
                         "to them again at "
                       + to_rfc3339(opens)});
  else
    reasons.push_back({"barred", contributor + " had a part in all units that have a free slot"});
  return reasons;
}

std::vector<reason> explain(const step_row& step, const unit_record& unit,
                            const lease_policy& policy, const std::vector<way>& ways,
                            const workforce& workers, const std::optional<candidate>& who,
                            instant now) {
  std::vector<reason> reasons;
  const bool waits = unit.state == unit_state::gathered && !unit.batch;
  if (is_open(unit.state) || waits)
    explain_open(step, unit, workers, now, reasons);
  else
    explain_end(unit, ways, reasons);
  if (who && is_open(unit.state))
    explain_for(step, unit, policy, *who, now, reasons);
  return reasons;
}

reason batch_put_off(const gathering::rest& rest) {
  return {"batch_put_off", "its batch could not be made, " + std::to_string(rest.times)
                               + (rest.times == 1 ? " time: " : " times: ") + rest.why
                               + "; it is tried again at " + to_rfc3339(rest.until)};
}

reason input_lost(const std::string& why) {
  return {"input_lost", "its input is lost: put the file back; " + why};
}

reason leases_full(const contributor_id& contributor, std::uint32_t most) {
  return {"leases_full", contributor + " has as many leases as may be at once, "
                             + std::to_string(most) + ": hand in or release some"};
}

} // namespace holdfast::core
