#include "persistence/memory_correction_changes.hpp"
#include "persistence/taken_ids.hpp"

#include <algorithm>
#include <array>

namespace holdfast::persistence::memory {

namespace {

constexpr std::uint32_t versions_max = INT16_MAX; // the schema keeps them as smallint

/// Applies the writes of a batch one by one.
class transaction : public correction_changes {
public:
  transaction(tables& t, core::instant now) : correction_changes(t), now_(now) {}

  using correction_changes::operator();

  void operator()(const core::insert_workflow& w) {
    require_text(w.name);
    require_text(w.definition);
    require_instant(w.created_at);
    insert(t_.workflows, w.id, workflow_row{w.name, w.created_at, {w.definition}});
  }

  void operator()(const core::insert_workflow_version& w) {
    require_text(w.definition);
    require_instant(w.created_at);
    require(w.version <= versions_max, "22003: number beyond smallint");
    require(t_.workflows.count(w.workflow) != 0, "23503: the version's workflow does not exist");
    auto& definitions = change(t_.workflows, w.workflow).definitions;
    require(w.version == definitions.size() + 1, "22012: the version is not the next");
    definitions.push_back(w.definition);
  }

  void operator()(const core::insert_step& w) {
    check(w.row);
    require_instant(w.created_at);
    require(t_.workflows.count(w.row.workflow) != 0, "23503: the step's workflow does not exist");
    for (const auto& [id, other] : t_.steps)
      require(other.row.workflow != w.row.workflow
                  || (other.row.key != w.row.key && other.row.position != w.row.position),
              "23505: another step of the workflow has this key or position");
    insert(t_.steps, w.row.id, step_row{w.row, w.created_at});
  }

  void operator()(const core::update_step& w) {
    check(w.row);
    auto& row = change(t_.steps, w.row.id).row;
    row.status = w.row.status;
    row.sealed = w.row.sealed;
    row.total_units = w.row.total_units;
    row.completed_units = w.row.completed_units;
    row.revision = w.row.revision;
    row.upstreams_completed = w.row.upstreams_completed;
    row.job_revision = w.row.job_revision;
    row.job = w.row.job;
  }

  void operator()(const core::insert_unit& w) {
    require_text(w.source_key);
    require_text(w.input);
    require_text(w.truth);
    require_instant(w.created_at);
    require_bigint(w.ordinal);
    require(w.ordinal > 0, "23514: ordinals begin at 1");
    require(w.slots > 0 && w.slots <= INT32_MAX, "23514: a unit has at least one slot");
    require(!w.parent == (w.root == w.id), "23514: a unit is its own root unless it has a parent");
    require(w.truth.empty() || !w.parent, "23514: a test question has no parent");
    require_integer(w.loops);
    require_integer(w.part);
    require(w.part == 0 || w.parent, "23514: only a child has a place among its siblings");
    require_integer(w.parent_reopened);
    require(w.parent_reopened == 0 || w.parent, "23514: only a child has a parent's result");
    require(w.version >= 1 && w.version <= versions_max, "23514: versions begin at 1");
    if (w.list.of) {
      require_integer(w.list.size);
      require(w.list.part < w.list.size, "23514: a list has no such item");
    }
    require(!w.gathered || w.truth.empty(), "23514: a test question is not gathered");
    for (const auto& contributor : w.excluded) {
      require_text(contributor);
      require(!contributor.empty() && contributor.size() <= 128,
              "23514: ids of contributors and workers have 1 to 128 bytes");
    }
    require(std::set<core::contributor_id>{w.excluded.begin(), w.excluded.end()}.size()
                == w.excluded.size(),
            "23505: somebody is excluded twice");
    require(t_.steps.count(w.step) != 0, "22012: the unit's step does not exist");
    if (w.parent) {
      require(t_.units.count(w.parent) != 0, "23503: the parent does not exist");
      insert_key(t_.children, {w.parent, w.step, w.part, w.parent_reopened});
    }
    insert(t_.units_by_source_key, {w.step, w.source_key}, w.id);
    insert(t_.units_by_ordinal, {w.step, w.ordinal}, w.id);
    insert(t_.units, w.id,
           unit_row{w, w.gathered ? core::unit_state::gathered : core::unit_state::judgable});
  }

  void operator()(const core::gather_units& w) {
    const auto batch = t_.units.find(w.batch);
    for (const auto& member : w.members) {
      require(batch != t_.units.end() && batch->second.state < core::unit_state::finalized,
              "22012: the batch is not open");
      auto& row = change(t_.units, member);
      require(row.state == core::unit_state::gathered && !row.batch
                  && row.made.step == batch->second.made.step,
              "22012: the unit does not wait for a batch of its step");
      row.batch = w.batch;
      insert_key(t_.units_by_batch, {w.batch, member});
    }
  }

  void operator()(const core::ungather_units& w) {
    const auto batch = t_.units.find(w.batch);
    for (const auto& member : w.members) {
      require(batch != t_.units.end() && batch->second.state == core::unit_state::canceled,
              "22012: the batch is not canceled");
      auto& row = change(t_.units, member);
      require(row.batch && row.batch == w.batch, "22012: the unit is not part of the batch");
      row.batch = {};
      ++row.ungathered;
      erase_key(t_.units_by_batch, {w.batch, member});
    }
  }

  void operator()(const core::set_unit_slots& w) {
    require(w.slots > 0 && w.slots <= INT32_MAX, "23514: a unit has at least one slot");
    open(w.unit).made.slots = w.slots;
  }

  void operator()(const core::set_unit_state& w) {
    require_instant(w.at);
    require(w.state != core::unit_state::finalized, "23514: finalizing needs a result");
    require(w.state != core::unit_state::gathered, "23514: a unit is made as gathered");
    auto& row = open(w.unit);
    row.state = w.state;
    row.changed_at = w.at;
  }

  void operator()(const core::set_unit_input& w) {
    require_text(w.input);
    auto& row = open(w.unit);
    require(row.made.truth.empty(), "22012: the unit is a test question");
    require(!row.made.parent, "22012: the unit was made from another one");
    row.made.input = w.input;
  }

  void operator()(const core::finalize_unit& w) {
    require_text(w.result);
    require_text(w.route_reason);
    require_instant(w.at);
    require(w.route >= core::no_route, "23514: no such route");
    require(w.confidence >= 0 && w.confidence <= 1, "23514: confidence is between 0 and 1");
    auto& row = open(w.unit);
    require(row.made.truth.empty(), "23514: a test question is never finalized");
    row.state = core::unit_state::finalized;
    row.changed_at = w.at;
    row.result = w.result;
    row.confidence = w.confidence;
    row.route = w.route;
    row.route_reason = w.route_reason;
    row.overridden = false;
  }

  void operator()(const core::reopen_unit& w) {
    require(w.slots > 0 && w.slots <= INT32_MAX, "23514: a unit has at least one slot");
    require_instant(w.at);
    auto& row = change(t_.units, w.unit);
    require(row.state == core::unit_state::finalized, "22012: the unit is not finalized");
    row.state = core::unit_state::judgable;
    row.changed_at = w.at;
    row.made.slots = w.slots;
    row.result.reset();
    row.confidence = 0;
    row.route = core::no_route;
    row.route_reason.clear();
    row.overridden = false;
    ++row.reopened;
  }

  void operator()(const core::restate_unit& w) {
    require_text(w.result);
    require(w.confidence >= 0 && w.confidence <= 1, "23514: confidence is between 0 and 1");
    auto& row = change(t_.units, w.unit);
    require(row.state == core::unit_state::finalized, "22012: the unit is not finalized");
    row.result = w.result;
    row.confidence = w.confidence;
  }

  void operator()(const core::withdraw_unit& w) {
    require_instant(w.at);
    auto& row = change(t_.units, w.unit);
    require(row.state == core::unit_state::finalized
                || (row.state == core::unit_state::gathered && !row.batch),
            "22012: the unit is neither finalized nor waiting");
    row.state = core::unit_state::canceled;
    row.changed_at = w.at;
  }

  void operator()(const core::insert_lease& w) {
    require_lease(w.lease);
    const auto unit = t_.units.find(w.unit);
    require(unit != t_.units.end() && unit->second.state < core::unit_state::finalized,
            "22012: the lease's unit is not open");
    insert_key(t_.assignment_ids, w.lease.id);
    insert(t_.active_leases, {w.unit, w.lease.owner}, w.lease);
  }

  void operator()(const core::extend_lease_row& w) {
    require_instant(w.expires_at);
    auto& lease = change(t_.active_leases, {w.unit, w.owner});
    require(lease.token == w.token, "22012: no lease under this token");
    lease.granted_at = std::min(lease.granted_at, w.expires_at - core::duration{1});
    lease.expires_at = w.expires_at;
  }

  void operator()(const core::end_lease_row& w) {
    require_instant(w.at);
    insert(t_.ended_leases, {w.unit, w.token},
           ended_row{take_lease(w.unit, w.owner, w.token), w.how, w.at});
  }

  void operator()(const core::insert_judgment& w) {
    check_counted(w);
    insert_key(t_.judgment_ids, w.id);
    insert(t_.judgments, {w.unit, w.owner}, judgment_row{w, take_lease(w.unit, w.owner, w.token)});
  }

  void operator()(const core::insert_late_judgment& w) {
    const auto& judged = w.judgment;
    check_counted(judged);
    const auto ended = expired_lease(judged);
    const auto lease = ended->second.lease;
    erase(t_.ended_leases, ended);
    insert_key(t_.judgment_ids, judged.id);
    insert(t_.judgments, {judged.unit, judged.owner}, judgment_row{judged, lease, {}, true});
  }

  void operator()(const core::insert_surplus_judgment& w) {
    const auto& kept = w.judgment;
    check(kept);
    expired_lease(kept);
    insert_key(t_.surplus_ids, kept.id);
    insert(t_.surplus_judgments, {kept.unit, kept.token}, kept);
  }

  void operator()(const core::taint_judgment& w) {
    require_instant(w.at);
    auto& row = change(t_.judgments, {w.unit, w.contributor});
    require(!row.tainted_at, "22012: the judgment does not count any more");
    row.tainted_at = w.at;
  }

  void operator()(const core::restore_judgment& w) {
    auto& row = change(t_.judgments, {w.unit, w.contributor});
    require(row.tainted_at.has_value(), "22012: the judgment counts");
    row.tainted_at.reset();
  }

  void operator()(const core::set_question_forgiven& w) {
    require_instant(w.at);
    auto& row = change(t_.units, w.unit);
    require(!row.made.truth.empty(), "22012: the unit is no test question");
    require(row.forgiven_at.has_value() != w.forgiven, "22012: the question is so already");
    row.forgiven_at = w.forgiven ? std::optional{w.at} : std::nullopt;
    row.forgiving_changed = true;
  }

  void operator()(const core::set_judgment_trust& w) {
    check(w.trust);
    auto& made = change(t_.judgments, {w.unit, w.contributor}).made;
    made.trust_snapshot = w.trust.mean;
    made.trust_questions = w.trust.questions;
  }

  void operator()(const core::put_standing& w) {
    using core::contributor_standing;
    using core::standing_reason;
    require_text(w.contributor);
    require_instant(w.at);
    require(!w.contributor.empty() && w.contributor.size() <= 128,
            "23514: ids of contributors and workers have 1 to 128 bytes");
    require(w.standing >= contributor_standing::working
                && w.standing <= contributor_standing::removed,
            "23514: no such standing");
    require(w.reason >= standing_reason::quiz_failed && w.reason <= standing_reason::forgiven,
            "23514: no such reason");
    require(t_.steps.count(w.step) != 0, "22012: the standing's step does not exist");
    put(t_.standings, {w.step, w.contributor}, w);
  }

  void operator()(const core::insert_flag& w) {
    require_text(w.contributor);
    require_text(w.why);
    require_instant(w.at);
    require(!w.contributor.empty() && w.contributor.size() <= 128,
            "23514: ids of contributors and workers have 1 to 128 bytes");
    require(!w.why.empty() && w.why.size() <= 512, "23514: a reason has 1 to 512 bytes");
    require(w.what >= core::monitor::agreement && w.what <= core::monitor::speed,
            "23514: no such monitor");
    require(t_.steps.count(w.step) != 0, "22012: the flag's step does not exist");
    insert(t_.flags, {w.step, w.contributor, w.what}, w);
  }

  void operator()(const core::put_profile& w) {
    require_text(w.contributor);
    require_instant(w.at);
    require(!w.contributor.empty() && w.contributor.size() <= 128,
            "23514: ids of contributors and workers have 1 to 128 bytes");
    const auto& profile = w.profile;
    for (const auto* list : {&profile.channels, &profile.skills, &profile.certifications})
      for (const auto& term : *list)
        require_text(term);
    require_text(profile.location);
    require(!profile.trust || (*profile.trust >= 0 && *profile.trust <= 1),
            "23514: trust is between 0 and 1");
    put(t_.profiles, w.contributor, w);
  }

  void operator()(const core::put_removal& w) {
    const auto& row = w.row;
    require_text(row.contributor);
    require_text(row.reason);
    require_text(row.by);
    for (const auto& at : {std::optional{row.at}, row.until, row.ended_at})
      require_instant(at.value_or(row.at));
    require(!row.contributor.empty() && row.contributor.size() <= 128,
            "23514: ids of contributors and workers have 1 to 128 bytes");
    require(row.reason.size() <= core::removal_reason_bytes_max,
            "23514: a reason has at most 512 bytes");
    require(row.place.scope >= core::removal_scope::step
                && row.place.scope <= core::removal_scope::everywhere,
            "23514: no such scope");
    const std::pair key{row.contributor, row.place};
    const auto known = t_.removals.find(key);
    put(t_.removals, key,
        memory::removal_row{
            core::after(
                known == t_.removals.end() ? std::nullopt : std::optional{known->second.row}, row),
            ++t_.removal_changes});
  }

  void operator()(const core::put_repair& w) {
    const auto& row = w.row;
    const auto& f = row.figures;
    require_text(row.contributor);
    require_instant(row.asked_at);
    require_instant(row.changed_at);
    require(!row.contributor.empty() && row.contributor.size() <= 128,
            "23514: ids of contributors and workers have 1 to 128 bytes");
    for (const auto number : {row.through, row.bookmark, f.found, f.unchanged, f.changed,
                              f.reopened, f.went_on, f.disregarded, f.reissued})
      require_bigint(number);
    require(row.bookmark <= row.through, "23514: a bookmark is not beyond the end");
    require(f.found == f.unchanged + f.changed + f.reopened + f.went_on,
            "23514: each unit that was found has one outcome");
    require(f.reissued <= f.changed + f.reopened, "23514: what was reissued was taken back");
    require(t_.steps.count(row.step) != 0, "22012: the repair's step does not exist");
    const auto known = t_.repairs.find(row.id);
    if (known == t_.repairs.end())
      return insert(t_.repairs, row.id, row);
    require(known->second.step == row.step, "22012: the repair is of another step");
    auto& kept = change(t_.repairs, row.id);
    require(row.bookmark <= kept.through, "23514: a bookmark is not beyond the end");
    kept.bookmark = row.bookmark;
    kept.figures = row.figures;
    kept.changed_at = row.changed_at;
  }

  void operator()(const core::insert_audit& w) {
    for (const auto* text : {&w.who, &w.operation, &w.item, &w.outcome})
      require_text(*text);
    require_instant(w.at);
    insert(t_.audit_log, ++t_.last_audit, w);
  }

  void operator()(const core::insert_inbox& w) {
    require_text(w.consumer);
    require_bigint(w.message.seq);
    require(w.message.seq > 0, "23514: events are numbered from 1");
    insert_key(t_.inbox[w.consumer], w.message);
  }

  void operator()(const core::advance_cursor& w) {
    require_text(w.consumer);
    require_bigint(w.seq);
    const std::pair key{w.consumer, w.shard};
    if (t_.cursors.count(key) == 0)
      insert(t_.cursors, key, w.seq);
    else if (auto& seq = change(t_.cursors, key); seq < w.seq)
      seq = w.seq;
  }

  void advance(const shard_batch& part) {
    auto& shard = t_.shards[part.shard];
    on_take_back([&shard, before = shard] { shard = before; });
    shard.batch_seq = part.batch_seq;
    shard.event_seq += part.event_count();
    if (part.event_count() == 0)
      return;
    outbox_row row{part.first_event, part.epoch, part.batch_seq, {}, now_};
    for (const auto& change : part.changes)
      for (const auto& event : change.events) {
        require_text(event.details);
        row.events.push_back(event);
      }
    auto& rows = t_.outbox[part.shard];
    rows.push_back(std::move(row));
    on_take_back([&rows] { rows.pop_back(); });
  }

private:
  static void check(const core::step_row& row) {
    require_text(row.key);
    require_bigint(row.total_units);
    require_bigint(row.revision);
    require_bigint(row.job_revision);
    require(!row.key.empty(), "23514: a step has a key");
    require(row.revision > 0, "23514: revisions begin at 1");
    require(row.completed_units <= row.total_units, "23514: more units completed than there are");
    require(row.status != core::step_status::completed
                || (row.sealed && row.completed_units == row.total_units),
            "23514: a complete step is sealed and all its units have ended");
  }

  static void check(const core::insert_judgment& w) {
    require_text(w.payload);
    require_text(w.answer);
    require_instant(w.submitted_at);
    check(core::trust_mark{w.trust_snapshot, w.trust_questions});
  }

  static void check_counted(const core::insert_judgment& w) {
    check(w);
    if (w.judged_before)
      require_integer(*w.judged_before);
  }

  static void check(const core::trust_mark& trust) {
    require(trust.mean >= 0 && trust.mean <= 1, "23514: trust is between 0 and 1");
    if (trust.questions)
      require_integer(*trust.questions);
  }

  /// The lease in the history under which a judgment came late.
  decltype(tables::ended_leases)::iterator expired_lease(const core::insert_judgment& w) {
    const auto found = t_.ended_leases.find({w.unit, w.token});
    require(found != t_.ended_leases.end() && found->second.lease.owner == w.owner
                && found->second.how == core::lease_end::expired,
            "22012: no expired lease under this token");
    return found;
  }

  unit_row& open(const core::unit_id& id) {
    auto& row = change(t_.units, id);
    require(row.state < core::unit_state::finalized, "22012: the unit is not open");
    return row;
  }

  core::lease take_lease(const core::unit_id& unit, const core::contributor_id& owner,
                         core::token token) {
    const auto found = t_.active_leases.find({unit, owner});
    require(found != t_.active_leases.end() && found->second.token == token,
            "22012: no lease under this token");
    auto lease = found->second;
    erase(t_.active_leases, found);
    return lease;
  }

  core::instant now_;
};

/// Place of each alternative of `core::write_op` in the order in which the statements run.
constexpr std::array<int, std::variant_size_v<core::write_op>> statement_order{
    0,  // insert_workflow
    2,  // insert_step
    7,  // update_step
    3,  // insert_unit
    9,  // set_unit_state
    8,  // set_unit_slots
    10, // finalize_unit
    5,  // insert_lease
    15, // extend_lease_row
    19, // end_lease_row
    16, // insert_judgment
    17, // taint_judgment
    35, // put_standing
    6,  // insert_inbox
    38, // advance_cursor
    22, // put_queue
    23, // insert_task
    27, // update_task
    25, // insert_task_lease
    28, // extend_task_lease
    29, // end_task_lease
    30, // finish_task
    24, // revive_task
    26, // insert_late_result
    31, // take_staged
    32, // refuse_staged
    33, // put_schedule_row
    34, // delete_schedule_row
    39, // stage_task
    40, // put_webhook
    45, // delete_webhook
    41, // put_webhook_position
    42, // put_dead_letter
    43, // replay_dead_letter
    44, // delete_dead_letter
    11, // reopen_unit
    37, // put_repair
    20, // insert_late_judgment
    21, // insert_surplus_judgment
    36, // insert_flag
    1,  // insert_workflow_version
    46, // put_profile
    4,  // gather_units
    13, // withdraw_unit
    18, // restore_judgment
    14, // set_question_forgiven
    12, // ungather_units
    47, // set_judgment_trust
    48, // restate_unit
    51, // delete_queue
    52, // put_api_token
    53, // insert_audit
    49, // put_queue_action
    50, // forget_queue_actions
    59, // set_unit_input
    54, // override_unit
    55, // recount_unit
    56, // insert_correction
    57, // set_taint_requested
    58, // insert_judgment_correction
    60, // put_removal
};

std::vector<const core::write_op*> in_statement_order(const write_batch& batch) {
  std::vector<const core::write_op*> writes;
  std::map<core::step_id, const core::write_op*> last_update;
  std::map<std::pair<std::string, core::shard_id>, const core::write_op*> last_cursor;
  std::map<core::queue_name, const core::write_op*> last_queue;
  std::map<core::queue_name, const core::write_op*> last_removal;
  std::map<std::pair<core::queue_name, std::string>, const core::write_op*> last_schedule;
  std::map<std::pair<core::step_id, core::contributor_id>, const core::write_op*> last_standing;
  std::map<core::contributor_id, const core::write_op*> last_profile;
  std::map<core::api_token_id, const core::write_op*> last_token;
  std::map<core::repair_id, const core::write_op*> last_repair;
  std::map<std::pair<core::queue_name, core::queue_action_id>, const core::write_op*> last_action;
  std::map<std::pair<core::webhook_id, core::shard_id>, const core::write_op*> last_position;
  std::map<std::pair<core::webhook_id, core::message_id>, const core::write_op*> last_letter;
  for (const auto& part : batch.shards)
    for (const auto& change : part.changes)
      for (const auto& write : change.writes)
        if (const auto* update = std::get_if<core::update_step>(&write))
          last_update[update->row.id] = &write;
        else if (const auto* cursor = std::get_if<core::advance_cursor>(&write))
          last_cursor[{cursor->consumer, cursor->shard}] = &write;
        else if (const auto* standing = std::get_if<core::put_standing>(&write))
          last_standing[{standing->step, standing->contributor}] = &write;
        else if (const auto* profile = std::get_if<core::put_profile>(&write))
          last_profile[profile->contributor] = &write;
        else if (const auto* token = std::get_if<core::put_api_token>(&write))
          last_token[token->row.id] = &write;
        else if (const auto* repair = std::get_if<core::put_repair>(&write))
          last_repair[repair->row.id] = &write;
        else if (const auto* action = std::get_if<core::put_queue_action>(&write))
          last_action[{action->row.queue, action->row.id}] = &write;
        else if (const auto* queue = std::get_if<core::put_queue>(&write))
          last_queue[queue->name] = &write;
        else if (const auto* removal = std::get_if<core::delete_queue>(&write))
          last_removal[removal->name] = &write;
        else if (const auto* put = std::get_if<core::put_schedule_row>(&write))
          last_schedule[{put->queue, put->name}] = &write;
        else if (const auto* gone = std::get_if<core::delete_schedule_row>(&write))
          last_schedule[{gone->queue, gone->name}] = &write;
        else if (const auto* position = std::get_if<core::put_webhook_position>(&write))
          last_position[{position->webhook, position->shard}] = &write;
        else if (const auto* letter = std::get_if<core::put_dead_letter>(&write))
          last_letter[{letter->webhook, letter->event}] = &write;
        else
          writes.push_back(&write);
  for (const auto& [step, write] : last_update)
    writes.push_back(write);
  for (const auto& [consumer, write] : last_cursor)
    writes.push_back(write);
  for (const auto& [standing, write] : last_standing)
    writes.push_back(write);
  for (const auto& [contributor, write] : last_profile)
    writes.push_back(write);
  for (const auto& [token, write] : last_token)
    writes.push_back(write);
  for (const auto& [repair, write] : last_repair)
    writes.push_back(write);
  for (const auto& [action, write] : last_action)
    writes.push_back(write);
  for (const auto& [queue, write] : last_queue)
    writes.push_back(write);
  for (const auto& [queue, write] : last_removal)
    writes.push_back(write);
  for (const auto& [schedule, write] : last_schedule)
    writes.push_back(write);
  for (const auto& [place, write] : last_position)
    writes.push_back(write);
  for (const auto& [event, write] : last_letter)
    writes.push_back(write);
  std::stable_sort(writes.begin(), writes.end(), [](const auto* a, const auto* b) {
    return statement_order[a->index()] < statement_order[b->index()];
  });
  return writes;
}

/// The same judgement as in postgres_batch.cpp; empty when the batch is the next one everywhere.
std::optional<commit_result> judge_fences(const tables& t, const write_batch& batch) {
  commit_result result{commit_status::history_lost, {}, {}};
  std::vector<core::shard_id> forgotten;
  bool committed_before = false;
  for (const auto& part : batch.shards) {
    if (part.shard >= t.shards.size()) {
      forgotten.push_back(part.shard);
      result.reason += "shard " + std::to_string(part.shard) + " does not exist; ";
      continue;
    }
    const auto& shard = t.shards[part.shard];
    if (shard.epoch > part.epoch)
      result.fenced.push_back(part.shard);
    else if (shard.epoch == part.epoch && shard.batch_seq >= part.batch_seq)
      committed_before = true;
    else if (shard.epoch < part.epoch || shard.batch_seq + 1 != part.batch_seq
             || (part.event_count() > 0 && shard.event_seq + 1 != part.first_event)) {
      forgotten.push_back(part.shard);
      result.reason += "shard " + std::to_string(part.shard) + ": out of sequence; ";
    }
  }
  if (committed_before)
    return commit_result{commit_status::committed, {}, {}, true};
  if (!result.fenced.empty())
    return commit_result{commit_status::fenced, std::move(result.fenced),
                         "taken over by another host"};
  if (forgotten.empty())
    return std::nullopt;
  result.fenced = std::move(forgotten);
  return result;
}

/// Adds to `used` those of the ids that `is_used` says are.
template <class Id, class IsUsed>
void add_used(std::set<Id>& used, const std::vector<Id>& ids, const IsUsed& is_used) {
  for (const auto& id : ids)
    if (is_used(id))
      used.insert(id);
}

/// Which of the ids that the batch makes something under are in use.
ids_in_use used_of(const tables& t, const chosen_ids& ids) {
  ids_in_use used;
  add_used(used.workflows, ids.workflows,
           [&](const auto& id) { return t.workflows.count(id) > 0; });
  add_used(used.assignments, ids.assignments,
           [&](const auto& id) { return t.assignment_ids.count(id) > 0; });
  add_used(used.judgments, ids.judgments,
           [&](const auto& id) { return t.judgment_ids.count(id) > 0; });
  add_used(used.surplus, ids.surplus, [&](const auto& id) { return t.surplus_ids.count(id) > 0; });
  add_used(used.tasks, ids.tasks,
           [&](const auto& id) { return t.tasks.count(id) > 0 || t.finished_tasks.count(id) > 0; });
  for (const auto& [id, step] : ids.repairs)
    if (const auto known = t.repairs.find(id);
        known != t.repairs.end() && known->second.step != step)
      used.repairs.insert(id);
  return used;
}

} // namespace

commit_result apply(tables& t, const write_batch& batch, core::instant now,
                    const std::function<bool(const core::change&)>& refuse) {
  if (auto stopped = judge_fences(t, batch))
    return *std::move(stopped);
  transaction tx{t, now};
  try {
    for (const auto& part : batch.shards)
      for (const auto& change : part.changes)
        require(!refuse || !refuse(change), "injected: the change is refused");
    // First, as the fence is: a webhook that is made begins behind the events of its own batch.
    for (const auto& part : batch.shards)
      tx.advance(part);
    for (const auto* write : in_statement_order(batch))
      std::visit(tx, *write);
  } catch (const refusal& why) {
    tx.take_back();
    commit_result refused{commit_status::refused, {}, why.reason};
    const auto state = why.reason.substr(0, 5);
    if (state == "23505" || state == "22012")
      refused.taken = taken_in(batch, used_of(t, chosen_in(batch)));
    return refused;
  }
  return {commit_status::committed, {}, {}};
}

} // namespace holdfast::persistence::memory
