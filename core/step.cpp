#include "core/step.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/unit_tasks.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

/// Writes the row; publishes it when something changed that the world is told about.
void record(const step& s, bool published, instant now, change& changes) {
  changes.writes.push_back(update_step{s.row});
  if (!published)
    return;
  changes.events.push_back(
      {event_type::job_step_updated, s.row.id, {}, {}, now, step_details(s.row, s.listing)});
}

/// Completes the step if nothing is left to do; true if it did.
bool complete_if_done(step& s) {
  if (s.row.status != step_status::open || !s.row.sealed
      || s.row.completed_units != s.row.total_units)
    return false;
  s.row.status = step_status::completed;
  return true;
}

/// There is something to do again, if the job lets the step do it.
void reopen(step_row& row) {
  row.status = row.job == job_status::paused     ? step_status::paused
               : row.job == job_status::canceled ? step_status::canceled
                                                 : step_status::open;
}

/// The name of a batch that goes on from `first`, which was taken out of so many before.
std::string batch_key(const unit_id& first, std::uint32_t ungathered) {
  auto key = "batch:" + to_string(first);
  if (ungathered > 0)
    key += '/' + std::to_string(ungathered + 1);
  return key;
}

} // namespace

step_listing listed(const step& s) {
  auto listing = s.listing;
  listing.status = s.row.status;
  listing.revision = s.row.revision;
  return listing;
}

decision<added> add_units(step& s, std::vector<source_item> items, uuid_source& ids, instant now,
                          const std::vector<contributor_id>& judges) {
  if (s.row.status == step_status::canceled)
    return refuse<added>(errc::wrong_state, "the step is canceled");
  if (s.row.job == job_status::canceled)
    return refuse<added>(errc::wrong_state, "the job is canceled");
  decision<added> result;
  if (items.empty())
    return result;
  std::uint64_t counted = 0;
  const bool of_chains = static_cast<bool>(items.front().parent);
  for (auto& item : items) {
    unit_record u;
    u.id = {s.hides_origin ? ids.scattered(time_of(s.row.id.value)) : ids.next(now)};
    u.step = s.row.id;
    u.root = item.root ? item.root : u.id;
    u.parent = item.parent;
    u.ordinal = s.next_ordinal++;
    u.source_key = std::move(item.key);
    u.input = std::move(item.input);
    u.truth = std::move(item.truth);
    u.slots = is_test_question(u) ? test_question_slots : item.slots;
    u.created_at = now;
    u.loops = item.loops;
    u.part = item.part;
    u.version = item.version;
    u.list = item.list;
    if (item.gathered)
      u.state = unit_state::gathered;
    for (const auto& contributor : item.excluded)
      u.bars.push_back({contributor, instant::max()});
    result.changes.writes.push_back(
        insert_unit{u.id, u.step, u.root, u.parent, u.ordinal, u.source_key, u.input, u.slots, now,
                    u.truth, u.loops, u.part, std::move(item.excluded), u.version, u.list,
                    item.gathered, item.parent_reopened});
    if (item.gathered) {
      ++counted;
    } else if (!is_test_question(u)) {
      if (s.executor)
        hand_out(u, *s.executor, judges, std::max(s.hides_origin ? token_of(now) : 0, s.token_min),
                 ids, now, result.changes);
      result.changes.events.push_back(
          {event_type::unit_ready_for_assignment, u.step, u.id, {}, now, {}});
      ++counted;
    }
    result.answer.units.push_back(std::move(u));
  }
  if (counted == 0)
    return result;
  s.row.total_units += counted;
  // More came although none were expected. Whether the step was completed by then is a matter of
  // timing; it must not decide whether still more may come.
  const bool unsealed = s.row.sealed && !of_chains;
  const bool reopened = s.row.status == step_status::completed;
  if (unsealed)
    s.row.sealed = false;
  if (reopened)
    reopen(s.row);
  if (unsealed || reopened)
    ++s.row.revision;
  record(s, unsealed || reopened, now, result.changes);
  return result;
}

bool waits_for_batch(const unit_record& unit, std::uint32_t version) {
  return unit.state == unit_state::gathered && !unit.batch && unit.version == version;
}

decision<unit_record> gather(step& s, const std::vector<unit_record>& members, std::string input,
                             std::uint32_t slots, uuid_source& ids, instant now,
                             const std::vector<contributor_id>& judges) {
  const auto& first = members.front();
  source_item item;
  item.key = batch_key(first.id, first.ungathered);
  item.input = std::move(input);
  item.slots = slots;
  item.parent = first.id;
  item.parent_reopened = first.ungathered;
  item.root = first.root;
  item.version = first.version;
  gather_units joined;
  std::set<contributor_id> excluded;
  for (const auto& member : members) {
    HOLDFAST_INVARIANT(waits_for_batch(member, first.version),
                       "what becomes a batch waits for it, under one version");
    joined.members.push_back(member.id);
    item.loops = std::max(item.loops, member.loops);
    for (const auto& barred : member.bars)
      excluded.insert(barred.contributor);
  }
  item.excluded.assign(excluded.begin(), excluded.end());
  auto made = add_units(s, {std::move(item)}, ids, now, judges);
  decision<unit_record> result;
  result.refusal = made.refusal;
  result.detail = std::move(made.detail);
  if (result.refusal != errc::none)
    return result;
  result.changes = std::move(made.changes);
  result.answer = std::move(made.answer.units.front());
  joined.batch = result.answer.id;
  result.changes.writes.push_back(std::move(joined));
  append(result.changes, units_finished(s, members.size(), now).changes);
  return result;
}

decision<bool> ungather(step& s, const std::vector<gathered_together>& these,
                        const std::set<unit_id>& withdrawn, instant now) {
  decision<bool> done;
  std::uint64_t waiting_again = 0;
  for (const auto& group : these) {
    if (group.batch) {
      done.changes.writes.push_back(ungather_units{group.batch, group.units});
      waiting_again += group.units.size();
    }
    for (const auto& unit : group.units) {
      if (withdrawn.count(unit) == 0)
        continue;
      // Counted like any other that is canceled, from its event.
      done.changes.writes.push_back(withdraw_unit{unit, now});
      done.changes.events.push_back({event_type::unit_canceled,
                                     s.row.id,
                                     unit,
                                     {},
                                     now,
                                     json_object{}.text("because", withdrawn_because).str()});
    }
  }
  if (waiting_again > 0)
    append(done.changes, units_finished(s, 0, now, waiting_again).changes);
  done.answer = !done.changes.empty();
  return done;
}

decision<step_row> seal(step& s, instant now) {
  if (s.row.status == step_status::canceled)
    return refuse<step_row>(errc::wrong_state, "the step is canceled");
  decision<step_row> result;
  if (!s.row.sealed) {
    s.row.sealed = true;
    ++s.row.revision;
    complete_if_done(s);
    record(s, true, now, result.changes);
  }
  result.answer = s.row;
  return result;
}

decision<step_row> unseal(step& s, instant now) {
  decision<step_row> result;
  if (s.row.sealed && s.row.status != step_status::canceled) {
    s.row.sealed = false;
    if (s.row.status == step_status::completed)
      reopen(s.row);
    ++s.row.revision;
    record(s, true, now, result.changes);
  }
  result.answer = s.row;
  return result;
}

decision<step_row> note_upstream(step& s, std::uint32_t position, bool completed,
                                 std::uint64_t upstreams, instant now) {
  const auto bit = std::uint64_t{1} << position;
  const auto before = s.row.upstreams_completed;
  s.row.upstreams_completed = completed ? before | bit : before & ~bit;
  if ((s.row.upstreams_completed & upstreams) == upstreams) {
    if (!s.row.sealed && s.row.status != step_status::canceled)
      return seal(s, now);
  } else if (s.row.sealed && s.row.status != step_status::canceled) {
    return unseal(s, now);
  }
  decision<step_row> noted;
  noted.answer = s.row;
  if (s.row.upstreams_completed != before)
    record(s, false, now, noted.changes);
  return noted;
}

decision<step_row> units_finished(step& s, std::uint64_t count, instant now,
                                  std::uint64_t reopened) {
  HOLDFAST_INVARIANT(s.row.completed_units + count >= reopened,
                     "I-6: only what was finished is reopened");
  s.row.completed_units += count;
  s.row.completed_units -= reopened;
  HOLDFAST_INVARIANT(s.row.completed_units <= s.row.total_units, "I-6: each unit finishes once");
  bool changed = reopened > 0 && s.row.status == step_status::completed;
  changed = complete_if_done(s) || changed;
  if (s.row.status == step_status::completed && s.row.completed_units < s.row.total_units)
    reopen(s.row);
  if (changed)
    ++s.row.revision;
  decision<step_row> result;
  result.answer = s.row;
  record(s, changed, now, result.changes);
  return result;
}

decision<step_row> decide(step& s, unit_verb verb, instant now) {
  decision<step_row> result;
  const auto wanted = verb == unit_verb::pause    ? step_status::paused
                      : verb == unit_verb::resume ? step_status::open
                                                  : step_status::canceled;
  result.answer = s.row;
  if (s.row.status == wanted)
    return result;
  if (s.row.status == step_status::canceled || s.row.status == step_status::completed)
    return refuse<step_row>(errc::wrong_state,
                            "the step is " + std::string{to_string(s.row.status)});
  s.row.status = wanted;
  complete_if_done(s); // all units may have been finished while it was paused
  ++s.row.revision;
  record(s, true, now, result.changes);
  result.answer = s.row;
  return result;
}

} // namespace holdfast::core
