#pragma once

#include "actors/context.hpp"
#include "actors/periodic.hpp"
#include "actors/standing_fault.hpp"
#include "core/supervision.hpp"
#include "core/uuid.hpp"
#include "persistence/store.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace holdfast::actors {

/// What `webhooks` speaks with.
struct webhooks_links {
  std::vector<caf::actor> writers; ///< One per lane.
  caf::actor loader;
  caf::actor shards;
  caf::actor feed;
  caf::actor membership;
};

struct webhooks_state {
  static inline const char* name = "webhooks";

  /// One webhook on one shard.
  using place = std::pair<core::webhook_id, core::shard_id>;
  struct delivery {
    caf::actor actor;
    std::uint64_t revision = 0; ///< Of the webhook that it delivers.
  };

  webhooks_state() = default;
  webhooks_state(const webhooks_state&) = delete;
  webhooks_state& operator=(const webhooks_state&) = delete;
  ~webhooks_state();

  context_ptr context;
  webhooks_links links;
  std::set<core::shard_id> hosted;
  std::map<place, delivery> deliveries;
  struct trouble {
    core::restart_history crashes;
    core::instant left_alone_until;
    std::uint64_t revision = 0; ///< Of the webhook at the last crash; another one is tried at once.
  };
  std::map<place, trouble> troubles;              ///< Of deliveries that crashed.
  std::vector<persistence::stored_webhook> known; ///< At the last look.
  periodic looks;
  /// Of webhooks whose definition this node cannot read.
  std::map<core::webhook_id, standing_fault> unreadable;
  /// Requests that change webhooks, one at a time: each sees what the one before it did.
  std::deque<std::function<void()>> requests;
  core::uuid_source ids{0};
};

/// WEBHOOKS: looks at what webhooks there are and runs a delivery for each on each shard that this
/// node hosts. Takes the requests that make and change webhooks whose home, a shard chosen by
/// name, is here, and hands those about dead letters to the delivery.
///
/// Failure: a delivery that crashed is started again at the next look; one that keeps crashing is
/// left alone for a while. Started again itself, it begins with the database.
/// Backpressure: a bounded number of requests wait, more are answered `overloaded`.
caf::behavior webhooks(caf::stateful_actor<webhooks_state>* self, context_ptr context,
                       webhooks_links links);

} // namespace holdfast::actors
