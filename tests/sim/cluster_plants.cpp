#include "tests/sim/cluster_plants.hpp"

#include "tests/support/forwarding_store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/sec.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace holdfast::sim {

struct shared_past {
  std::set<core::shard_id> leaving; ///< Shards that are being handed over.
  std::map<core::incarnation_id, core::instant> thought_dead; ///< With the end of their lease then.
  std::map<std::string, std::string> addresses;               ///< First one of each name.
  std::map<core::queue_name, persistence::stored_queue> queues;
  std::map<core::unit_id, core::unit_record> units;
};

namespace {

using persistence::commit_result;
using persistence::commit_status;
using persistence::write_batch;
using database_ptr = std::shared_ptr<persistence::memory_database>;
using past_ptr = std::shared_ptr<shared_past>;

/// A host that takes a shard over gets the fence of the one before it.
class without_new_fence : public test::forwarding_store {
public:
  /// Whether that happens, by the name of the node that takes over and the one that was host.
  using condition = bool (*)(const std::string& taker, const std::string& before);

  without_new_fence(std::unique_ptr<persistence::store> inner, database_ptr database,
                    condition when)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)), when_(when) {}

  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    const auto before = database_->tables().shards;
    const auto nodes = database_->tables().nodes;
    auto fences =
        test::forwarding_store::take_over(node, incarnation, shards, lease_time, believed_dead);
    if (!fences)
      return fences;
    for (auto& fence : *fences) {
      const auto host = nodes.find(before.at(fence.shard).host);
      if (host == nodes.end() || !when_(node, host->second.name))
        continue;
      fence.epoch = before.at(fence.shard).epoch;
      database_->put_epoch(fence.shard, fence.epoch);
    }
    return fences;
  }

private:
  database_ptr database_;
  condition when_;
};

/// A host that has lost its shard goes on: it hears that its batches are committed.
class without_refusals : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  commit_result commit(const write_batch& batch) override {
    const auto result = inner().commit(batch);
    return result.status == commit_status::fenced ? commit_result{commit_status::committed, {}, {}}
                                                  : result;
  }
};

/// What is decided while a shard is handed over is answered and not written.
class hasty_handover : public test::forwarding_store {
public:
  hasty_handover(std::unique_ptr<persistence::store> inner, past_ptr past)
      : test::forwarding_store(std::move(inner)), past_(std::move(past)) {}

  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    auto view = test::forwarding_store::renew(incarnation, lease_time);
    if (view)
      for (const auto shard : core::plan_hosting(*view, incarnation, {}).hand_over)
        past_->leaving.insert(shard);
    return view;
  }
  core::outcome<bool> hand_over(core::incarnation_id incarnation,
                                const std::vector<core::shard_id>& shards) override {
    for (const auto shard : shards)
      past_->leaving.erase(shard);
    return test::forwarding_store::hand_over(incarnation, shards);
  }
  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    for (const auto shard : shards)
      past_->leaving.erase(shard);
    return test::forwarding_store::take_over(node, incarnation, shards, lease_time, believed_dead);
  }
  commit_result commit(const write_batch& batch) override {
    auto kept = batch;
    kept.shards.erase(std::remove_if(kept.shards.begin(), kept.shards.end(),
                                     [&](const persistence::shard_batch& part) {
                                       return past_->leaving.count(part.shard) != 0;
                                     }),
                      kept.shards.end());
    return kept.shards.empty() ? commit_result{commit_status::committed, {}, {}}
                               : inner().commit(kept);
  }

private:
  past_ptr past_;
};

/// Whoever was once thought dead is never seen to renew its lease.
class without_resurrection : public test::forwarding_store {
public:
  without_resurrection(std::unique_ptr<persistence::store> inner, past_ptr past)
      : test::forwarding_store(std::move(inner)), past_(std::move(past)) {}

  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    for (const auto& dead : believed_dead)
      past_->thought_dead.try_emplace(dead, core::instant::max());
    return test::forwarding_store::take_over(node, incarnation, shards, lease_time, believed_dead);
  }
  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    auto view = test::forwarding_store::renew(incarnation, lease_time);
    if (view)
      for (auto& node : view->nodes)
        if (const auto found = past_->thought_dead.find(node.incarnation);
            found != past_->thought_dead.end())
          node.expires_at = found->second = std::min(found->second, node.expires_at);
    return view;
  }

private:
  past_ptr past_;
};

/// A node that was started again is shown where it was the first time.
class old_addresses : public test::forwarding_store {
public:
  old_addresses(std::unique_ptr<persistence::store> inner, past_ptr past)
      : test::forwarding_store(std::move(inner)), past_(std::move(past)) {}

  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    auto view = test::forwarding_store::renew(incarnation, lease_time);
    if (view)
      for (auto& node : view->nodes)
        node.address = past_->addresses.try_emplace(node.name, node.address).first->second;
    return view;
  }

private:
  past_ptr past_;
};

/// A host goes on from what was known of a queue or unit when it was loaded for the first time.
class earlier_life : public test::forwarding_store {
public:
  earlier_life(std::unique_ptr<persistence::store> inner, past_ptr past)
      : test::forwarding_store(std::move(inner)), past_(std::move(past)) {}

  core::outcome<persistence::stored_queue> load_queue(const core::queue_name& queue) override {
    auto loaded = test::forwarding_store::load_queue(queue);
    if (loaded)
      return past_->queues.try_emplace(queue, std::move(*loaded)).first->second;
    return loaded;
  }
  core::outcome<std::vector<core::unit_record>>
  load_units(const std::vector<core::unit_id>& units,
             const core::lease_policies& policies) override {
    auto loaded = test::forwarding_store::load_units(units, policies);
    if (loaded)
      for (auto& unit : *loaded)
        unit = past_->units.try_emplace(unit.id, unit).first->second;
    return loaded;
  }

private:
  past_ptr past_;
};

/// What a node says after it was frozen is written whatever has become of its shards.
class without_fence_for_thawed : public test::forwarding_store {
public:
  without_fence_for_thawed(std::unique_ptr<persistence::store> inner, database_ptr database,
                           std::function<bool()> thawed)
      : test::forwarding_store(std::move(inner)),
        database_(std::move(database)),
        thawed_(std::move(thawed)) {}

  commit_result commit(const write_batch& batch) override {
    auto forged = batch;
    if (thawed_())
      for (auto& part : forged.shards)
        if (database_->tables().shards.at(part.shard).epoch > part.epoch)
          rebase(database_->tables(), part);
    return inner().commit(forged);
  }

private:
  database_ptr database_;
  std::function<bool()> thawed_;
};

// --- between nodes ---

/// Ends with `door`; passes on what it has no opinion of.
void stand_before(caf::event_based_actor* self, const caf::actor& door) {
  self->monitor(door);
  self->set_down_handler([=](const caf::down_msg& down) { self->quit(down.reason); });
  self->set_default_handler([=](caf::scheduled_actor*, caf::message_view& m) {
    self->delegate(door, m.move_content_to_message());
    return caf::result<caf::message>{caf::delegated<caf::message>{}};
  });
}

/// Sends on twice, and the second time under other ids.
caf::behavior sends_twice(caf::event_based_actor* self, const caf::actor& door) {
  stand_before(self, door);
  return {[=](msg::enqueue_tasks& m) {
    auto again = m;
    for (auto& task : again.tasks)
      task.task.value.bytes.back() ^= 1U;
    self->send(door, std::move(again));
    return self->delegate(caf::actor_cast<msg::gateway_actor>(door), std::move(m));
  }};
}

/// The answer that says that all tasks were made.
msg::task_outcomes all_made(const msg::enqueue_tasks& m) {
  msg::task_outcomes all;
  for (const auto& task : m.tasks)
    all.outcomes.push_back({task.task, core::errc::none, {}, true});
  return all;
}

/// Takes silence for a success: a request that is lost is lost for ever.
caf::behavior believes_silence(caf::event_based_actor* self, const caf::actor& line) {
  constexpr std::chrono::seconds enough{1};
  stand_before(self, line);
  return {[=](const msg::enqueue_tasks& m) -> caf::result<msg::task_outcomes> {
    auto promise = self->make_response_promise<msg::task_outcomes>();
    self->request(line, enough, m)
        .then([=](msg::task_outcomes& given) mutable { promise.deliver(std::move(given)); },
              [=](caf::error& error) mutable {
                if (error == caf::sec::request_timeout)
                  promise.deliver(all_made(m));
                else
                  promise.deliver(std::move(error));
              });
    return promise;
  }};
}

/// What comes again while its first copy is being dealt with is dealt with as something else.
caf::behavior takes_copies_for_new(caf::event_based_actor* self, const caf::actor& door) {
  stand_before(self, door);
  const auto open = std::make_shared<std::set<core::task_id>>();
  return {[=](msg::enqueue_tasks& m) -> caf::result<msg::task_outcomes> {
    for (auto& task : m.tasks)
      if (!open->insert(task.task).second)
        task.task.value.bytes.back() ^= 1U;
    auto promise = self->make_response_promise<msg::task_outcomes>();
    const auto shut = [=] {
      for (const auto& task : m.tasks)
        open->erase(task.task);
    };
    self->request(door, std::chrono::minutes{2}, m)
        .then(
            [=](msg::task_outcomes& given) mutable {
              shut();
              promise.deliver(std::move(given));
            },
            [=](caf::error& error) mutable {
              shut();
              promise.deliver(std::move(error));
            });
    return promise;
  }};
}

/// Takes the answer of a node that does not host the shard any more for that of its host.
caf::behavior believes_anybody(caf::event_based_actor* self, const caf::actor& door) {
  stand_before(self, door);
  return {[=](const msg::enqueue_tasks& m) -> caf::result<msg::task_outcomes> {
    auto promise = self->make_response_promise<msg::task_outcomes>();
    self->request(door, std::chrono::minutes{2}, m)
        .then([=](msg::task_outcomes& given) mutable { promise.deliver(std::move(given)); },
              [=](const caf::error&) mutable { promise.deliver(all_made(m)); });
    return promise;
  }};
}

// What a bug may need of a plan.

bool may_always_show(const plan&) { return true; }

bool has_neighbours(const plan& p) { return p.nodes > 1; }

bool has_late_commits(const plan& p) {
  return p.faults.commit_in_doubt_late > 0 && p.faults.node_kill > 0;
}

bool passes_on_tasks(const plan& p) { return has_neighbours(p) && p.machine.tasks > 0; }

bool thaws(const plan& p) { return has_neighbours(p) && p.faults.node_frozen > 0; }

bool loses_tasks(const plan& p) {
  return passes_on_tasks(p) && (p.faults.message_lost > 0 || p.faults.one_way_cut > 0);
}

bool doubles_tasks(const plan& p) { return passes_on_tasks(p) && p.faults.message_doubled > 0; }

} // namespace

const std::vector<plant>& cluster_plants() {
  static const std::vector<plant> all{
      {"takeover-keeps-fence", "a node takes a shard over from another one under the old epoch",
       has_neighbours},
      {"rejoin-keeps-fence", "a node that was started again keeps the epochs of its earlier life",
       may_always_show},
      {"late-commit-accepted", "what a dead process sent is written after the takeover",
       has_late_commits},
      {"lease-overstayed", "a node that has lost a shard goes on as if it hosted it",
       has_neighbours},
      {"handover-unwritten", "a shard is let go before what was decided last is written",
       has_neighbours},
      {"evidence-kept", "a node that was wrongly thought dead is never seen to live",
       has_neighbours},
      {"address-of-yesterday", "a node that was started again is looked for at its first address",
       may_always_show},
      {"life-carried-over", "a host begins with what an earlier host of the shard knew",
       may_always_show},
      {"forwarded-twice", "a request that is passed on is sent twice, under two ids",
       passes_on_tasks},
      {"old-host-believed", "the refusal of a node that is host no more is taken for a success",
       passes_on_tasks},
      {"thawed-believed", "what a node says after it was frozen is written under today's epoch",
       thaws},
      {"silence-believed", "a request that gets no answer from another node is taken for done",
       loses_tasks},
      {"copy-taken-for-new", "a forwarded request that arrives twice is applied twice",
       doubles_tasks},
  };
  return all;
}

cluster_bug::cluster_bug(std::string name, database_ptr database)
    : name_(std::move(name)),
      database_(std::move(database)),
      past_(std::make_shared<shared_past>()) {}

std::unique_ptr<persistence::store>
cluster_bug::wrap(std::unique_ptr<persistence::store> connection,
                  std::function<bool()> thawed) const {
  if (name_ == "thawed-believed")
    return std::make_unique<without_fence_for_thawed>(std::move(connection), database_,
                                                      std::move(thawed));
  if (name_ == "takeover-keeps-fence")
    return std::make_unique<without_new_fence>(
        std::move(connection), database_,
        [](const std::string& taker, const std::string& before) { return taker != before; });
  if (name_ == "rejoin-keeps-fence")
    return std::make_unique<without_new_fence>(
        std::move(connection), database_,
        [](const std::string& taker, const std::string& before) { return taker == before; });
  if (name_ == "lease-overstayed")
    return std::make_unique<without_refusals>(std::move(connection));
  if (name_ == "handover-unwritten")
    return std::make_unique<hasty_handover>(std::move(connection), past_);
  if (name_ == "evidence-kept")
    return std::make_unique<without_resurrection>(std::move(connection), past_);
  if (name_ == "address-of-yesterday")
    return std::make_unique<old_addresses>(std::move(connection), past_);
  if (name_ == "life-carried-over")
    return std::make_unique<earlier_life>(std::move(connection), past_);
  return connection;
}

void cluster_bug::spoil(caf::actor_system& system, test::virtual_network& network) const {
  if (name_ == "evidence-kept") // or nobody would be thought dead wrongly
    network.refuse_when_isolated();
  if (name_ == "forwarded-twice")
    network.stand_before_doors(
        [&system](const caf::actor& door) { return system.spawn(sends_twice, door); });
  if (name_ == "silence-believed")
    network.stand_before_lines(
        [&system](const caf::actor& line) { return system.spawn(believes_silence, line); });
  if (name_ == "copy-taken-for-new")
    network.stand_before_doors(
        [&system](const caf::actor& door) { return system.spawn(takes_copies_for_new, door); });
  if (name_ == "old-host-believed")
    network.stand_before_doors(
        [&system](const caf::actor& door) { return system.spawn(believes_anybody, door); });
}

} // namespace holdfast::sim
