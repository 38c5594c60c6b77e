#include "persistence/memory_store.hpp"

#include "core/sha256.hpp"
#include "persistence/chain_order.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace holdfast::persistence {

namespace {

/// Locks the database for one call.
using guard = std::lock_guard<std::mutex>;

void put_bar(std::vector<core::bar>& bars, const core::contributor_id& contributor,
             core::instant until) {
  for (auto& bar : bars)
    if (bar.contributor == contributor) {
      bar.until = std::max(bar.until, until);
      return;
    }
  bars.push_back({contributor, until});
}

void put_ended(std::vector<core::bar>& bars, const core::lease_policy& policy,
               const memory::ended_row& ended) {
  if (const auto until = core::barred_until(policy, ended.how, ended.at); until > ended.at)
    put_bar(bars, ended.lease.owner, until);
}

std::vector<core::lease> leases_of(const memory::tables& t, const core::unit_id& unit) {
  std::vector<core::lease> leases;
  const auto [begin, end] = memory::rows_of(t.active_leases, unit);
  for (auto row = begin; row != end; ++row)
    leases.push_back(row->second);
  std::sort(leases.begin(), leases.end(),
            [](const auto& a, const auto& b) { return a.token < b.token; });
  return leases;
}

std::vector<const memory::judgment_row*> judgments_of(const memory::tables& t,
                                                      const core::unit_id& unit) {
  std::vector<const memory::judgment_row*> judgments;
  const auto [begin, end] = memory::rows_of(t.judgments, unit);
  for (auto row = begin; row != end; ++row)
    judgments.push_back(&row->second);
  std::sort(judgments.begin(), judgments.end(), [](const auto* a, const auto* b) {
    return std::pair{a->made.submitted_at, a->made.token}
           < std::pair{b->made.submitted_at, b->made.token};
  });
  return judgments;
}

const core::lease_policy& policy_of(const memory::unit_row& row,
                                    const core::lease_policies& policies) {
  return row.made.truth.empty() ? policies.of(row.made.version) : policies.of_questions();
}

open_unit read_open_unit(const memory::tables& t, const memory::unit_row& row,
                         const core::lease_policy& policy) {
  open_unit unit;
  unit.id = row.made.id;
  unit.ordinal = row.made.ordinal;
  unit.state = row.state;
  unit.slots = row.made.slots;
  unit.test_question = !row.made.truth.empty();
  for (const auto& lease : leases_of(t, unit.id)) {
    unit.holders.push_back({lease.owner, lease.id});
    unit.next_expiry = std::min(unit.next_expiry, lease.expires_at);
    put_bar(unit.touched, lease.owner, core::instant::max());
  }
  for (const auto* judgment : judgments_of(t, unit.id)) {
    unit.judged += judgment->tainted_at ? 0 : 1;
    put_bar(unit.touched, judgment->made.owner, core::instant::max());
  }
  const auto [begin, end] = memory::rows_of(t.ended_leases, unit.id);
  for (auto ended = begin; ended != end; ++ended)
    put_bar(unit.touched, ended->second.lease.owner,
            core::barred_until(policy, ended->second.how, ended->second.at));
  for (const auto& contributor : row.made.excluded)
    put_bar(unit.touched, contributor, core::instant::max());
  return unit;
}

/// As it is stored, which says nothing more of a chain that is of no list.
core::list_place list_of(const core::insert_unit& made) {
  return made.list.of ? made.list : core::list_place{};
}

core::waiting_unit read_waiting(const memory::unit_row& row) {
  return {row.made.id, row.made.ordinal, row.made.version, list_of(row.made),
          core::payload_bytes(row.made.input)};
}

/// What the unit comes from directly: of a batch, all of its units.
std::vector<core::unit_id> sources_of(const memory::tables& t, const core::unit_id& unit) {
  std::vector<core::unit_id> sources;
  if (const auto& parent = t.units.at(unit).made.parent)
    sources.push_back(parent);
  for (auto entry = t.units_by_batch.lower_bound({unit, {}});
       entry != t.units_by_batch.end() && entry->first == unit; ++entry)
    sources.push_back(entry->second);
  return sources;
}

core::unit_record read_unit(const memory::tables& t, const memory::unit_row& row,
                            const core::lease_policy& policy) {
  const auto& made = row.made;
  core::unit_record unit;
  unit.id = made.id;
  unit.step = made.step;
  unit.root = made.root;
  unit.parent = made.parent;
  unit.ordinal = made.ordinal;
  unit.source_key = made.source_key;
  unit.input = made.input;
  unit.truth = made.truth;
  unit.slots = made.slots;
  unit.created_at = made.created_at;
  unit.loops = made.loops;
  unit.part = made.part;
  unit.version = made.version;
  unit.list = list_of(made);
  unit.batch = row.batch;
  unit.ungathered = row.ungathered;
  unit.route = row.route;
  unit.state = row.state;
  unit.reopened = row.reopened;
  unit.result = row.result.value_or(std::string{});
  unit.confidence = row.confidence;
  unit.overridden = row.overridden && row.state == core::unit_state::finalized;
  const auto seen = [&](core::token token) {
    unit.leases.last_token = std::max(unit.leases.last_token, token);
  };
  for (auto& lease : leases_of(t, unit.id)) {
    seen(lease.token);
    unit.leases.active.push_back(std::move(lease));
  }
  for (const auto* judgment : judgments_of(t, unit.id)) {
    seen(judgment->made.token);
    unit.judgments.push_back(
        {judgment->made.id, judgment->made.owner, judgment->made.token, judgment->made.answer,
         judgment->made.trust_snapshot, judgment->tainted_at.has_value(),
         judgment->made.test_correct, judgment->made.submitted_at, judgment->made.judged_before,
         judgment->made.trust_questions, judgment->late, judgment->taint_requested,
         static_cast<std::uint8_t>(judgment->corrected)});
  }
  if (policy.late_submit != core::late_submit::reject) {
    const auto [first, last] = memory::rows_of(t.surplus_judgments, unit.id);
    for (auto kept = first; kept != last; ++kept)
      unit.lapsed.push_back({kept->second.owner, kept->second.token, kept->second.id});
  }
  const auto [begin, end] = memory::rows_of(t.ended_leases, unit.id);
  for (auto ended = begin; ended != end; ++ended) {
    const auto& lease = ended->second.lease;
    seen(lease.token);
    put_ended(unit.bars, policy, ended->second);
    note_ended(unit, policy, lease.owner, lease.token, ended->second.how);
  }
  for (const auto& contributor : made.excluded)
    put_bar(unit.bars, contributor, core::instant::max());
  return unit;
}

bool free_to_take(const memory::tables& t, const memory::shard_row& shard, const std::string& node,
                  const std::set<core::incarnation_id>& believed_dead, core::instant now) {
  const auto host = t.nodes.find(shard.host);
  return believed_dead.count(shard.host) != 0 || host == t.nodes.end() || host->second.left
         || host->second.name == node || host->second.is_over(now);
}

} // namespace

void memory_database::set_commit_faults(std::function<commit_fault(const write_batch&)> plan) {
  const guard lock{mutex_};
  fault_plan_ = std::move(plan);
}

void memory_database::set_read_faults(std::function<bool(std::string_view)> plan) {
  auto shared =
      plan ? std::make_shared<std::function<bool(std::string_view)>>(std::move(plan)) : nullptr;
  const guard lock{mutex_};
  read_faults_ = std::move(shared);
}

std::unique_lock<std::mutex> memory_database::begin_read(std::string_view name) {
  std::unique_lock lock{mutex_};
  if (const auto plan = read_faults_) {
    lock.unlock(); // the plan may read itself, and end itself
    if ((*plan)(name))
      return {};
    lock.lock();
  }
  if (!reachable_ || (damaged_history_ && name == "load_step_history"))
    return {};
  return lock;
}

void memory_database::set_damaged_units(std::function<bool(const core::unit_id&)> rule) {
  const guard lock{mutex_};
  damaged_units_ = std::move(rule);
}

void memory_database::set_damaged_parts(std::function<bool(const core::unit_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_parts_ = std::move(rule);
}

void memory_database::set_damaged_steps(std::function<bool(const core::step_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_steps_ = std::move(rule);
}

void memory_database::set_damaged_tasks(std::function<bool(const core::task_id&)> rule) {
  const guard lock{mutex_};
  damaged_tasks_ = std::move(rule);
}

void memory_database::set_damaged_events(std::function<bool(const core::message_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_events_ = std::move(rule);
}

void memory_database::set_damaged_letters(std::function<bool(const core::message_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_letters_ = std::move(rule);
}

void memory_database::set_damaged_staged(std::function<bool(const core::staging_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_staged_ = std::move(rule);
}

void memory_database::set_damaged_history(
    std::function<bool(const core::step_history::unreadable&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_history_ = std::move(rule);
}

void memory_database::set_damaged_repairs(std::function<bool(const core::repair_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_repairs_ = std::move(rule);
}

void memory_database::set_damaged_tokens(std::function<bool(const core::api_token_id&)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_tokens_ = std::move(rule);
}

void memory_database::set_damaged_audit(std::function<bool(std::uint64_t)> rule) {
  const std::lock_guard lock{mutex_};
  damaged_audit_ = std::move(rule);
}

void memory_database::put_definition(const core::queue_name& queue, std::string definition) {
  const std::lock_guard lock{mutex_};
  tables_.queues.at(queue).definition = std::move(definition);
}

void memory_database::set_refusals(std::function<bool(const core::change&)> rule) {
  const guard lock{mutex_};
  refusals_ = std::move(rule);
}

void memory_database::set_reachable(bool reachable) {
  const guard lock{mutex_};
  reachable_ = reachable;
}

void memory_database::restore(memory::tables copy) {
  const guard lock{mutex_};
  tables_ = std::move(copy);
}

void memory_database::set_server(std::string server) {
  const guard lock{mutex_};
  server_ = std::move(server);
}

core::outcome<core::instant> memory_store::now() {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  return database_->clock_();
}

commit_result memory_store::commit(const write_batch& batch) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return {commit_status::unavailable, {}, memory::unreachable.detail};
  const auto fault = database_->fault_plan_ ? database_->fault_plan_(batch) : commit_fault::none;
  if (fault == commit_fault::unavailable)
    return {commit_status::unavailable, {}, "injected: nothing was applied"};
  if (fault == commit_fault::in_doubt_lost)
    return {commit_status::in_doubt, {}, "injected: the connection was lost around COMMIT"};
  auto result = memory::apply(database_->tables_, batch, database_->clock_(), database_->refusals_);
  if (fault == commit_fault::in_doubt_applied)
    return {commit_status::in_doubt, {}, "injected: the connection was lost around COMMIT"};
  return result;
}

core::outcome<bool> memory_store::ensure_shards(std::uint32_t count) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& shards = database_->tables_.shards;
  if (count == 0)
    return core::failure{core::errc::invalid_argument, "a cluster has at least one shard"};
  if (shards.empty())
    shards.resize(count);
  if (shards.size() != count)
    return core::failure{core::errc::invalid_argument, "this database was set up with "
                                                           + std::to_string(shards.size())
                                                           + " shards, not " + std::to_string(count)
                                                           + "; the number cannot be changed"};
  auto& server = database_->tables_.server;
  if (server.empty())
    server = database_->server_;
  return true;
}

core::outcome<bool> memory_store::register_node(const std::string& name,
                                                core::incarnation_id incarnation,
                                                const std::string& address) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  const auto now = database_->clock_();
  auto& t = database_->tables_;
  if (t.nodes.count(incarnation) == 0)
    t.nodes[incarnation] = {name, address, now, now, false, ++t.nodes_come, {}};
  return true;
}

core::outcome<std::vector<shard_fence>>
memory_store::take_over(const std::string& node, core::incarnation_id incarnation,
                        const std::vector<core::shard_id>& shards, core::duration lease_time,
                        const std::set<core::incarnation_id>& believed_dead) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  const auto now = database_->clock_();
  if (t.nodes.count(incarnation) == 0)
    t.nodes[incarnation] = {node, {}, now, now, false, ++t.nodes_come, {}};
  auto& row = t.nodes[incarnation];
  row.lease = lease_time;
  row.expires_at = now + lease_time;
  row.left = false;
  auto wanted = shards;
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::vector<shard_fence> taken;
  for (const auto number : wanted) {
    if (number >= t.shards.size())
      continue;
    auto& shard = t.shards[number];
    if (!free_to_take(t, shard, node, believed_dead, now))
      continue;
    shard.host = incarnation;
    taken.push_back({number, ++shard.epoch, shard.batch_seq, shard.event_seq, t.numbers_above});
  }
  return taken;
}

core::outcome<core::cluster_view> memory_store::renew(core::incarnation_id incarnation,
                                                      core::duration lease_time) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  core::cluster_view view{database_->clock_(), {}, {}};
  const auto node = t.nodes.find(incarnation);
  if (node != t.nodes.end() && !node->second.left) {
    node->second.lease = lease_time;
    node->second.expires_at = view.now + lease_time;
  }
  std::map<std::uint64_t, core::node_seen> alive;
  for (auto& [id, row] : t.nodes)
    if (row.ends_too_late(view.now)) // for good: it must not run again when the clock comes to it
      row.expires_at = view.now;
  for (const auto& [id, row] : t.nodes)
    if (!row.left && !row.is_over(view.now))
      alive[row.number] = {id, row.name, row.address, row.expires_at};
  for (auto& [number, seen] : alive)
    view.nodes.push_back(std::move(seen));
  for (core::shard_id number = 0; number < t.shards.size(); ++number)
    view.shards.push_back({number, t.shards[number].host, t.shards[number].epoch,
                           t.shards[number].batch_seq, t.shards[number].event_seq});
  view.generation = t.generation;
  view.moved = !t.server.empty() && t.server != database_->server_;
  view.server = database_->server_;
  view.generation_began = t.generation_began;
  return view;
}

core::outcome<bool> memory_store::hand_over(core::incarnation_id incarnation,
                                            const std::vector<core::shard_id>& shards) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  for (const auto number : shards)
    if (auto& shard = database_->tables_.shards.at(number); shard.host == incarnation)
      shard.host = {};
  return true;
}

core::outcome<bool> memory_store::resign(core::incarnation_id incarnation) {
  const guard lock{database_->mutex_};
  if (!database_->reachable_)
    return memory::unreachable;
  auto& t = database_->tables_;
  for (auto& shard : t.shards)
    if (shard.host == incarnation)
      shard.host = {};
  if (const auto node = t.nodes.find(incarnation); node != t.nodes.end()) {
    node->second.left = true;
    node->second.left_at = database_->clock_();
  }
  return true;
}

core::outcome<std::vector<node_start>> memory_store::list_nodes(std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto now = database_->clock_();
  std::map<std::uint64_t, node_start, std::greater<>> by_number;
  for (const auto& [id, row] : t.nodes)
    by_number[row.number] = {id,
                             row.name,
                             row.address,
                             row.started_at,
                             row.expires_at,
                             row.left ? row.left_at : core::instant{},
                             !row.left && !row.is_over(now),
                             0};
  std::vector<node_start> listed;
  for (auto& [number, node] : by_number) {
    if (listed.size() == limit)
      break;
    for (const auto& shard : t.shards)
      node.shards += shard.host == node.incarnation ? 1 : 0;
    listed.push_back(std::move(node));
  }
  return listed;
}

core::outcome<stored_step> memory_store::load_step(core::step_id step,
                                                   const lease_policies_of& policies_of) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto found = t.steps.find(step);
  if (found == t.steps.end())
    return core::failure{core::errc::not_found, "no such step"};
  if (database_->damaged_steps_ && database_->damaged_steps_(step))
    return core::failure{core::errc::damaged, "invalid page"};
  stored_step loaded;
  loaded.row = found->second.row;
  loaded.next_ordinal = 1;
  const auto policies =
      policies_of(t.workflows.at(loaded.row.workflow).definitions, loaded.row.key);
  const auto [begin, end] = memory::rows_of(t.units_by_ordinal, step);
  for (auto entry = begin; entry != end; ++entry) {
    loaded.next_ordinal = entry->first.second + 1;
    const auto& row = t.units.at(entry->second);
    const bool open = row.state < core::unit_state::finalized;
    const bool waits = row.state == core::unit_state::gathered && !row.batch;
    if ((open || waits) && database_->damaged_parts_ && database_->damaged_parts_(entry->second)) {
      loaded.unreadable.push_back({entry->second, memory::row_is_damaged});
      continue;
    }
    if (open)
      loaded.open_units.push_back(read_open_unit(t, row, policy_of(row, policies)));
    if (waits)
      loaded.waiting.push_back(read_waiting(row));
  }
  return loaded;
}

core::outcome<std::vector<gathered_unit>>
memory_store::gathered_with(const std::vector<core::unit_id>& units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::set<std::pair<std::uint64_t, core::unit_id>> together;
  const auto name = [&](const core::unit_id& id) {
    together.emplace(t.units.at(id).made.ordinal, id);
  };
  for (const auto& id : units) {
    const auto found = t.units.find(id);
    if (found == t.units.end() || found->second.state != core::unit_state::gathered)
      continue;
    name(id);
    if (const auto& batch = found->second.batch)
      for (auto entry = t.units_by_batch.lower_bound({batch, {}});
           entry != t.units_by_batch.end() && entry->first == batch; ++entry)
        name(entry->second);
  }
  std::vector<gathered_unit> gathered;
  for (const auto& [ordinal, id] : together)
    gathered.push_back({read_waiting(t.units.at(id)), t.units.at(id).batch});
  return gathered;
}

core::outcome<std::vector<core::unit_record>>
memory_store::load_units(const std::vector<core::unit_id>& units,
                         const core::lease_policies& policies) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto& damaged = database_->damaged_units_;
  if (damaged && std::any_of(units.begin(), units.end(), damaged))
    return core::failure{core::errc::refused_by_store, "injected: invalid page in block 7"};
  if (const auto& parts = database_->damaged_parts_;
      parts && std::any_of(units.begin(), units.end(), parts))
    return core::failure{core::errc::damaged, memory::row_is_damaged};
  std::vector<core::unit_record> loaded;
  std::set<core::unit_id> seen;
  for (const auto& id : units)
    if (const auto row = t.units.find(id); row != t.units.end() && seen.insert(id).second)
      loaded.push_back(read_unit(t, row->second, policy_of(row->second, policies)));
  return loaded;
}

core::outcome<std::vector<unit_chain>>
memory_store::load_chains(const std::vector<core::unit_id>& units) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::vector<unit_chain> chains;
  for (const auto& last : std::set<core::unit_id>{units.begin(), units.end()}) {
    if (t.units.count(last) == 0)
      continue;
    unit_chain chain{last, {}};
    for (const auto& unit : chain_order(last, [&](const auto& u) { return sources_of(t, u); })) {
      const auto& made = t.units.at(unit).made;
      std::set<core::contributor_id> judges;
      for (const auto* judgment : judgments_of(t, unit))
        judges.insert(judgment->made.owner);
      chain.links.push_back({unit, made.step, made.input, {judges.begin(), judges.end()}});
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

core::outcome<stored_workflow> memory_store::load_workflow(core::workflow_id workflow) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto found = t.workflows.find(workflow);
  if (found == t.workflows.end())
    return core::failure{core::errc::not_found, "no such workflow"};
  stored_workflow loaded{workflow, found->second.name, found->second.definitions, {}};
  for (const auto& [id, step] : t.steps)
    if (step.row.workflow == workflow)
      loaded.steps.push_back(step.row);
  std::sort(loaded.steps.begin(), loaded.steps.end(),
            [](const auto& a, const auto& b) { return a.position < b.position; });
  return loaded;
}

core::outcome<std::vector<std::pair<std::string, core::unit_id>>>
memory_store::find_source_keys(core::step_id step, const std::vector<std::string>& keys) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& index = database_->tables_.units_by_source_key;
  std::vector<std::pair<std::string, core::unit_id>> found;
  for (const auto& key : keys)
    if (const auto entry = index.find({step, key}); entry != index.end())
      found.emplace_back(key, entry->second);
  return found;
}

core::outcome<std::vector<source_unit>>
memory_store::find_source_units(core::step_id step, const std::vector<std::string>& keys) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::vector<source_unit> found;
  for (const auto& key : keys)
    if (const auto entry = t.units_by_source_key.find({step, key});
        entry != t.units_by_source_key.end())
      found.push_back({key, entry->second, core::sha256_of(t.units.at(entry->second).made.input)});
  return found;
}

core::step_row memory_store::listed(const core::step_row& step) const {
  const auto& damaged = database_->damaged_steps_;
  if (!damaged || !damaged(step.id))
    return step;
  core::step_row unreadable;
  unreadable.id = step.id;
  return unreadable;
}

core::outcome<std::vector<core::step_row>> memory_store::list_steps(core::step_id after,
                                                                    std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  if (after && t.steps.count(after) == 0)
    return core::failure{core::errc::not_found, "no such step"};
  std::vector<const memory::step_row*> ordered;
  for (const auto& [id, step] : t.steps)
    ordered.push_back(&step);
  const auto place = [](const memory::step_row& s) { return std::pair{s.created_at, s.row.id}; };
  std::sort(ordered.begin(), ordered.end(),
            [&](const auto* a, const auto* b) { return place(*a) < place(*b); });
  std::vector<core::step_row> steps;
  for (const auto* step : ordered)
    if (steps.size() < limit && (!after || place(t.steps.at(after)) < place(*step)))
      steps.push_back(listed(step->row));
  return steps;
}

core::outcome<std::vector<core::step_row>> memory_store::open_steps(core::step_id after,
                                                                    std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& all = database_->tables_.steps;
  std::vector<core::step_row> open;
  for (auto step = all.upper_bound(after); step != all.end() && open.size() < limit; ++step)
    if (step->second.row.status < core::step_status::completed)
      open.push_back(listed(step->second.row));
  return open;
}

core::outcome<std::pair<std::vector<unit_result>, std::uint64_t>>
memory_store::list_results(core::step_id step, std::uint64_t after, std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto& damaged = database_->damaged_units_;
  std::pair<std::vector<unit_result>, std::uint64_t> page{{}, after};
  for (auto entry = t.units_by_ordinal.upper_bound({step, after});
       entry != t.units_by_ordinal.end() && entry->first.first == step && page.first.size() < limit;
       ++entry) {
    const auto& row = t.units.at(entry->second);
    if (!row.made.truth.empty())
      continue;
    const bool readable = !damaged || !damaged(row.made.id);
    const bool counts = readable && row.state == core::unit_state::finalized;
    page.first.push_back({row.made.id, readable ? row.made.source_key : std::string{}, row.state,
                          static_cast<std::uint32_t>(judgments_of(t, row.made.id).size()),
                          counts ? *row.result : std::string{}, counts ? row.confidence : 0});
    page.second = entry->first.second;
  }
  return page;
}

core::outcome<step_statistics> memory_store::statistics(core::step_id step) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  const auto found = t.steps.find(step);
  if (found == t.steps.end())
    return core::failure{core::errc::not_found, "no such step"};
  step_statistics counted;
  counted.step = found->second.row;
  const auto [begin, end] = memory::rows_of(t.units_by_ordinal, step);
  for (auto entry = begin; entry != end; ++entry) {
    const auto& row = t.units.at(entry->second);
    const auto judgments = judgments_of(t, row.made.id).size();
    counted.active_leases += leases_of(t, row.made.id).size();
    const auto [first, last] = memory::rows_of(t.ended_leases, row.made.id);
    counted.expired_leases += static_cast<std::uint64_t>(std::count_if(
        first, last, [](const auto& e) { return e.second.how == core::lease_end::expired; }));
    if (!row.made.truth.empty()) {
      ++counted.test_questions;
      counted.test_judgments += judgments;
      continue;
    }
    counted.judgable += row.state == core::unit_state::judgable ? 1 : 0;
    counted.paused += row.state == core::unit_state::paused ? 1 : 0;
    counted.finalized += row.state == core::unit_state::finalized ? 1 : 0;
    counted.canceled += row.state == core::unit_state::canceled ? 1 : 0;
    counted.judgments += judgments;
  }
  return counted;
}

core::outcome<core::event_bounds> memory_store::event_bounds(core::shard_id shard) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& shards = database_->tables_.shards;
  if (shard >= shards.size())
    return core::failure{core::errc::not_found, "no such shard"};
  core::event_bounds bounds{shards[shard].pruned_seq, shards[shard].event_seq};
  const auto& gaps = database_->tables_.event_gaps;
  if (const auto found = gaps.find(shard); found != gaps.end())
    bounds.gaps = found->second;
  return bounds;
}

core::outcome<core::event_seq> memory_store::cursor(const std::string& consumer,
                                                    core::shard_id shard) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& cursors = database_->tables_.cursors;
  const auto found = cursors.find({consumer, shard});
  return found == cursors.end() ? core::event_seq{0} : found->second;
}

core::outcome<std::vector<core::event_seq>> memory_store::inbox_after(const std::string& consumer,
                                                                      core::shard_id shard,
                                                                      core::event_seq after) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  std::vector<core::event_seq> seqs;
  const auto& inbox = database_->tables_.inbox;
  if (const auto found = inbox.find(consumer); found != inbox.end())
    for (auto message = found->second.upper_bound({shard, after});
         message != found->second.end() && message->shard == shard; ++message)
      seqs.push_back(message->seq);
  return seqs;
}

void memory_database::end_lease_at(const core::task_id& task, core::instant at) {
  const guard lock{mutex_};
  tables_.task_leases.at(task).expires_at = at;
}

void memory_database::put_task(memory::live_task_row row) {
  const guard lock{mutex_};
  const auto id = row.spec.id;
  tables_.tasks[id] = std::move(row);
}

void memory_database::put_epoch(core::shard_id shard, core::epoch epoch) {
  const guard lock{mutex_};
  tables_.shards.at(shard).epoch = epoch;
}

core::outcome<std::vector<core::assignment_id>>
memory_store::find_over(const std::vector<core::assignment_id>& assignments, core::instant since) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::vector<core::assignment_id> over;
  const auto look = [&](const core::assignment_id& id, core::instant ended_at) {
    if (ended_at >= since
        && std::find(assignments.begin(), assignments.end(), id) != assignments.end())
      over.push_back(id);
  };
  for (const auto& [key, judgment] : t.judgments)
    look(judgment.lease.id, judgment.made.submitted_at);
  for (const auto& [key, ended] : t.ended_leases)
    look(ended.lease.id, ended.at);
  return over;
}

core::outcome<std::vector<core::hosted_item>> memory_store::find_overdue(core::instant ended_before,
                                                                         std::uint32_t limit) {
  const auto lock = database_->begin_read(__func__);
  if (!lock)
    return memory::unreachable;
  const auto& t = database_->tables_;
  std::set<core::queue_name> queues;
  for (const auto& [task, lease] : t.task_leases)
    if (lease.expires_at < ended_before)
      queues.insert(t.tasks.at(task).queue);
  std::set<core::step_id> steps;
  for (const auto& [key, lease] : t.active_leases)
    if (lease.expires_at < ended_before)
      steps.insert(t.units.at(key.first).made.step);
  std::vector<core::hosted_item> found;
  const auto add_first = [&](const auto& items) {
    std::uint32_t left = limit;
    for (auto item = items.begin(); item != items.end() && left > 0; ++item, --left)
      found.emplace_back(*item);
  };
  add_first(queues);
  add_first(steps);
  return found;
}

} // namespace holdfast::persistence
