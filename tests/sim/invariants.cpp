#include "tests/sim/invariants.hpp"

#include "core/offering.hpp"
#include "core/unit_tasks.hpp"
#include "tests/support/event_schemas.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace holdfast::sim {

namespace {

/// Whether a write says of which unit it is.
template <class Write, class = void>
struct names_a_unit : std::false_type {};
template <class Write>
struct names_a_unit<Write, std::void_t<decltype(std::declval<Write>().unit)>> : std::true_type {};

using core::event_type;
using core::unit_state;

/// How long after its end a lease may still be in the table: the writer's longest wait plus the
/// time that a node needs to come back. Far above both, far below a lease that nobody looks after.
constexpr std::chrono::seconds expiry_bound{30};

bool is_final(unit_state state) {
  return state == unit_state::finalized || state == unit_state::canceled;
}

std::string brief(const core::uuid& id) { return to_string(id).substr(9); }
template <class Tag>
std::string brief(const core::strong_id<Tag>& id) {
  return brief(id.value);
}

std::ostream& operator<<(std::ostream& out, const core::lease& lease) {
  return out << lease.owner << " token " << lease.token << " assignment " << brief(lease.id)
             << " granted " << seconds_of_day(lease.granted_at) << " until "
             << seconds_of_day(lease.expires_at);
}

/// Whether an open unit is taken from somebody because its parent's result is gone.
bool interrupts(const core::change& change) {
  const bool withdrawn = std::any_of(change.events.begin(), change.events.end(), [](const auto& e) {
    return e.type == event_type::unit_canceled && !e.details.empty();
  });
  return withdrawn && std::any_of(change.writes.begin(), change.writes.end(), [](const auto& w) {
           return std::holds_alternative<core::end_lease_row>(w);
         });
}

} // namespace

auditor::unit_rows auditor::rows_of(const core::unit_id& id) const {
  unit_rows rows;
  rows.id = id;
  if (const auto unit = t_.units.find(id); unit != t_.units.end())
    rows.unit = &unit->second;
  const auto gather = [&](const auto& table, auto& into) {
    const auto [begin, end] = persistence::memory::rows_of(table, id);
    for (auto row = begin; row != end; ++row)
      into.push_back(&row->second);
  };
  gather(t_.active_leases, rows.active);
  gather(t_.ended_leases, rows.ended);
  gather(t_.judgments, rows.judgments);
  gather(t_.surplus_judgments, rows.surplus);
  return rows;
}

std::string auditor::dump(const core::unit_id& id) const {
  const auto rows = rows_of(id);
  std::ostringstream out;
  out << "\n    unit " << to_string(id);
  if (rows.unit == nullptr)
    return out.str() + " is not in the table";
  out << " of step " << brief(rows.unit->made.step) << ", key " << rows.unit->made.source_key
      << ", " << to_string(rows.unit->state) << ", slots " << rows.unit->made.slots;
  if (rows.unit->result)
    out << ", result " << *rows.unit->result;
  if (rows.unit->batch)
    out << ", part of batch " << brief(rows.unit->batch);
  if (rows.unit->reopened > 0)
    out << ", reopened " << rows.unit->reopened;
  if (const auto& made = rows.unit->made; made.parent)
    out << ", of unit " << brief(made.parent) << " after " << made.parent_reopened
        << " of its results";
  if (const auto& list = rows.unit->made.list; list.of)
    out << ", item " << list.part << " of " << list.size << " of unit " << brief(list.of);
  for (const auto* lease : rows.active)
    out << "\n      active   " << *lease;
  for (const auto* ended : rows.ended)
    out << "\n      " << to_string(ended->how) << " at " << seconds_of_day(ended->at) << ' '
        << ended->lease;
  for (const auto* judged : rows.judgments)
    out << "\n      judgment " << brief(judged->made.id) << " of " << judged->made.owner
        << " under token " << judged->made.token << " at "
        << seconds_of_day(judged->made.submitted_at) << ", lease of " << judged->lease
        << (judged->late ? ", late" : "");
  for (const auto* kept : rows.surplus)
    out << "\n      surplus  " << brief(kept->id) << " of " << kept->owner << " under token "
        << kept->token << " at " << seconds_of_day(kept->submitted_at);
  if (const auto known = units_.find(id); known != units_.end())
    out << "\n      events: announced " << known->second.announced << ", judgments received "
        << known->second.judged << ", finalized " << known->second.finalized << ", reopened "
        << known->second.told_reopened << ", withdrawn " << known->second.told_withdrawn
        << ", canceled " << known->second.canceled;
  return out.str();
}

std::string auditor::dump(const core::step_id& id) const {
  std::ostringstream out;
  out << "\n    step " << to_string(id);
  const auto found = t_.steps.find(id);
  if (found == t_.steps.end())
    return out.str() + " is not in the table";
  const auto& row = found->second.row;
  out << " at position " << row.position << ", " << to_string(row.status)
      << (row.sealed ? ", sealed" : "") << ", revision " << row.revision << ", units "
      << row.total_units << ", completed " << row.completed_units;
  if (const auto known = steps_.find(id); known != steps_.end())
    out << "; in the table of units " << known->second.units << ", finished "
        << known->second.finished;
  return out.str();
}

void auditor::blame(const char* invariant, const std::string& what) {
  if (!found_)
    found_ = violation{log_.step(), invariant, what};
}

bool auditor::require(bool holds, const char* invariant, const core::unit_id& unit,
                      const char* what) {
  if (!holds && !found_)
    blame(invariant, what + dump(unit));
  return holds;
}

// --- after a commit ---

void auditor::committed(core::incarnation_id incarnation, const persistence::write_batch& batch) {
  std::set<core::unit_id> units;
  std::set<core::step_id> steps;
  std::set<core::workflow_id> workflows;
  const auto touch_unit = [&](const core::unit_id& id) {
    units.insert(id);
    if (const auto row = t_.units.find(id); row != t_.units.end())
      steps.insert(row->second.made.step);
  };
  for (const auto& part : batch.shards) {
    if (part.shard >= t_.shards.size()
        || t_.shards[part.shard].batch_seq == shards_[part.shard].batches)
      continue; // not applied, or not for the first time
    ++commits_;
    check_host(incarnation, part);
    check_outbox(part.shard);
    for (const auto& change : part.changes) {
      tasks_.committed(change);
      interrupted_ += interrupts(change) ? 1 : 0;
      for (const auto& write : change.writes)
        std::visit(
            [&](const auto& w) {
              using type = std::decay_t<decltype(w)>;
              if constexpr (std::is_same_v<type, core::insert_unit>)
                touch_unit(w.id);
              else if constexpr (std::is_same_v<type, core::insert_workflow>)
                workflows.insert(w.id);
              else if constexpr (std::is_same_v<type, core::insert_workflow_version>)
                workflows.insert(w.workflow);
              else if constexpr (std::is_same_v<type, core::put_standing>) {
                ++steps_[w.step].stood;
                stood_[{w.step, w.contributor}] = w.standing;
              } else if constexpr (std::is_same_v<type, core::put_profile>)
                check_profile(w.contributor);
              else if constexpr (std::is_same_v<type, core::gather_units> //
                                 || std::is_same_v<type, core::ungather_units>) {
                touch_unit(w.batch);
                for (const auto& member : w.members)
                  touch_unit(member);
              } else if constexpr (std::is_same_v<type, core::insert_step> //
                                   || std::is_same_v<type, core::update_step>) {
                steps.insert(w.row.id);
                if (w.row.sealed)
                  steps_[w.row.id].was_sealed = true;
              } else if constexpr (std::is_same_v<type, core::insert_inbox>) {
                if (++applied_[{w.consumer, w.message}] > 1)
                  blame("I-8", "message " + std::to_string(w.message.seq) + " of shard "
                                   + std::to_string(w.message.shard) + " applied twice by "
                                   + w.consumer);
              } else if constexpr (std::is_same_v<type, core::insert_late_judgment> //
                                   || std::is_same_v<type, core::insert_surplus_judgment>) {
                touch_unit(w.judgment.unit);
              } else if constexpr (names_a_unit<type>::value) {
                if constexpr (std::is_same_v<type, core::restore_judgment>)
                  ++units_[w.unit].restored;
                if constexpr (std::is_same_v<type, core::set_question_forgiven>)
                  ever_forgiven_.insert(w.unit);
                if constexpr (std::is_same_v<type, core::finalize_unit>) {
                  units_[w.unit].finalized_at = w.at;
                  units_[w.unit].results.insert(w.result);
                }
                touch_unit(w.unit);
              }
            },
            write);
    }
  }
  tasks_.check_touched();
  for (const auto& id : workflows)
    check_versions(id);
  for (const auto& id : units)
    check_unit(id);
  for (const auto& id : steps)
    check_step(id);
  check_standings();
}

void auditor::check_host(core::incarnation_id incarnation, const persistence::shard_batch& part) {
  const auto& shard = t_.shards[part.shard];
  auto& known = shards_[part.shard];
  const auto name = "shard " + std::to_string(part.shard);
  if (part.epoch != shard.epoch)
    blame("I-7", name + ": a batch decided under epoch " + std::to_string(part.epoch)
                     + " was applied under epoch " + std::to_string(shard.epoch));
  if (shard.batch_seq != known.batches + 1)
    blame("I-7", name + ": batch sequence went from " + std::to_string(known.batches) + " to "
                     + std::to_string(shard.batch_seq) + " by one commit");
  known.batches = shard.batch_seq;
  const auto [first, fresh] = committers_.try_emplace({part.shard, shard.epoch}, incarnation);
  if (first->second != incarnation)
    blame("I-7", name + ": two nodes committed under epoch " + std::to_string(shard.epoch) + ": "
                     + to_string(first->second) + " and " + to_string(incarnation));
  log_.mix(part.shard);
  log_.mix(shard.batch_seq);
  log_.mix(shard.event_seq);
}

void auditor::check_outbox(core::shard_id shard) {
  auto& known = shards_[shard];
  const auto rows = t_.outbox.find(shard);
  const auto name = "outbox of shard " + std::to_string(shard);
  for (; rows != t_.outbox.end() && known.rows < rows->second.size(); ++known.rows) {
    const auto& row = rows->second[known.rows];
    if (row.first_seq != known.last + 1 || row.events.empty())
      blame("I-7", name + " is not gapless: a row begins at " + std::to_string(row.first_seq)
                       + " after " + std::to_string(known.last));
    if (row.epoch < known.epoch || row.batch_seq <= known.batch_seq)
      blame("I-7", name + ": a row of epoch " + std::to_string(row.epoch) + ", batch "
                       + std::to_string(row.batch_seq) + " follows one of epoch "
                       + std::to_string(known.epoch) + ", batch "
                       + std::to_string(known.batch_seq));
    known.last += row.events.size();
    known.epoch = row.epoch;
    known.batch_seq = row.batch_seq;
    for (const auto& event : row.events) {
      count_event(event);
      const auto deviation = test::deviation_from_schema(core::to_json(event));
      if (!deviation.empty())
        blame("schemas", name + ": " + deviation);
    }
  }
  if (t_.shards[shard].event_seq != known.last)
    blame("I-7", name + " ends at " + std::to_string(known.last) + ", the shard's counter says "
                     + std::to_string(t_.shards[shard].event_seq));
}

void auditor::count_event(const core::event& event) {
  switch (event.type) {
  case event_type::unit_ready_for_assignment:
    ++units_[event.unit].announced;
    return;
  case event_type::judgment_received:
    ++units_[event.unit].judged;
    ++received_[event.judgment];
    return;
  case event_type::unit_finalized:
    check_told_revision(event);
    ++units_[event.unit].finalized;
    return;
  case event_type::unit_reopened:
    check_told_result(event);
    ++units_[event.unit].told_reopened;
    return;
  case event_type::unit_withdrawn:
    check_told_result(event);
    ++units_[event.unit].told_withdrawn;
    return;
  case event_type::judgment_reinstated:
    ++units_[event.unit].told_reinstated;
    return;
  case event_type::unit_canceled:
    ++units_[event.unit].canceled;
    if (!event.details.empty()) {
      units_[event.unit].canceled_with_parent = true;
      ++canceled_with_parent_;
    }
    return;
  case event_type::test_judgment:
    ++units_[event.unit].tested;
    return;
  case event_type::contributor_flagged:
    ++steps_[event.step].flagged;
    return;
  case event_type::job_step_updated:
  case event_type::unit_task_ended:
  case event_type::event_unreadable:
  case event_type::task_completed:
  case event_type::task_failed:
  case event_type::task_dead:
  case event_type::task_canceled:
    return;
  }
}

void auditor::check_swept(const unit_rows& rows) {
  const auto check = [&](const std::string& text) {
    require(!tasks_.is_swept(text), "I-12", rows.id, "an object was swept that a unit refers to");
  };
  check(rows.unit->made.input);
  for (const auto* judged : rows.judgments)
    check(judged->made.payload);
  for (const auto* kept : rows.surplus)
    check(kept->payload);
}

void auditor::check_unit(const core::unit_id& id) {
  const auto rows = rows_of(id);
  if (!require(rows.unit != nullptr, "I-12", id, "a committed unit is missing"))
    return;
  auto& known = units_[id];
  if (!known.entered) {
    known.entered = true;
    known.step = rows.unit->made.step;
    steps_[known.step].units += rows.is_test_question() ? 0 : 1;
    if (check_version(rows))
      check_chain(rows);
  }
  check_gathered(rows, known);
  check_swept(rows);
  require(rows.active.size() + rows.counted().size() <= rows.unit->made.slots, "I-1", id,
          "more leases and judgments that count than slots");
  check_tokens(rows, known);
  check_pairs(rows);
  check_surplus(rows);
  check_judgments(rows);
  check_names_version(rows);
  check_tasks_of(rows);
  check_end(rows, known);
  check_events(rows, known);
}

void auditor::check_tokens(const unit_rows& rows, unit_memory& known) {
  std::size_t seen = 0;
  auto last_known = known.tokens.empty() ? core::token{0} : known.tokens.rbegin()->first;
  if (const auto forgotten = forgotten_tokens_.find(rows.id); forgotten != forgotten_tokens_.end())
    last_known = std::max(last_known, forgotten->second);
  const auto see = [&](const core::lease& lease, bool fresh_allowed) {
    ++seen;
    const auto before = known.tokens.find(lease.token);
    if (before != known.tokens.end()) {
      require(before->second.owner == lease.owner && before->second.assignment == lease.id, "I-3",
              rows.id, "a token has changed hands");
      return;
    }
    require(lease.token > last_known, "I-3", rows.id, "a lease was granted under an old token");
    known.tokens.emplace(lease.token, granted{lease.owner, lease.id});
    if (fresh_allowed)
      check_new_lease(rows, lease);
  };
  for (const auto* lease : rows.active)
    see(*lease, true);
  // A lease may be granted, extended and ended between two looks only in different batches, and
  // each batch is looked at; so these are always known. Should they not be, only their order is
  // checked.
  for (const auto* ended : rows.ended)
    see(ended->lease, false);
  for (const auto* judged : rows.judgments)
    see(judged->lease, false);
  require(seen == known.tokens.size(), "I-3", rows.id,
          "two rows share a token, or a granted lease has vanished");
}

void auditor::check_new_lease(const unit_rows& rows, const core::lease& lease) {
  const auto policy = policy_for(rows.unit->made, lease.owner);
  const auto lasts = [&](core::duration ttl) { return lease.expires_at == lease.granted_at + ttl; };
  require(lasts(policy.ttl)
              || (rows.is_test_question()
                  && in_some_form(rows.unit->made,
                                  [&](const auto& step) { return lasts(step.lease.ttl); })),
          "lease policy", rows.id, "a fresh lease does not last for its time to live");
  const auto open_after = [&](const persistence::memory::ended_row& ended) {
    const auto by = [&](const core::lease_policy& rule) {
      return lease.granted_at >= core::barred_until(rule, ended.how, ended.at);
    };
    return by(policy)
           || (rows.is_test_question()
               && in_some_form(rows.unit->made, [&](const auto& step) { return by(step.lease); }));
  };
  for (const auto* ended : rows.ended)
    if (ended->lease.owner == lease.owner)
      require(open_after(*ended), "lease policy", rows.id,
              "a lease was granted to somebody who is barred from the unit");
  check_quiz_passed(rows, lease);
  check_question_due(rows, lease);
  const auto& step = rows.unit->made.step;
  require(!is_removed(step, lease.owner)
              || lease.granted_at <= t_.standings.at({step, lease.owner}).at,
          "removal", rows.id, "a lease was granted to somebody who has been removed");
  require(core::is_task_judge(lease.owner) || may_work(rows.unit->made.step, lease.owner),
          "requirements", rows.id, "a lease was granted to somebody who lacks what the step asks");
  for (const auto* other : rows.active)
    require(other == &lease || other->id != lease.id, "I-2", rows.id,
            "two active leases have one assignment id");
  const auto first = named_.try_emplace(lease.id, rows.id, lease.token).first->second;
  require(first == std::pair{rows.id, lease.token} || core::is_task_judge(lease.owner)
              || time_of(lease.id.value) + core::late_request_most < lease.granted_at,
          "I-3", rows.id, "two leases have one assignment id");
}

void auditor::check_pairs(const unit_rows& rows) {
  for (const auto* lease : rows.active) {
    const auto allows = [&](const core::lease_policy& policy) {
      return lease->expires_at <= lease->granted_at + std::max(policy.ttl, policy.total_max);
    };
    require(allows(policy_for(rows.unit->made, lease->owner))
                || (rows.is_test_question()
                    && in_some_form(rows.unit->made,
                                    [&](const auto& step) { return allows(step.lease); })),
            "lease policy", rows.id, "a lease lasts longer than its policy allows");
    require(t_.judgments.count({rows.id, lease->owner}) == 0, "I-2", rows.id,
            "a contributor holds a lease on a unit they have judged");
  }
  for (const auto* judged : rows.judgments) {
    require(judged->made.token == judged->lease.token && judged->made.owner == judged->lease.owner,
            "I-3", rows.id, "a judgment was stored under another token than its lease's");
    const bool in_time = judged->made.submitted_at < judged->lease.expires_at;
    require(judged->made.submitted_at >= judged->lease.granted_at && in_time != judged->late, "I-3",
            rows.id, "a judgment was accepted outside its lease");
    require(!judged->late
                || in_some_form(rows.unit->made,
                                [](const auto& step) {
                                  return step.lease.late_submit
                                         == core::late_submit::accept_if_free;
                                }),
            "lease policy", rows.id, "a late judgment counts against the policy of its unit");
  }
}

void auditor::check_surplus(const unit_rows& rows) {
  for (const auto* kept : rows.surplus) {
    const bool kept_by_policy = in_some_form(rows.unit->made, [](const auto& step) {
      return step.lease.late_submit != core::late_submit::reject;
    });
    require(kept_by_policy, "lease policy", rows.id,
            "surplus was kept where late judgments are rejected");
    const auto ended = t_.ended_leases.find({rows.id, kept->token});
    require(ended != t_.ended_leases.end() && ended->second.lease.owner == kept->owner
                && ended->second.how == core::lease_end::expired
                && kept->submitted_at >= ended->second.lease.expires_at,
            "I-1", rows.id, "surplus was kept that did not come after an expired lease");
    require(received_.count(kept->id) == 0, "I-1", rows.id, "surplus was told of as if it counted");
  }
}

/// The state of the unit has changed.
void auditor::note_end(const unit_rows& rows, unit_memory& known) {
  const auto state = rows.unit->state;
  const bool was_finalized = known.state == unit_state::finalized;
  const bool taken_back = was_finalized && rows.unit->reopened == known.reopened + 1;
  const bool called_off = was_finalized && !taken_back && state == unit_state::canceled;
  require(!is_final(known.state) || taken_back || called_off, "finality", rows.id,
          "a finished unit has changed its state");
  if (taken_back) {
    --steps_[known.step].finished;
    ++steps_[known.step].reopened;
  }
  if (called_off) { // and finished before
    known.withdrawn = true;
    ++withdrawn_;
  } else if (is_final(state) && !rows.is_test_question()) {
    ++steps_[known.step].finished;
  }
  if (state == unit_state::finalized) {
    known.outcomes.push_back({rows.unit->result.value_or(std::string{}), rows.unit->route});
    known.behind.clear();
    for (const auto* judged : rows.counted())
      known.behind.insert(judged->made.id);
  }
  known.state = state;
  known.reopened = rows.unit->reopened;
}

void auditor::check_end(const unit_rows& rows, unit_memory& known) {
  const auto state = rows.unit->state;
  if (state != known.state)
    note_end(rows, known);
  require(known.reopened == rows.unit->reopened, "finality", rows.id,
          "a result was taken back from a unit that had none");
  known.states.insert(state);
  check_withdrawn(rows, known);
  if (is_final(state))
    require(rows.active.empty(), "I-1", rows.id, "a finished unit has an active lease");
  if (state != unit_state::finalized)
    return;
  check_result(rows);
  check_route(rows);
}

void auditor::check_events(const unit_rows& rows, const unit_memory& known) {
  const bool to_be_told = !rows.is_test_question() && !rows.unit->made.gathered;
  require(known.announced == (to_be_told ? 1 : 0), "I-4", rows.id,
          "not exactly one UnitReadyForAssignment, or one for what nobody is to work on");
  require(known.tested == (rows.is_test_question() ? rows.judgments.size() : 0), "I-11", rows.id,
          "not exactly one TestJudgmentEvent for each answer to a test question");
  require(known.judged == rows.judgments.size(), "I-4", rows.id,
          "not exactly one JudgmentReceived for each judgment");
  for (const auto* judged : rows.judgments)
    require(received_[judged->made.id] == 1, "I-4", rows.id,
            "not exactly one JudgmentReceived for a judgment");
  const bool has_result = rows.unit->state == unit_state::finalized || known.withdrawn;
  require(known.finalized == rows.unit->reopened + (has_result ? 1 : 0), "I-5", rows.id,
          "UnitFinalized does not match the unit's results");
  require(known.told_reopened == rows.unit->reopened, "I-5", rows.id,
          "not exactly one UnitReopened for each result that was taken back");
  require(known.told_reinstated == known.restored, "I-11", rows.id,
          "not exactly one JudgmentReinstated for each judgment that counts again");
  require(known.told_withdrawn == (known.withdrawn ? 1 : 0), "I-5", rows.id,
          "UnitWithdrawn does not match the unit's state");
  const bool told =
      rows.unit->state == unit_state::canceled && !rows.is_test_question() && !known.withdrawn;
  require(known.canceled == (told ? 1 : 0), "I-5", rows.id,
          "UnitCanceled does not match the unit's state");
}

void auditor::check_step(const core::step_id& id) {
  const auto found = t_.steps.find(id);
  if (found == t_.steps.end())
    return blame("I-12", "a committed step is missing" + dump(id));
  const auto& row = found->second.row;
  auto& known = steps_[id];
  const auto hold = [&](bool holds, const char* invariant, const char* what) {
    if (!holds && !found_)
      blame(invariant, what + dump(id));
  };
  hold(row.total_units == known.units, "I-6", "total_units is not the number of units");
  // Those that were opened again are counted by what is told of it.
  hold(row.completed_units <= known.finished + known.reopened, "I-6",
       "more units counted than are finished");
  hold(row.revision >= known.revision, "finality", "the step's revision went back");
  hold(known.status != core::step_status::canceled || row.status == known.status, "finality",
       "a canceled step has changed its status");
  hold(row.status != core::step_status::completed
           || (row.sealed && row.completed_units == row.total_units),
       "I-6", "completed without being sealed and done");
  known.revision = row.revision;
  known.status = row.status;
}

void auditor::check_inboxes() {
  for (const auto& [consumer, messages] : t_.inbox)
    for (const auto& message : messages)
      if (message.seq > t_.shards.at(message.shard).event_seq)
        blame("I-8", consumer + " has applied a message that was never written");
  for (const auto& [key, seq] : t_.cursors)
    if (seq > t_.shards.at(key.second).event_seq)
      blame("I-8", "the cursor of " + key.first + " is beyond the last event");
}

void auditor::check_all() {
  for (const auto& [id, row] : t_.workflows)
    check_versions(id);
  for (const auto& [id, row] : t_.units)
    check_unit(id);
  for (const auto& [id, row] : t_.steps)
    check_step(id);
  check_inboxes();
  tasks_.check_all();
  for (const auto& [id, known] : units_)
    require(t_.units.count(id) != 0, "I-12", id, "a committed unit has vanished");
  for (const auto& [id, sent] : judgments_) {
    const auto row = t_.judgments.find({sent.unit, sent.contributor});
    require(row != t_.judgments.end() && row->second.made.id == id
                && whole(row->second.made.payload) == sent.payload,
            "I-12", sent.unit, "an acknowledged judgment is not in the database");
  }
  for (const auto& [id, sent] : surplus_)
    check_kept(sent);
  for (const auto& key : keys_)
    if (t_.units_by_source_key.count(key) == 0)
      blame("I-12", "acknowledged source data is not in the database: " + key.second);
}

// --- quiescence ---

std::string auditor::unfinished() const {
  auto open = tasks_.unfinished();
  if (open.empty())
    open = unfinished_units();
  if (open.empty())
    open = unfinished_jobs();
  return open.empty() ? unfinished_repairs() : open;
}

std::string auditor::unfinished_units() const {
  const auto canceled = [&](const core::step_id& id) {
    return t_.steps.at(id).row.status == core::step_status::canceled;
  };
  for (const auto& [id, row] : t_.units) {
    if (core::is_open(row.state) && !canceled(row.made.step) && row.made.truth.empty())
      return "I-10: a unit is not finished" + dump(id);
    if (row.state == unit_state::finalized)
      for (const auto& [next, due] : children_due(row))
        for (std::uint32_t part = 0; part < due; ++part)
          if (t_.children.count({id, next, part, row.reopened}) == 0 && !canceled(next))
            return "I-5: a finalized unit has no child in step " + brief(next) + dump(id);
  }
  if (auto left = unfinished_withdrawals(); !left.empty())
    return left;
  if (auto waiting = unfinished_batches(); !waiting.empty())
    return waiting;
  if (t_.steps.empty() && drawn_.units > 0)
    return "no workflow has been created";
  for (const auto& [id, row] : t_.steps) {
    const auto known = steps_.find(id);
    if (known != steps_.end() && row.row.completed_units != known->second.finished)
      return "I-6: completed_units is not the number of finished units" + dump(id);
    if (row.row.sealed && !canceled(id) && row.row.status != core::step_status::completed)
      return "I-6: a sealed step whose units are finished is not complete" + dump(id);
    if (row.row.position == 0 && !row.row.sealed && !canceled(id))
      return "the first step is not sealed" + dump(id);
    const auto upstreams = upstreams_of(id);
    const bool all_complete = std::all_of(upstreams.begin(), upstreams.end(), [&](const auto& up) {
      return t_.steps.at(up).row.status == core::step_status::completed;
    });
    for (const auto& up : upstreams) {
      const auto& before = t_.steps.at(up).row;
      if ((row.row.upstreams_completed >> before.position & 1)
          != (before.status == core::step_status::completed ? 1U : 0U))
        return "I-6: a step does not know which of those before it are complete" + dump(id);
    }
    if (!upstreams.empty() && row.row.sealed != all_complete && !canceled(id))
      return "I-6: a step is sealed, but not all before it are complete, or the other way round"
             + dump(id);
  }
  return {};
}

void auditor::check_quiescent(core::instant now) {
  check_all();
  for (const auto& open : {unfinished_units(), unfinished_jobs(), unfinished_repairs()})
    if (!open.empty())
      blame("liveness", open);
  check_repairs();
  tasks_.check_quiescent(now);
  check_removed_are_gone();
  for (const auto& [id, row] : t_.units)
    check_children(id);
  for (const auto& [key, lease] : t_.active_leases)
    require(lease.expires_at + expiry_bound > now, "I-9", key.first,
            "a lease has run out long ago and is still there");
}

void auditor::check_settled(const core::cluster_view& view) {
  for (const auto& node : view.nodes) {
    const auto plan = core::plan_hosting(view, node.incarnation, {});
    if (plan.superseded || !plan.take.empty() || !plan.hand_over.empty())
      blame("hosting settles", "node " + node.name + " has " + std::to_string(plan.take.size())
                                   + " shards to take and " + std::to_string(plan.hand_over.size())
                                   + " to hand over");
  }
}

// --- what was acknowledged ---

void auditor::sending(const msg::add_source_data& data) {
  const auto acknowledged_one = acknowledged_versions_[t_.steps.at(data.step).row.workflow];
  for (const auto& row : data.rows) {
    const auto sent =
        keys_sent_.try_emplace({data.step, row.key}, sent_key{acknowledged_one, {}}).first;
    sent->second.slots.insert(row.judgments);
  }
}

void auditor::sending(const msg::add_test_questions& data) {
  for (const auto& row : data.rows)
    keys_sent_.try_emplace({data.step, row.key});
}

void auditor::acknowledged(const msg::create_workflow& asked, const msg::workflow_created& answer) {
  const auto row = t_.workflows.find(asked.workflow);
  if (row == t_.workflows.end() || row->second.definitions.front() != asked.definition)
    return blame("I-12", "an acknowledged workflow is not in the database");
  for (const auto& step : answer.steps)
    if (t_.steps.count(step.step) == 0)
      blame("I-12", "a step of an acknowledged workflow is not in the database");
}

template <class Rows>
void auditor::check_added(const core::step_id& step, const Rows& rows,
                          const msg::source_data_added& answer) {
  if (answer.added + answer.already_there + answer.problems.size() != rows.size())
    blame("conservation", "rows added, known and refused are not all rows");
  std::set<std::size_t> refused;
  for (const auto& problem : answer.problems)
    refused.insert(problem.row);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (refused.count(i) != 0)
      continue;
    const std::pair key{step, rows[i].key};
    keys_.insert(key);
    if (t_.units_by_source_key.count(key) == 0)
      blame("I-12", "acknowledged source data is not in the database: " + key.second);
  }
}

void auditor::acknowledged(const msg::add_source_data& asked,
                           const msg::source_data_added& answer) {
  check_added(asked.step, asked.rows, answer);
}

void auditor::acknowledged(const msg::add_test_questions& asked,
                           const msg::source_data_added& answer) {
  check_added(asked.step, asked.rows, answer);
}

void auditor::acknowledged(const msg::remove_contributor& asked, const msg::contributor_removed&) {
  if (t_.standings.count({asked.step, asked.contributor}) == 0)
    blame("I-12", "an acknowledged removal is not in the database: " + asked.contributor);
}

void auditor::acknowledged(const msg::forgive_question& asked,
                           const msg::question_forgiven& answer) {
  require(!answer.forgiven || ever_forgiven_.count(asked.unit) != 0, "I-12", asked.unit,
          "an acknowledged forgiving is not in the database");
}

void auditor::acknowledged(const msg::repair_contributor& asked,
                           const msg::repair_progress& answer) {
  const auto found = t_.repairs.find(asked.repair);
  if (found == t_.repairs.end() || found->second.bookmark < answer.units_done
      || found->second.figures.found < answer.found)
    blame("I-12", "a repair is not as far as was acknowledged: " + asked.contributor);
}

void auditor::acknowledged(const msg::repair_question& asked, const msg::repair_progress& answer) {
  acknowledged(msg::repair_contributor{asked.step, asked.repair, answer.contributor, asked.dry_run},
               answer);
}

void auditor::acknowledged(const msg::seal_step& asked, const msg::step_view& answer) {
  acknowledged(msg::change_step{asked.step, 0}, answer);
}

void auditor::acknowledged(const msg::change_step& asked, const msg::step_view& answer) {
  const auto found = t_.steps.find(asked.step);
  if (found == t_.steps.end() || found->second.row.revision < answer.revision)
    return blame("I-12",
                 "an acknowledged change of a step is not in the database" + dump(asked.step));
  const auto& row = found->second.row;
  if (row.revision == answer.revision
      && (row.status != answer.status || row.sealed != answer.sealed))
    blame("I-12",
          "a step was acknowledged in another state than its revision's" + dump(asked.step));
}

void auditor::acknowledged(const msg::change_unit& asked, const msg::unit_changed& answer) {
  const auto known = units_.find(asked.unit);
  require(known != units_.end() && known->second.states.count(answer.state) != 0, "I-12",
          asked.unit, "an acknowledged change of a unit is not in the database");
}

void auditor::acknowledged(const msg::list_results&, const msg::result_page& answer) {
  for (const auto& result : answer.results) {
    const auto row = t_.units.find(result.unit);
    require(row != t_.units.end()
                && ((result.state != unit_state::finalized && result.result.empty())
                    || units_.at(result.unit).results.count(result.result) != 0),
            "I-12", result.unit, "a published result is not in the database");
  }
}

void auditor::sending(const msg::get_lineage& asked) {
  const auto unit = t_.units.find(asked.unit);
  if (unit == t_.units.end() || to_be_told_.count(asked.unit) != 0)
    return;
  auto& told = to_be_told_[asked.unit];
  for (const auto& [id, sent] : judgments_)
    if (const auto judged = t_.units.find(sent.unit);
        judged != t_.units.end() && judged->second.made.root == unit->second.made.root)
      told.insert(id);
}

void auditor::acknowledged(const msg::get_lineage& asked, const msg::unit_lineage& answer) {
  auto missing = to_be_told_[asked.unit];
  bool found = false;
  for (const auto& unit : answer.units) {
    found = found || unit.unit == asked.unit;
    const auto row = t_.units.find(unit.unit);
    if (!require(row != t_.units.end() && row->second.made.root == answer.root
                     && row->second.made.parent == unit.parent
                     && row->second.made.step == unit.step,
                 "I-12", unit.unit, "a unit is told of that is not in the database"))
      return;
    require(row->second.made.version == unit.version, "I-12", unit.unit,
            "a unit is told of under another version than its own");
    require(unit.result.empty() || units_.at(unit.unit).results.count(unit.result) != 0, "I-12",
            unit.unit, "a result is told of that it never had");
    std::set<core::token> tokens;
    for (const auto& lease : unit.leases)
      require(tokens.insert(lease.token).second, "I-3", unit.unit, "a lease is told of twice");
    for (const auto& told : unit.judgments) {
      if (told.status == "Surplus") {
        const auto kept = rows_of(unit.unit).surplus;
        const auto same = std::find_if(kept.begin(), kept.end(), [&](const auto* one) {
          return one->id == told.judgment && one->owner == told.contributor;
        });
        require(same != kept.end() && whole((*same)->payload) == whole(told.payload) && !told.counts
                    && tokens.count((*same)->token) != 0,
                "I-12", unit.unit, "surplus is told of otherwise than it was given");
        continue;
      }
      missing.erase(told.judgment);
      const auto judged = t_.judgments.find({unit.unit, told.contributor});
      require(judged != t_.judgments.end() && judged->second.made.id == told.judgment
                  && whole(judged->second.made.payload) == whole(told.payload)
                  && (told.counts || judged->second.tainted_at)
                  && tokens.count(judged->second.made.token) != 0,
              "I-12", unit.unit, "a judgment is told of otherwise than it was given");
    }
  }
  if (answer.more)
    return;
  require(found, "I-12", asked.unit, "a unit is left out of the lineage of its item");
  require(missing.empty(), "I-12", asked.unit,
          "an acknowledged judgment is left out of the lineage of its item");
}

void auditor::acknowledged(const msg::explain_contributor& asked,
                           const msg::contributor_explanation& answer) {
  if (answer.contributor != asked.contributor || answer.reasons.empty())
    blame("explanations", "nobody says why " + asked.contributor + " gets nothing");
}

void auditor::acknowledged(const msg::get_step_quality& asked, const msg::step_quality& answer) {
  for (const auto& one : answer.concerns)
    if (const auto what = core::monitor_named(one.monitor);
        !what
        || (drawn_.monitors && t_.standings.count({asked.step, one.contributor}) == 0
            && t_.flags.count({asked.step, one.contributor, *what}) == 0))
      blame("I-12", "the " + one.monitor + " of " + one.contributor
                        + " is told of before its flag is durable" + dump(asked.step));
}

void auditor::acknowledged(const msg::ask_assignment& asked, const msg::assignment& answer) {
  const auto rows = rows_of(answer.unit);
  bool there = false;
  const auto look = [&](const core::lease& lease) {
    there = there
            || (lease.token == answer.token && lease.owner == asked.contributor
                && lease.id == asked.assignment && lease.expires_at >= answer.expires_at);
  };
  for (const auto* lease : rows.active)
    look(*lease);
  for (const auto* ended : rows.ended)
    look(ended->lease);
  for (const auto* judged : rows.judgments)
    look(judged->lease);
  require(there, "I-12", answer.unit, "an acknowledged lease is not in the database");
  require(answer.id == asked.assignment && answer.step == asked.step
              && (rows.unit == nullptr
                  || (rows.unit->made.step == asked.step
                      && whole(rows.unit->made.input) == answer.input)),
          "I-12", answer.unit, "an assignment is not what was asked for");
  require(may_work(asked.step, asked.contributor), "requirements", answer.unit,
          "an assignment was given to somebody who lacks what the step asks");
}

void auditor::acknowledged(const msg::release_assignment& asked, const msg::assignment_released&) {
  const auto lease = t_.active_leases.find({asked.unit, asked.contributor});
  require(lease == t_.active_leases.end() || lease->second.token != asked.token, "I-12", asked.unit,
          "an acknowledged release is not in the database");
}

void auditor::acknowledged(const msg::extend_assignment& asked,
                           const msg::assignment_extended& answer) {
  const auto rows = rows_of(asked.unit);
  bool there = false;
  const auto look = [&](const core::lease& lease) {
    there = there
            || (lease.token == asked.token && lease.owner == asked.contributor
                && lease.expires_at >= answer.expires_at);
  };
  for (const auto* lease : rows.active)
    look(*lease);
  for (const auto* ended : rows.ended)
    look(ended->lease);
  for (const auto* judged : rows.judgments)
    look(judged->lease);
  require(there, "I-12", asked.unit, "an acknowledged extension is not in the database");
}

void auditor::check_kept(const msg::submit_judgment& sent) {
  const auto row = t_.surplus_judgments.find({sent.unit, sent.token});
  require(row != t_.surplus_judgments.end() && row->second.id == sent.judgment
              && row->second.owner == sent.contributor
              && whole(row->second.payload) == sent.payload,
          "I-12", sent.unit, "a judgment that was acknowledged as surplus is not in the database");
}

void auditor::acknowledged(const msg::submit_judgment& asked,
                           const msg::judgment_accepted& answer) {
  const auto row = t_.judgments.find({asked.unit, asked.contributor});
  const bool counts = row != t_.judgments.end() && row->second.made.id == asked.judgment;
  const bool told_late_only = defined(t_.units.at(asked.unit).made).test_questions.has_value();
  if (answer.surplus && !(told_late_only && counts)) {
    require(answer.judgment == asked.judgment, "I-12", asked.unit,
            "another judgment was kept than was handed in");
    check_kept(asked);
    surplus_.emplace(asked.judgment, asked);
    return;
  }
  if (told_late_only && counts)
    require(answer.surplus == row->second.late, "test questions", asked.unit,
            "the answer to a late judgment says whether it counts");
  if (!require(row != t_.judgments.end() && row->second.made.id == asked.judgment
                   && answer.judgment == asked.judgment
                   && whole(row->second.made.payload) == asked.payload,
               "I-12", asked.unit, "an acknowledged judgment is not in the database"))
    return;
  if (!answer.repeated)
    require(row->second.made.token == asked.token, "I-3", asked.unit,
            "a judgment was accepted under a token that does not hold the lease");
  judgments_.emplace(asked.judgment, asked);
}

void auditor::acknowledged(const msg::end_session&, const msg::session_ended&) {}

} // namespace holdfast::sim
