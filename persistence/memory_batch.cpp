#include "persistence/memory_tables.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace holdfast::persistence::memory {

namespace {

/// Why the database would refuse. Never leaves `apply`.
struct refusal {
  std::string reason;
};

void require(bool condition, const char* reason) {
  if (!condition)
    throw refusal{reason};
}

/// Decodes one UTF-8 sequence; the number of its bytes, or 0 where PostgreSQL reports 22021.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const auto lead = byte(0);
  if (lead == 0)
    return 0;
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    const bool overlong = lead == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = lead == 0xed && byte(1) > 0x9f;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const bool overlong = lead == 0xf0 && byte(1) < 0x90;
    const bool beyond = lead == 0xf4 && byte(1) > 0x8f;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

void require_text(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = utf8_length(text, at);
    require(length != 0, "22021: text is not UTF-8 without NUL");
    at += length;
  }
}

void require_bigint(std::uint64_t value) {
  require(value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()),
          "23514: number beyond bigint");
}

void require_instant(core::instant at) {
  // 4714 BC; PostgreSQL's upper end lies beyond what an instant can hold.
  constexpr std::int64_t first_us = -211'813'488'000'000'000 + 946'684'800'000'000;
  require(core::to_micros(at) >= first_us, "22008: timestamp out of range");
}

void require_token(core::token token) {
  require_bigint(token);
  require(token > 0, "23514: token must be positive");
}

/// Applies writes one by one and can take all of them back.
class transaction {
public:
  transaction(tables& t, core::instant now) : t_(t), now_(now) {}

  void operator()(const core::insert_workflow& w) {
    require_text(w.name);
    require_text(w.definition);
    require_instant(w.created_at);
    insert(t_.workflows, w.id, workflow_row{w.name, w.definition});
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
  }

  void operator()(const core::insert_unit& w) {
    require_text(w.source_key);
    require_text(w.input);
    require_instant(w.created_at);
    require_bigint(w.ordinal);
    require(w.ordinal > 0, "23514: ordinals begin at 1");
    require(w.slots > 0 && w.slots <= INT32_MAX, "23514: a unit has at least one slot");
    require(!w.parent == (w.root == w.id), "23514: a unit is its own root unless it has a parent");
    require(t_.steps.count(w.step) != 0, "22012: the unit's step does not exist");
    if (w.parent) {
      require(t_.units.count(w.parent) != 0, "23503: the parent does not exist");
      insert_key(t_.children, {w.parent, w.step});
    }
    insert(t_.units_by_source_key, {w.step, w.source_key}, w.id);
    insert(t_.units_by_ordinal, {w.step, w.ordinal}, w.id);
    insert(t_.units, w.id, unit_row{w, core::unit_state::judgable, std::nullopt, 0});
  }

  void operator()(const core::set_unit_state& w) {
    require_instant(w.at);
    require(w.state != core::unit_state::finalized, "23514: finalizing needs a result");
    open(w.unit).state = w.state;
  }

  void operator()(const core::finalize_unit& w) {
    require_text(w.result);
    require_instant(w.at);
    require(w.confidence >= 0 && w.confidence <= 1, "23514: confidence is between 0 and 1");
    auto& row = open(w.unit);
    row.state = core::unit_state::finalized;
    row.result = w.result;
    row.confidence = w.confidence;
  }

  void operator()(const core::insert_lease& w) {
    const auto& owner = w.lease.owner;
    require_text(owner);
    require_token(w.lease.token);
    require_instant(w.lease.granted_at);
    require_instant(w.lease.expires_at);
    require(!owner.empty() && owner.size() <= 128, "23514: contributor ids have 1 to 128 bytes");
    require(w.lease.expires_at > w.lease.granted_at, "23514: a lease ends after it begins");
    const auto unit = t_.units.find(w.unit);
    require(unit != t_.units.end() && unit->second.state < core::unit_state::finalized,
            "22012: the lease's unit is not open");
    insert(t_.active_leases, {w.unit, owner}, w.lease);
  }

  void operator()(const core::extend_lease_row& w) {
    require_instant(w.expires_at);
    auto& lease = change(t_.active_leases, {w.unit, w.owner});
    require(lease.token == w.token, "22012: no lease under this token");
    require(w.expires_at > lease.granted_at, "23514: a lease ends after it begins");
    lease.expires_at = w.expires_at;
  }

  void operator()(const core::end_lease_row& w) {
    require_instant(w.at);
    insert(t_.ended_leases, {w.unit, w.token},
           ended_row{take_lease(w.unit, w.owner, w.token), w.how, w.at});
  }

  void operator()(const core::insert_judgment& w) {
    require_text(w.payload);
    require_text(w.answer);
    require_instant(w.submitted_at);
    require(w.trust_snapshot >= 0 && w.trust_snapshot <= 1, "23514: trust is between 0 and 1");
    insert_key(t_.judgment_ids, w.id);
    insert(t_.judgments, {w.unit, w.owner}, judgment_row{w, take_lease(w.unit, w.owner, w.token)});
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
    undo_.push_back([&shard, before = shard] { shard = before; });
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
    undo_.push_back([&rows] { rows.pop_back(); });
  }

  void take_back() {
    for (auto action = undo_.rbegin(); action != undo_.rend(); ++action)
      (*action)();
  }

private:
  static void check(const core::step_row& row) {
    require_text(row.key);
    require_bigint(row.total_units);
    require_bigint(row.revision);
    require(!row.key.empty(), "23514: a step has a key");
    require(row.revision > 0, "23514: revisions begin at 1");
    require(row.completed_units <= row.total_units, "23514: more units completed than there are");
    require(row.status != core::step_status::completed
                || (row.sealed && row.completed_units == row.total_units),
            "23514: a complete step is sealed and all its units have ended");
  }

  template <class Map, class Value>
  void insert(Map& map, const typename Map::key_type& key, Value value) {
    require(map.emplace(key, std::move(value)).second, "23505: the key exists already");
    undo_.push_back([&map, key] { map.erase(key); });
  }

  template <class Set>
  void insert_key(Set& set, const typename Set::value_type& key) {
    require(set.insert(key).second, "23505: the key exists already");
    undo_.push_back([&set, key] { set.erase(key); });
  }

  template <class Map>
  typename Map::mapped_type& change(Map& map, const typename Map::key_type& key) {
    const auto found = map.find(key);
    require(found != map.end(), "22012: the row does not exist");
    undo_.push_back([found, before = found->second] { found->second = before; });
    return found->second;
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
    undo_.push_back([this, key = found->first, lease] { t_.active_leases.emplace(key, lease); });
    t_.active_leases.erase(found);
    return lease;
  }

  tables& t_;
  core::instant now_;
  std::vector<std::function<void()>> undo_;
};

/// Place of each alternative of `core::write_op` in the order in which the statements run.
constexpr std::array<int, std::variant_size_v<core::write_op>> statement_order{
    0,  // insert_workflow
    1,  // insert_step
    5,  // update_step
    2,  // insert_unit
    6,  // set_unit_state
    7,  // finalize_unit
    3,  // insert_lease
    8,  // extend_lease_row
    10, // end_lease_row
    9,  // insert_judgment
    4,  // insert_inbox
    11, // advance_cursor
};

std::vector<const core::write_op*> in_statement_order(const write_batch& batch) {
  std::vector<const core::write_op*> writes;
  std::map<core::step_id, const core::write_op*> last_update;
  std::map<std::pair<std::string, core::shard_id>, const core::write_op*> last_cursor;
  for (const auto& part : batch.shards)
    for (const auto& change : part.changes)
      for (const auto& write : change.writes)
        if (const auto* update = std::get_if<core::update_step>(&write))
          last_update[update->row.id] = &write;
        else if (const auto* cursor = std::get_if<core::advance_cursor>(&write))
          last_cursor[{cursor->consumer, cursor->shard}] = &write;
        else
          writes.push_back(&write);
  for (const auto& [step, write] : last_update)
    writes.push_back(write);
  for (const auto& [consumer, write] : last_cursor)
    writes.push_back(write);
  std::stable_sort(writes.begin(), writes.end(), [](const auto* a, const auto* b) {
    return statement_order[a->index()] < statement_order[b->index()];
  });
  return writes;
}

/// The same judgement as in postgres_batch.cpp; empty when the batch is the next one everywhere.
std::optional<commit_result> judge_fences(const tables& t, const write_batch& batch) {
  commit_result result{commit_status::refused, {}, {}};
  bool stopped = false;
  bool committed_before = false;
  for (const auto& part : batch.shards) {
    if (part.shard >= t.shards.size()) {
      stopped = true;
      result.reason += "shard " + std::to_string(part.shard) + " does not exist; ";
      continue;
    }
    const auto& shard = t.shards[part.shard];
    if (shard.epoch > part.epoch)
      result.fenced.push_back(part.shard);
    else if (shard.epoch == part.epoch && shard.batch_seq >= part.batch_seq)
      committed_before = true;
    else if (shard.epoch < part.epoch || shard.batch_seq + 1 != part.batch_seq
             || (part.event_count() > 0 && shard.event_seq + 1 != part.first_event))
      result.reason += "shard " + std::to_string(part.shard) + ": out of sequence; ";
    else
      continue;
    stopped = true;
  }
  if (committed_before)
    return commit_result{commit_status::committed, {}, {}};
  if (!result.fenced.empty())
    return commit_result{commit_status::fenced, std::move(result.fenced),
                         "taken over by another host"};
  return stopped ? std::optional{std::move(result)} : std::nullopt;
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
    for (const auto* write : in_statement_order(batch))
      std::visit(tx, *write);
    for (const auto& part : batch.shards)
      tx.advance(part);
  } catch (const refusal& why) {
    tx.take_back();
    return {commit_status::refused, {}, why.reason};
  }
  return {commit_status::committed, {}, {}};
}

} // namespace holdfast::persistence::memory
