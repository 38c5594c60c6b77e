#include "core/unit_corrections.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/review.hpp"
#include "core/time_text.hpp"
#include "core/unit_result.hpp"

#include <algorithm>
#include <map>

namespace holdfast::core {

namespace {

judgment_mark* marked(unit& u, const judgment_id& id) {
  const auto found = std::find_if(u.judgments.begin(), u.judgments.end(),
                                  [&](const judgment_mark& j) { return j.id == id; });
  return found == u.judgments.end() ? nullptr : &*found;
}

correction_row correction_of(const unit& u, const correction_command& command, correction_kind kind,
                             instant now) {
  correction_row row;
  row.id = command.author.id;
  row.number = command.author.number;
  row.step = u.step;
  row.unit = u.id;
  row.kind = kind;
  row.by = command.author.by;
  row.reason = command.author.reason;
  row.at = now;
  return row;
}

/// The row is written with what it did.
corrected& written(corrected& done, const unit& u) {
  done.answer.is_open = is_open(u.state);
  done.changes.writes.push_back(insert_correction{done.answer});
  return done;
}

/// Why nobody corrects the unit, whatever its result.
corrected objection_to(const unit& u) {
  if (is_test_question(u))
    return refuse<correction_row>(
        errc::wrong_state, "the unit is a test question: forgive it, or remove a contributor");
  if (u.state == unit_state::canceled || u.state == unit_state::gathered)
    return refuse<correction_row>(errc::wrong_state,
                                  "the unit is " + std::string{to_string(u.state)});
  return {};
}

/// All leases end as when the unit is canceled: their holders hear that it is over.
void end_leases(unit& u, const lease_policy& policy, instant now, change& changes) {
  const auto live = u.leases.active;
  for (const auto& held : live) {
    const auto ended = end_lease(u.leases, held.owner);
    note_ended(u, policy, held.owner, ended.token, lease_end::canceled);
    u.bars.erase(std::remove_if(u.bars.begin(), u.bars.end(),
                                [&](const bar& b) { return b.contributor == held.owner; }),
                 u.bars.end());
    u.bars.push_back({held.owner, barred_until(policy, lease_end::canceled, now)});
    changes.writes.push_back(
        end_lease_row{u.id, held.owner, ended.token, lease_end::canceled, now});
  }
}

/// The consensus that there would be if everybody had said so.
aggregate given_by(const correction_rules& rules, const override_result& command) {
  aggregate given;
  given.method = rules.aggregation.method;
  given.answer = command.answer;
  given.correction = command.correction;
  given.confidence = given.posterior = 1;
  return given;
}

/// As `to_json` of a consensus, with who has said so. `was`: what the judgments gave; empty: they
/// had given no result.
std::string overriding_json(const unit& u, const correction_rules& rules,
                            const override_result& command, const correction_author& author,
                            const std::string& was, instant now) {
  const bool reviews = rules.aggregation.method == aggregation_method::review;
  std::map<std::string, std::int64_t> counts;
  for (const auto& j : u.judgments)
    if (!j.tainted)
      ++counts[reviews ? std::string{to_string(review_of(j.answer).verdict)} : j.answer];
  json_object votes;
  for (const auto& [answer, count] : counts)
    votes.number(answer, count);
  json_object said;
  said.text("by", author.by).text("reason", author.reason).text("at", to_rfc3339(now));
  if (!was.empty())
    said.raw("was", was);
  json_object written;
  written.text("answer", command.answer)
      .number("confidence", std::int64_t{1})
      .raw("votes", votes.str())
      .number("tied", std::int64_t{1});
  if (!command.correction.empty())
    written.raw("correction", command.correction);
  return written.raw("overridden", said.str()).str();
}

/// The result is there from now on, in memory and in the change.
void put_result(unit& u, std::string result, const route_choice& taken, overridden_state found,
                instant now, change& changes) {
  u.state = unit_state::finalized;
  u.overridden = true;
  changes.writes.push_back(
      override_unit{u.id, std::move(result), now, taken.rule, taken.because, found});
}

corrected override_open(unit& u, const correction_rules& rules, const correction_command& command,
                        const override_result& said, instant now) {
  corrected done;
  done.answer = correction_of(u, command, correction_kind::overridden, now);
  done.answer.answer = said.answer;
  done.answer.made_result = true;
  end_leases(u, rules.lease, now, done.changes);
  auto result = overriding_json(u, rules, said, command.author, {}, now);
  auto told = tell_result(u, rules.ways, given_by(rules, said), result, said.input, now);
  put_result(u, std::move(result), told.taken, overridden_state::open, now, done.changes);
  done.changes.events.push_back(std::move(told.event));
  return written(done, u);
}

corrected override_finished(unit_record& u, const correction_rules& rules,
                            const correction_command& command, const override_result& said,
                            const finished_result& was, instant now) {
  corrected done;
  done.answer = correction_of(u, command, correction_kind::overridden, now);
  done.answer.answer = said.answer;
  auto result = overriding_json(u, rules, said, command.author,
                                was.standing.overridden ? was.before_override : u.result, now);
  const auto given = given_by(rules, said);
  auto told = tell_result(u, rules.ways, given, result, said.input, now);
  const auto* taken = way_taken(u.route, rules.ways);
  const bool stands = was.standing.answer == said.answer
                      && was.standing.correction == said.correction
                      && way_taken(told.taken.rule, rules.ways) == taken;
  if (!stands) {
    done.answer.took_back = done.answer.made_result = true;
    done.changes.events.push_back(reopened_event(
        u, {u.result, "[]", 0, command.author.by, command.author.reason}, taken, now));
    ++u.reopened;
    told = tell_result(u, rules.ways, given, result, said.input, now); // its next revision
    done.changes.events.push_back(std::move(told.event));
  }
  u.result = result;
  u.confidence = 1;
  u.route = told.taken.rule;
  put_result(u, std::move(result), told.taken,
             stands ? overridden_state::stands : overridden_state::taken_back, now, done.changes);
  return written(done, u);
}

corrected reopen(unit_record& u, const correction_rules& rules, const correction_command& command,
                 const reopen_finished& asked, instant now) {
  corrected done;
  done.answer = correction_of(u, command, correction_kind::reopened, now);
  done.answer.wanted = asked.judgments;
  done.answer.took_back = true;
  const auto slots = counted_judgments(u) + asked.judgments;
  done.changes.writes.push_back(reopen_unit{u.id, slots, now});
  done.changes.events.push_back(
      reopened_event(u, {u.result, "[]", asked.judgments, command.author.by, command.author.reason},
                     way_taken(u.route, rules.ways), now));
  u.state = unit_state::judgable;
  u.overridden = false;
  u.slots = slots;
  u.result.clear();
  u.confidence = 0;
  u.route = no_route;
  ++u.reopened;
  return written(done, u);
}

corrected no_such_judgment(const judgment_id& id) {
  return refuse<correction_row>(errc::not_found, "the unit has no judgment " + to_string(id)
                                                     + " that could count; list its judgments");
}

corrected taint_in_open(unit& u, const correction_command& command, judgment_mark& j, instant now) {
  corrected done;
  done.answer = correction_of(u, command, correction_kind::tainted, now);
  done.answer.judgment = j.id;
  done.answer.contributor = j.contributor;
  if (j.taint_requested) {
    done.answer.is_open = true;
    return done;
  }
  if (!j.tainted)
    done.changes.writes.push_back(taint_judgment{u.id, j.contributor, now});
  done.changes.writes.push_back(set_taint_requested{u.id, j.contributor, true});
  done.answer.wanted = j.tainted ? 0 : 1;
  j.tainted = j.taint_requested = true;
  return written(done, u);
}

corrected removed_from_step(const judgment_mark& j) {
  return refuse<correction_row>(errc::wrong_state,
                                j.contributor
                                    + " is removed from the step; a judgment of theirs counts "
                                      "again when they are back at work");
}

corrected reinstate_in_open(unit& u, const correction_command& command, judgment_mark& j,
                            bool removed, instant now) {
  if (removed)
    return removed_from_step(j);
  corrected done;
  done.answer = correction_of(u, command, correction_kind::reinstated, now);
  done.answer.judgment = j.id;
  done.answer.contributor = j.contributor;
  if (!j.tainted) {
    done.answer.is_open = true;
    return done;
  }
  if (u.leases.active.size() + counted_judgments(u) >= u.slots)
    done.changes.writes.push_back(set_unit_slots{u.id, ++u.slots});
  done.changes.writes.push_back(restore_judgment{u.id, j.contributor});
  if (j.taint_requested)
    done.changes.writes.push_back(set_taint_requested{u.id, j.contributor, false});
  j.tainted = j.taint_requested = false;
  done.changes.events.push_back({event_type::judgment_reinstated, u.step, u.id, j.id, now, {}});
  return written(done, u);
}

/// Repairs the finished unit without the judgment or with it, and notes who has asked for that.
corrected repaired_for(unit_record& u, const correction_rules& rules,
                       const correction_command& command, const finished_result& was,
                       judgment_mark& j, bool taints, instant now) {
  corrected done;
  done.answer = correction_of(u, command,
                              taints ? correction_kind::tainted : correction_kind::reinstated, now);
  done.answer.judgment = j.id;
  done.answer.contributor = j.contributor;
  if (taints ? j.taint_requested : !j.tainted)
    return done;
  const auto who = j.contributor;
  const bool noted = j.taint_requested != taints;
  j.taint_requested = taints;
  disregard_finished changed;
  (taints ? changed.contributors : changed.again).insert(who);
  changed.result = was.standing;
  changed.opinion = was.opinion;
  changed.policy = rules.repair;
  changed.by = command.author.by;
  changed.reason = command.author.reason;
  auto repaired = repair(u, rules.aggregation, rules.ways, changed, now);
  done.changes = std::move(repaired.changes);
  if (noted)
    done.changes.writes.push_back(set_taint_requested{u.id, who, taints});
  done.answer.took_back = repaired.answer.outcome == repair_outcome::changed
                          || repaired.answer.outcome == repair_outcome::reopened;
  done.answer.wanted = is_open(u.state) ? free_slots(u) : 0;
  return written(done, u);
}

template <class... Handlers>
struct handlers_of : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
handlers_of(Handlers...) -> handlers_of<Handlers...>;

} // namespace

std::string_view to_string(correction_kind kind) {
  switch (kind) {
  case correction_kind::reopened:
    return "reopened";
  case correction_kind::overridden:
    return "overridden";
  case correction_kind::tainted:
    return "tainted";
  case correction_kind::reinstated:
    return "reinstated";
  }
  break_invariant("correction_kind", "every value has a name", __FILE__, __LINE__);
}

std::string why_over(const unit& u) {
  if (u.state == unit_state::canceled)
    return "the unit is canceled";
  return u.state == unit_state::finalized && u.overridden ? "the requester has given the result of "
                                                            "the unit"
                                                          : "";
}

judgment_id judgment_of(const correction_command& command) {
  return std::visit(handlers_of{[](const reopen_finished&) { return judgment_id{}; },
                                [](const override_result&) { return judgment_id{}; },
                                [](const auto& about) { return about.judgment; }},
                    command.what);
}

corrected correct(unit& u, const correction_rules& rules, const correction_command& command,
                  instant now) {
  if (auto refused = objection_to(u); refused.refusal != errc::none)
    return refused;
  if (u.state == unit_state::finalized)
    return refuse<correction_row>(errc::unavailable, "the unit was finished just now");
  const auto about = judgment_of(command);
  auto* judged = about ? marked(u, about) : nullptr;
  if (about && judged == nullptr)
    return no_such_judgment(about);
  return std::visit(
      handlers_of{
          [&](const reopen_finished&) {
            return refuse<correction_row>(errc::wrong_state, "the unit has no result yet: it is "
                                                                 + std::string{to_string(u.state)});
          },
          [&](const override_result& said) { return override_open(u, rules, command, said, now); },
          [&](const taint_one&) { return taint_in_open(u, command, *judged, now); },
          [&](const reinstate_one& again) {
            return reinstate_in_open(u, command, *judged, again.removed, now);
          }},
      command.what);
}

corrected correct_finished(unit_record& u, const correction_rules& rules,
                           const correction_command& command, const finished_result& was,
                           instant now) {
  if (auto refused = objection_to(u); refused.refusal != errc::none)
    return refused;
  HOLDFAST_INVARIANT(u.state == unit_state::finalized, "the caller has looked at its state");
  const auto about = judgment_of(command);
  auto* judged = about ? marked(u, about) : nullptr;
  if (about && judged == nullptr)
    return no_such_judgment(about);
  return std::visit(handlers_of{[&](const reopen_finished& asked) {
                                  return reopen(u, rules, command, asked, now);
                                },
                                [&](const override_result& said) {
                                  return override_finished(u, rules, command, said, was, now);
                                },
                                [&](const taint_one&) {
                                  return repaired_for(u, rules, command, was, *judged, true, now);
                                },
                                [&](const reinstate_one& again) {
                                  return again.removed ? removed_from_step(*judged)
                                                       : repaired_for(u, rules, command, was,
                                                                      *judged, false, now);
                                }},
                    command.what);
}

} // namespace holdfast::core
