#include "core/unit.hpp"

#include "core/invariant.hpp"
#include "core/json_text.hpp"
#include "core/trust_elsewhere.hpp"

#include <algorithm>

namespace holdfast::core {

namespace {

const judgment_mark* judgment_of(const unit& u, const contributor_id& who) {
  const auto found = std::find_if(u.judgments.begin(), u.judgments.end(),
                                  [&](const judgment_mark& j) { return j.contributor == who; });
  return found == u.judgments.end() ? nullptr : &*found;
}

bool barred(const unit& u, const contributor_id& who, instant now) {
  return std::any_of(u.bars.begin(), u.bars.end(),
                     [&](const bar& b) { return b.contributor == who && now < b.until; });
}

void put_bar(unit& u, const contributor_id& who, instant until) {
  for (auto& b : u.bars)
    if (b.contributor == who) {
      b.until = std::max(b.until, until);
      return;
    }
  u.bars.push_back({who, until});
}

void end(unit& u, const lease_policy& policy, const contributor_id& owner, lease_end how,
         instant now, change& changes) {
  const auto ended = end_lease(u.leases, owner);
  note_ended(u, policy, owner, ended.token, how);
  if (const auto until = barred_until(policy, how, now); until > now)
    put_bar(u, owner, until);
  changes.writes.push_back(end_lease_row{u.id, owner, ended.token, how, now});
}

event about(const unit& u, event_type type, instant now) {
  return {type, u.step, u.id, {}, now, {}};
}

lapsed_lease* find_lapsed(unit& u, const contributor_id& who, token under) {
  const auto found = std::find_if(u.lapsed.begin(), u.lapsed.end(), [&](const lapsed_lease& l) {
    return l.contributor == who && l.token == under;
  });
  return found == u.lapsed.end() ? nullptr : &*found;
}

/// The contributor's last lease is another one from now on. What was kept is still known.
void forget_lapsed(unit& u, const contributor_id& who) {
  u.lapsed.erase(
      std::remove_if(u.lapsed.begin(), u.lapsed.end(),
                     [&](const lapsed_lease& l) { return l.contributor == who && !l.surplus; }),
      u.lapsed.end());
}

bool kept_as_surplus(const unit& u, const submit& command) {
  return std::any_of(u.lapsed.begin(), u.lapsed.end(), [&](const lapsed_lease& l) {
    return l.contributor == command.contributor && l.surplus && l.surplus == command.judgment;
  });
}

/// Whether a judgment of the unit has this id. Where else one may have it the database knows.
bool is_used_here(const unit& u, const judgment_id& id) {
  return std::any_of(u.judgments.begin(), u.judgments.end(),
                     [&](const judgment_mark& j) { return j.id == id; })
         || std::any_of(u.lapsed.begin(), u.lapsed.end(),
                        [&](const lapsed_lease& l) { return l.surplus && l.surplus == id; });
}

/// Slots neither leased nor judged, whether or not they are given out now.
std::uint32_t open_slots(const unit& u) {
  const auto taken = u.leases.active.size() + counted_judgments(u);
  HOLDFAST_INVARIANT(taken <= u.slots, "I-1: every grant checks for a free slot first");
  return u.slots - static_cast<std::uint32_t>(taken);
}

insert_judgment row_of(const unit& u, const submit& command, instant now) {
  insert_judgment row;
  row.id = command.judgment;
  row.unit = u.id;
  row.owner = command.contributor;
  row.token = command.token;
  row.payload = command.payload;
  row.answer = command.answer;
  row.trust_snapshot = command.trust.mean;
  row.submitted_at = now;
  row.test_correct = command.test_correct;
  row.judged_before = command.judged_before;
  row.trust_questions = command.trust.questions;
  return row;
}

/// The judgment counts from now on. Its row is written by the caller, who knows what becomes of its
/// lease.
void count_in(unit& u, const submit& command, instant now, change& changes) {
  HOLDFAST_INVARIANT(command.test_correct.has_value() == is_test_question(u),
                     "I-11: the verdict on a test question comes with its judgment");
  u.judgments.push_back({command.judgment, command.contributor, command.token, command.answer,
                         command.trust.mean, false, command.test_correct, now,
                         command.judged_before, command.trust.questions});
  auto received = about(u, event_type::judgment_received, now);
  received.judgment = command.judgment;
  changes.events.push_back(received);
  if (!command.test_correct)
    return;
  received.type = event_type::test_judgment;
  received.details = json_object{}
                         .text("contributor_id", command.contributor)
                         .boolean("was_correct", *command.test_correct)
                         .number("trust", command.trust.mean)
                         .str();
  changes.events.push_back(std::move(received));
}

/// What becomes of a judgment whose lease is not held: `refusal` says why not.
decision<submitted> decide_late(unit& u, const lease_policy& policy, const submit& command,
                                errc refusal, instant now) {
  // Its lease has run out, and is ended already or not yet.
  const auto* ended = refusal == errc::lease_not_held
                          ? find_lapsed(u, command.contributor, command.token)
                          : nullptr;
  const bool late = ended != nullptr || refusal == errc::lease_expired;
  if (!late || policy.late_submit == late_submit::reject || command.removed
      || u.state == unit_state::canceled)
    return refuse<submitted>(refusal, why_over(u));
  if (ended != nullptr && ended->surplus)
    return refuse<submitted>(errc::already_judged);
  decision<submitted> taken;
  taken.answer = {command.judgment, false, false, true};
  if (ended == nullptr)
    end(u, policy, command.contributor, lease_end::expired, now, taken.changes);
  auto row = row_of(u, command, now);
  if (policy.late_submit == late_submit::accept_if_free && is_open(u.state) && open_slots(u) > 0) {
    forget_lapsed(u, command.contributor);
    taken.changes.writes.push_back(insert_late_judgment{std::move(row)});
    count_in(u, command, now, taken.changes);
    u.judgments.back().late = true;
    return taken;
  }
  taken.answer.surplus = true;
  find_lapsed(u, command.contributor, command.token)->surplus = command.judgment;
  row.test_correct.reset();
  row.judged_before.reset();
  taken.changes.writes.push_back(insert_surplus_judgment{std::move(row)});
  return taken;
}

event withdrawn_event(const unit& u, const withdraw::finished& was, const std::vector<way>& ways,
                      instant now) {
  auto told = about(u, event_type::unit_withdrawn, now);
  json_object details;
  details.text("root_data_id", to_string(u.root))
      .number("revision", static_cast<std::int64_t>(u.reopened) + 1)
      .raw("result", was.result);
  if (const auto* taken = way_taken(was.route, ways))
    details.raw("route", json_object{}.raw("to", keys_listed(*taken)).str());
  told.details = details.text("because", withdrawn_because).str();
  return told;
}

} // namespace

const judgment_mark* counted_judgment(const unit& u, const contributor_id& contributor) {
  const auto* judged = judgment_of(u, contributor);
  return judged == nullptr || judged->tainted ? nullptr : judged;
}

std::uint32_t counted_judgments(const unit& u) {
  return static_cast<std::uint32_t>(std::count_if(
      u.judgments.begin(), u.judgments.end(), [](const judgment_mark& j) { return !j.tainted; }));
}

std::uint32_t free_slots(const unit& u) {
  const auto open = open_slots(u);
  return u.state == unit_state::judgable ? open : 0;
}

instant barred_until(const unit& u, const contributor_id& contributor, instant now) {
  if (find_lease(u.leases, contributor) != nullptr || judgment_of(u, contributor) != nullptr)
    return instant::max();
  for (const auto& b : u.bars)
    if (b.contributor == contributor)
      return std::max(b.until, now);
  return now;
}

void note_ended(unit& u, const lease_policy& policy, const contributor_id& owner, token ended,
                lease_end how) {
  if (policy.late_submit == late_submit::reject)
    return;
  forget_lapsed(u, owner);
  if (how == lease_end::expired && find_lease(u.leases, owner) == nullptr
      && judgment_of(u, owner) == nullptr && find_lapsed(u, owner, ended) == nullptr)
    u.lapsed.push_back({owner, ended, {}});
}

bool ready_to_aggregate(const unit& u) {
  return (u.state == unit_state::judgable || u.state == unit_state::paused)
         && counted_judgments(u) >= u.slots;
}

decision<lease> decide(unit& u, const lease_policy& policy, const ask& command, instant now) {
  if (const auto* held = find_lease(u.leases, command.contributor)) {
    if (held->id == command.assignment && held->held_at(now))
      return {errc::none, *held, {}, {}};
    return refuse<lease>(errc::already_exists,
                         "the contributor already holds a lease on this unit");
  }
  if (judgment_of(u, command.contributor) != nullptr)
    return refuse<lease>(errc::already_judged);
  if (u.state != unit_state::judgable)
    return refuse<lease>(errc::wrong_state, "the unit is " + std::string{to_string(u.state)});
  if (free_slots(u) == 0 || barred(u, command.contributor, now))
    return refuse<lease>(errc::no_unit_available);
  decision<lease> granted;
  u.leases.last_token = std::max(u.leases.last_token + 1, command.token_min) - 1;
  forget_lapsed(u, command.contributor);
  granted.answer = grant_lease(u.leases, policy, command.assignment, command.contributor, now);
  granted.changes.writes.push_back(insert_lease{u.id, granted.answer});
  return granted;
}

decision<lease> decide(unit& u, const lease_policy& policy, const extend& command, instant now) {
  if (const auto refusal = extend_lease(u.leases, policy, command.contributor, command.token, now);
      refusal != errc::none)
    return refuse<lease>(refusal, why_over(u));
  decision<lease> extended;
  extended.answer = *find_lease(u.leases, command.contributor);
  extended.changes.writes.push_back(
      extend_lease_row{u.id, command.contributor, command.token, extended.answer.expires_at});
  return extended;
}

decision<bool> decide(unit& u, const lease_policy& policy, const give_back& command, instant now) {
  const auto* held = find_lease(u.leases, command.contributor);
  if (held == nullptr) {
    const auto* ended = find_lapsed(u, command.contributor, command.token);
    if (judgment_of(u, command.contributor) != nullptr || (ended != nullptr && ended->surplus))
      return refuse<bool>(errc::already_judged);
    // The token was granted once, or the caller makes it up; either way there is nothing left to
    // give back.
    if (command.token == 0 || command.token > u.leases.last_token)
      return refuse<bool>(errc::lease_not_held);
    return {errc::none, true, {}, {}};
  }
  if (held->token != command.token)
    return refuse<bool>(errc::stale_token);
  decision<bool> given;
  given.answer = true;
  end(u, policy, command.contributor, command.decline ? lease_end::declined : lease_end::released,
      now, given.changes);
  return given;
}

decision<submitted> decide(unit& u, const lease_policy& policy, const submit& command,
                           instant now) {
  if (kept_as_surplus(u, command))
    return {errc::none, {command.judgment, true, true, true}, {}, {}};
  if (const auto* earlier = judgment_of(u, command.contributor)) {
    if (earlier->id != command.judgment)
      return refuse<submitted>(errc::already_judged);
    // Empty: the stored judgment could not be read.
    if (!earlier->answer.empty() && earlier->corrected == 0 && earlier->answer != command.answer)
      return refuse<submitted>(errc::already_exists,
                               "the id belongs to a judgment with another answer");
    return {errc::none, {command.judgment, true, false, earlier->late}, {}, {}};
  }
  if (is_used_here(u, command.judgment))
    return refuse<submitted>(errc::already_exists, std::string{judgment_id_taken});
  if (const auto refusal = check_lease(u.leases, command.contributor, command.token, now);
      refusal != errc::none)
    return decide_late(u, policy, command, refusal, now);
  HOLDFAST_INVARIANT(u.state == unit_state::judgable || u.state == unit_state::paused,
                     "finalizing needs all slots judged and canceling ends the leases");
  end_lease(u.leases, command.contributor);
  decision<submitted> accepted;
  accepted.answer = {command.judgment, false};
  accepted.changes.writes.push_back(row_of(u, command, now));
  count_in(u, command, now, accepted.changes);
  return accepted;
}

decision<std::uint32_t> decide(unit& u, const lease_policy& policy, const expire&, instant now) {
  decision<std::uint32_t> expired;
  std::vector<contributor_id> owners;
  for (const auto& l : u.leases.active)
    if (!l.held_at(now))
      owners.push_back(l.owner);
  for (const auto& owner : owners)
    end(u, policy, owner, lease_end::expired, now, expired.changes);
  expired.answer = static_cast<std::uint32_t>(owners.size());
  return expired;
}

decision<bool> decide(unit& u, const lease_policy& policy, const disregard& command, instant now) {
  decision<bool> done;
  if (!is_open(u.state))
    return done;
  if (find_lease(u.leases, command.contributor) != nullptr)
    end(u, policy, command.contributor, lease_end::ejected, now, done.changes);
  for (auto& j : u.judgments) {
    // What was said to a test question stays evidence.
    if (j.contributor != command.contributor || j.tainted || is_test_question(u)
        || command.keeps_judgments)
      continue;
    j.tainted = true;
    done.changes.writes.push_back(taint_judgment{u.id, command.contributor, now});
  }
  done.answer = !done.changes.empty();
  return done;
}

decision<bool> decide(unit& u, const lease_policy& policy, const std::vector<way>& ways,
                      const withdraw& command, instant now) {
  decision<bool> done;
  if (is_open(u.state)) {
    auto canceled = decide(u, policy, unit_verb::cancel, now);
    done.changes = std::move(canceled.changes);
    for (auto& event : done.changes.events)
      event.details = json_object{}.text("because", withdrawn_because).str();
  } else if (u.state == unit_state::finalized) {
    if (!command.was || command.was->reopened != u.reopened)
      return refuse<bool>(errc::unavailable, "the unit was finalized just now");
    u.state = unit_state::canceled;
    done.changes.writes.push_back(withdraw_unit{u.id, now});
    done.changes.events.push_back(withdrawn_event(u, *command.was, ways, now));
  }
  done.answer = !done.changes.empty();
  return done;
}

decision<bool> decide(unit& u, const reinstate& command, instant now) {
  decision<bool> done;
  if (!is_open(u.state) || open_slots(u) == 0)
    return done;
  for (auto& j : u.judgments) {
    if (j.contributor != command.contributor || !j.tainted || j.taint_requested)
      continue;
    j.tainted = false;
    done.changes.writes.push_back(restore_judgment{u.id, command.contributor});
    auto told = about(u, event_type::judgment_reinstated, now);
    told.judgment = j.id;
    done.changes.events.push_back(std::move(told));
  }
  done.answer = !done.changes.empty();
  return done;
}

decision<bool> decide(unit& u, const trust_anew& command) {
  decision<bool> done;
  // Trust in an answer to a test question weighs nothing.
  if (!is_open(u.state) || is_test_question(u))
    return done;
  for (auto& j : u.judgments) {
    if (j.contributor != command.contributor)
      continue;
    const auto trust = command.course.at({j.submitted_at, j.id});
    if (trust == trust_mark{j.trust, j.trust_questions} || keeps_trust(j.trust_questions, trust))
      continue;
    j.trust = trust.mean;
    j.trust_questions = trust.questions;
    done.changes.writes.push_back(set_judgment_trust{u.id, j.contributor, trust});
  }
  done.answer = !done.changes.empty();
  return done;
}

decision<bool> decide(unit& u, const replace_input& command) {
  decision<bool> done;
  if (u.input == command.input)
    return done;
  if (is_test_question(u))
    return refuse<bool>(errc::wrong_state, "the key is that of a test question");
  if (!is_open(u.state))
    return refuse<bool>(errc::wrong_state, "the unit is " + std::string{to_string(u.state)});
  // Tokens count from 1, and a unit is loaded with the last that was ever granted.
  if (u.leases.last_token > 0 || !u.judgments.empty())
    return refuse<bool>(errc::wrong_state, std::string{unit_is_touched});
  u.input = command.input;
  done.changes.writes.push_back(set_unit_input{u.id, u.input});
  done.answer = true;
  return done;
}

decision<unit_state> decide(unit& u, const lease_policy& policy, unit_verb verb, instant now) {
  const auto wanted = verb == unit_verb::pause    ? unit_state::paused
                      : verb == unit_verb::resume ? unit_state::judgable
                                                  : unit_state::canceled;
  if (u.state == wanted)
    return {errc::none, wanted, {}, {}};
  if (!is_open(u.state))
    return refuse<unit_state>(errc::wrong_state, "the unit is " + std::string{to_string(u.state)});
  decision<unit_state> moved;
  moved.answer = wanted;
  if (wanted == unit_state::canceled) {
    const auto live = u.leases.active;
    for (const auto& l : live)
      end(u, policy, l.owner, lease_end::canceled, now, moved.changes);
  }
  u.state = wanted;
  moved.changes.writes.push_back(set_unit_state{u.id, wanted, now});
  // Whoever counts finished units must not hear of what was never counted as one.
  if (wanted == unit_state::canceled && !is_test_question(u))
    moved.changes.events.push_back(about(u, event_type::unit_canceled, now));
  return moved;
}

} // namespace holdfast::core
