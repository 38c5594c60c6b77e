#include "core/repair.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

std::vector<trusted_answer> answers_left(const unit& u, const std::set<contributor_id>& without) {
  std::vector<trusted_answer> left;
  for (const auto& j : u.judgments)
    if (!j.tainted && without.count(j.contributor) == 0)
      left.push_back({j.answer, j.trust});
  return left;
}

bool stands(const standing_result& result, const aggregate& found) {
  return found.answer == result.answer && found.correction == result.correction
         && (found.tied == 1 || result.tied);
}

/// What the unit asks for when its result is gone: `left` judgments if those will do, else more.
std::uint32_t slots_wanted(const unit& u, const aggregation_policy& policy, std::uint32_t left,
                           const aggregate* found) {
  if (!policy.stopping)
    return u.slots;
  if (found != nullptr && enough(*policy.stopping, *found))
    return left;
  return std::max(first_slots(*policy.stopping), left + 1);
}

event reopened_event(const unit_record& u, const std::string& disregarded, std::uint32_t wanted,
                     const way* taken, instant now) {
  json_object details;
  details.text("root_data_id", to_string(u.root))
      .number("revision", static_cast<std::int64_t>(u.reopened) + 1)
      .raw("result", u.result)
      .raw("disregarded", disregarded)
      .number("judgments_wanted", static_cast<std::int64_t>(wanted));
  if (taken != nullptr)
    details.raw("route", json_object{}.raw("to", keys_listed(*taken)).str());
  return {event_type::unit_reopened, u.step, u.id, {}, now, details.str()};
}

/// Marks what counts no more; the judgments as a JSON list, for people.
std::string taint(unit_record& u, const std::set<contributor_id>& contributors, instant now,
                  change& changes) {
  std::string listed = "[";
  for (auto& j : u.judgments) {
    if (j.tainted || contributors.count(j.contributor) == 0)
      continue;
    j.tainted = true;
    changes.writes.push_back(taint_judgment{u.id, j.contributor, now});
    listed += (listed.size() > 1 ? "," : "")
              + json_object{}
                    .text("judgment_id", to_string(j.id))
                    .text("contributor_id", j.contributor)
                    .str();
  }
  return listed + ']';
}

} // namespace

decision<repaired> repair(unit_record& u, const aggregation_policy& policy,
                          const std::vector<way>& ways, const disregard_finished& command,
                          instant now) {
  decision<repaired> done;
  const auto left = answers_left(u, command.contributors);
  if (u.state != unit_state::finalized || left.size() == counted_judgments(u))
    return done;
  const auto count = static_cast<std::uint32_t>(left.size());
  const auto disregarded = counted_judgments(u) - count;
  const bool by_model = asks_model(policy.method);
  HOLDFAST_INVARIANT(!by_model || (command.opinion && command.opinion->judgments == count),
                     "the step's model knows the judgments of finished units");
  std::optional<aggregate> found;
  if (!left.empty())
    found = aggregate_of(policy, left, by_model ? &*command.opinion : nullptr);
  if (found && stands(command.result, *found)) {
    done.answer = {repair_outcome::unchanged, disregarded, false};
    taint(u, command.contributors, now, done.changes);
    return done;
  }
  const auto* taken = way_taken(u.route, ways);
  const auto listed = taint(u, command.contributors, now, done.changes);
  const auto slots = slots_wanted(u, policy, count, found ? &*found : nullptr);
  done.answer = {slots == count ? repair_outcome::changed : repair_outcome::reopened, disregarded,
                 taken != nullptr};
  done.changes.writes.push_back(reopen_unit{u.id, slots, now});
  done.changes.events.push_back(reopened_event(u, listed, slots - count, taken, now));
  u.state = unit_state::judgable;
  u.slots = slots;
  u.result.clear();
  u.confidence = 0;
  u.route = no_route;
  ++u.reopened;
  return done;
}

std::uint64_t next_bookmark(const repair_row& repair) {
  return std::min(repair.through, repair.bookmark + repair_chunk);
}

void tally(repair_figures& figures, const repaired& unit) {
  const auto counts = [&](repair_outcome outcome) { return unit.outcome == outcome ? 1U : 0U; };
  figures.found += 1 - counts(repair_outcome::unconcerned);
  figures.unchanged += counts(repair_outcome::unchanged);
  figures.changed += counts(repair_outcome::changed);
  figures.reopened += counts(repair_outcome::reopened);
  figures.disregarded += unit.disregarded;
  figures.reissued += unit.reissued ? 1 : 0;
}

} // namespace holdfast::core
