#include "tests/sim/history_plants.hpp"

#include "tests/support/forwarding_store.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace holdfast::sim {

/// By shard, under each epoch.
struct seen_numbers {
  std::map<std::pair<core::shard_id, core::epoch>, core::shard_seen> highest;
};

std::shared_ptr<seen_numbers> make_seen_numbers() { return std::make_shared<seen_numbers>(); }

namespace {

/// A generation begins, and the shards go on where the copy of the database ends.
class counts_on : public test::forwarding_store {
public:
  counts_on(std::unique_ptr<persistence::store> inner,
            std::shared_ptr<persistence::memory_database> database)
      : test::forwarding_store(std::move(inner)), database_(std::move(database)) {}

  core::outcome<bool> begin_generation(const persistence::known_history& known,
                                       bool restored) override {
    const auto before = database_->tables();
    auto begun = test::forwarding_store::begin_generation(known, restored);
    if (!begun || !*begun)
      return begun;
    auto after = database_->tables();
    for (std::size_t shard = 0; shard < after.shards.size(); ++shard) {
      after.shards[shard] = before.shards[shard];
      ++after.shards[shard].epoch;
    }
    after.numbers_above = before.numbers_above;
    after.event_gaps = before.event_gaps;
    database_->restore(std::move(after));
    return begun;
  }

private:
  std::shared_ptr<persistence::memory_database> database_;
};

/// A host does not learn above which tokens it has to grant leases.
class tokens_untold : public test::forwarding_store {
public:
  using forwarding_store::forwarding_store;

  core::outcome<std::vector<persistence::shard_fence>>
  take_over(const std::string& node, core::incarnation_id incarnation,
            const std::vector<core::shard_id>& shards, core::duration lease_time,
            const std::set<core::incarnation_id>& believed_dead) override {
    auto fences =
        test::forwarding_store::take_over(node, incarnation, shards, lease_time, believed_dead);
    if (fences)
      for (auto& fence : *fences)
        fence.tokens_above = 0;
    return fences;
  }
};

/// A renewal does not show that the database is behind what was seen of it, nor that it has moved:
/// shards whose commits are lost are taken anew in the old generation.
class losses_unseen : public test::forwarding_store {
public:
  losses_unseen(std::unique_ptr<persistence::store> inner, std::shared_ptr<seen_numbers> seen)
      : test::forwarding_store(std::move(inner)), seen_(std::move(seen)) {}

  core::outcome<core::cluster_view> renew(core::incarnation_id incarnation,
                                          core::duration lease_time) override {
    auto view = test::forwarding_store::renew(incarnation, lease_time);
    if (!view)
      return view;
    view->moved = false;
    for (auto& shard : view->shards) {
      auto& highest = seen_->highest[{shard.shard, shard.at}];
      highest.batches = std::max(highest.batches, shard.batches);
      highest.events = std::max(highest.events, shard.events);
      shard.batches = highest.batches;
      shard.events = highest.events;
    }
    return view;
  }

private:
  std::shared_ptr<seen_numbers> seen_;
};

bool loses_history(const plan& p) { return p.faults.history_lost > 0; }

} // namespace

const std::vector<plant>& history_plants() {
  static const std::vector<plant> all{
      {"numbers-given-again", "a new generation goes on below numbers that were given out",
       loses_history},
      {"tokens-given-again", "after a loss of commits leases are granted under lost tokens",
       loses_history},
      {"loss-unseen", "shards whose commits are lost are taken anew in the old generation",
       loses_history},
  };
  return all;
}

std::unique_ptr<persistence::store>
wrap_history(const std::string& name, std::unique_ptr<persistence::store> connection,
             std::shared_ptr<persistence::memory_database> database,
             std::shared_ptr<seen_numbers> seen) {
  if (name == "numbers-given-again")
    return std::make_unique<counts_on>(std::move(connection), std::move(database));
  if (name == "tokens-given-again")
    return std::make_unique<tokens_untold>(std::move(connection));
  if (name == "loss-unseen")
    return std::make_unique<losses_unseen>(std::move(connection), std::move(seen));
  return connection;
}

} // namespace holdfast::sim
