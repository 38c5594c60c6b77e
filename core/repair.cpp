#include "core/repair.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/trust_elsewhere.hpp"
#include "core/unit_result.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// The judgments of the unit as they are to be.
std::vector<judgment_mark> as_known_today(const unit& u, const disregard_finished& command) {
  auto marks = u.judgments;
  std::uint32_t counted = 0;
  std::vector<judgment_mark*> left_out;
  for (auto& j : marks) {
    const bool was_left_out = j.tainted;
    j.tainted = (was_left_out && command.again.count(j.contributor) == 0)
                || command.contributors.count(j.contributor) != 0;
    counted += j.tainted ? 0 : 1;
    const auto course = command.at_work.find(j.contributor);
    if (course == command.at_work.end())
      continue;
    const auto trust = course->second.at({j.submitted_at, j.id});
    if (!keeps_trust(j.trust_questions, trust)) {
      j.trust = trust.mean;
      j.trust_questions = trust.questions;
    }
    if (was_left_out && !j.taint_requested)
      left_out.push_back(&j);
  }
  std::sort(left_out.begin(), left_out.end(), [](const auto* a, const auto* b) {
    return judgment_moment{a->submitted_at, a->id} < judgment_moment{b->submitted_at, b->id};
  });
  for (auto* j : left_out)
    if (counted < u.slots) {
      j->tainted = false;
      ++counted;
    }
  return marks;
}

constexpr std::string_view question_prefix = "question:";

bool same_trust(const judgment_mark& a, const judgment_mark& b) {
  return trust_mark{a.trust, a.trust_questions} == trust_mark{b.trust, b.trust_questions};
}

/// How many judgments count otherwise. For what counts neither way its trust says nothing.
std::uint32_t counted_otherwise(const std::vector<judgment_mark>& before,
                                const std::vector<judgment_mark>& after) {
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < before.size(); ++i)
    count += before[i].tainted != after[i].tainted
                     || (!before[i].tainted && !same_trust(before[i], after[i]))
                 ? 1
                 : 0;
  return count;
}

std::vector<trusted_answer> counted_answers(const unit_id& unit,
                                            const std::vector<judgment_mark>& judgments) {
  std::vector<trusted_answer> counted;
  for (const auto& j : judgments)
    if (!j.tainted)
      counted.push_back({j.answer, j.trust, lot_of(unit, j.contributor)});
  return counted;
}

bool stands(const standing_result& result, const aggregate& found) {
  // Of answers that were as likely before and still are, the one that was told stays.
  return may_win(found, result.answer) && found.correction == result.correction
         && (found.tied == 1 || result.tied);
}

/// How many more judgments the result says that it rests on than there are: earlier versions have
/// marked judgments and left them in the result.
std::uint32_t counted_too_many(const standing_result& result, std::uint32_t count) {
  const auto votes = result.votes.value_or(count);
  return votes > count ? votes - count : 0;
}

/// Whether the judgments that gave `found` are as many as the step wants.
bool suffices(const unit& u, const aggregation_policy& policy, std::uint32_t count,
              const aggregate& found) {
  return policy.stopping ? enough(*policy.stopping, found) : count >= u.slots;
}

/// The result of the judgments that are left. Where they are fewer than the step wants, it says so.
std::string restated(const aggregate& found, std::uint32_t count, bool is_enough) {
  auto result = to_json(found);
  if (is_enough)
    return result;
  result.pop_back();
  return result + R"(,"rests_on":)" + std::to_string(count) + '}';
}

/// What the unit asks for when its result is gone: `left` judgments if those will do, else more.
std::uint32_t slots_wanted(const unit& u, const aggregation_policy& policy, std::uint32_t left,
                           const aggregate* found) {
  if (!policy.stopping)
    return std::max(u.slots, left);
  if (found != nullptr && enough(*policy.stopping, *found))
    return left;
  return std::max(first_slots(*policy.stopping), left + 1);
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

/// What these said counts again, whatever slots there are.
void count_again(unit_record& u, const std::set<contributor_id>& contributors, instant now,
                 change& changes) {
  for (auto& j : u.judgments) {
    if (!j.tainted || contributors.count(j.contributor) == 0)
      continue;
    j.tainted = false;
    changes.writes.push_back(restore_judgment{u.id, j.contributor});
    changes.events.push_back({event_type::judgment_reinstated, u.step, u.id, j.id, now, {}});
  }
  if (const auto count = counted_judgments(u); count > u.slots) {
    u.slots = count;
    changes.writes.push_back(recount_unit{u.id, u.slots});
  }
}

/// What they said counts again, and as it is trusted today.
void take_in(unit_record& u, const std::vector<judgment_mark>& today, instant now,
             change& changes) {
  for (std::size_t i = 0; i < today.size(); ++i) {
    auto& j = u.judgments[i];
    if (!same_trust(j, today[i]))
      changes.writes.push_back(
          set_judgment_trust{u.id, j.contributor, {today[i].trust, today[i].trust_questions}});
    if (j.tainted && !today[i].tainted) {
      changes.writes.push_back(restore_judgment{u.id, j.contributor});
      changes.events.push_back({event_type::judgment_reinstated, u.step, u.id, j.id, now, {}});
    }
    j = today[i];
  }
}

} // namespace

std::vector<judgment_mark> counting_again(const unit& u, const disregard_finished& command) {
  std::vector<judgment_mark> again;
  if (command.at_work.empty() || u.state != unit_state::finalized)
    return again;
  const auto today = as_known_today(u, command);
  for (std::size_t i = 0; i < today.size(); ++i)
    if (u.judgments[i].tainted && !today[i].tainted)
      again.push_back(today[i]);
  return again;
}

decision<repaired> repair(unit_record& u, const aggregation_policy& policy,
                          const std::vector<way>& ways, const disregard_finished& command,
                          instant now) {
  decision<repaired> done;
  if (u.state != unit_state::finalized)
    return done;
  const auto today = as_known_today(u, command);
  const auto left = counted_answers(u.id, today);
  const auto count = static_cast<std::uint32_t>(left.size());
  auto otherwise = counted_otherwise(u.judgments, today);
  if (command.at_work.empty() && !command.result.overridden)
    otherwise = std::max(otherwise, counted_too_many(command.result, count));
  if (otherwise == 0)
    return done;
  if (command.result.overridden) {
    done.answer = {repair_outcome::unchanged, otherwise, false};
    if (command.at_work.empty()) {
      taint(u, command.contributors, now, done.changes);
      count_again(u, command.again, now, done.changes);
    }
    return done;
  }
  const bool by_model = asks_model(policy.method);
  HOLDFAST_INVARIANT(!by_model || (command.opinion && command.opinion->judgments == count),
                     "the step's model knows the judgments of finished units");
  std::optional<aggregate> found;
  if (!left.empty())
    found = aggregate_of(policy, left, by_model ? &*command.opinion : nullptr);
  const bool is_enough = found && suffices(u, policy, count, *found);
  if (found && stands(command.result, *found)
      && (is_enough || command.policy == repair_policy::keep)) {
    done.answer = {repair_outcome::unchanged, otherwise, false};
    if (!command.at_work.empty())
      return done;
    taint(u, command.contributors, now, done.changes);
    count_again(u, command.again, now, done.changes);
    found->answer = command.result.answer;
    if (auto result = restated(*found, count, is_enough); result != u.result) {
      u.result = std::move(result);
      u.confidence = found->confidence;
      done.changes.writes.push_back(restate_unit{u.id, u.result, u.confidence});
    }
    return done;
  }
  const auto* taken = way_taken(u.route, ways);
  const auto listed = taint(u, command.contributors, now, done.changes);
  const auto slots = slots_wanted(u, policy, count, found ? &*found : nullptr);
  done.answer = {slots == count ? repair_outcome::changed : repair_outcome::reopened, otherwise,
                 taken != nullptr};
  done.changes.writes.push_back(reopen_unit{u.id, slots, now});
  done.changes.events.push_back(
      reopened_event(u, {u.result, listed, slots - count, command.by, command.reason}, taken, now));
  take_in(u, today, now, done.changes);
  u.state = unit_state::judgable;
  u.slots = slots;
  u.result.clear();
  u.confidence = 0;
  u.route = no_route;
  ++u.reopened;
  return done;
}

contributor_id answerers_of(const unit_id& question) {
  return std::string{question_prefix} + to_string(question);
}

std::optional<unit_id> question_named(const contributor_id& name) {
  if (!names_a_question(name))
    return std::nullopt;
  const auto id = parse_uuid(std::string_view{name}.substr(question_prefix.size()));
  return id ? std::optional<unit_id>{unit_id{*id}} : std::nullopt;
}

bool names_a_question(std::string_view name) {
  return name.substr(0, question_prefix.size()) == question_prefix;
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
