#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/standing_fault.hpp"
#include "core/push.hpp"
#include "core/queue_policy.hpp"
#include "core/uuid.hpp"
#include "metrics/registry.hpp"

#include <caf/actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace holdfast::actors {

struct pusher_state {
  static inline const char* name = "pusher";

  context_ptr context;
  caf::actor queue;
  core::queue_name queue_name;
  core::worker_id worker;
  core::queue_policy policy; ///< Without `push` it takes no more tasks, and ends when it has none.

  /// One of the posts that the node may have under way.
  using share = std::shared_ptr<void>;
  /// A task from its post until its queue knows what came of that.
  struct pushed {
    msg::task_ref task;
    core::instant posted_at;
    share of_node;
    bool answered = false;
    bool lost = false;          ///< Its lease is over: it is not extended any more.
    core::push_verdict verdict; ///< Once it is answered.
    std::uint32_t told = 0;     ///< Times that the queue was told of that in vain, in a row.
  };
  std::map<std::uint64_t, pushed> under_way; ///< By number, from 1.
  std::uint64_t last_number = 0;

  bool claiming = false;
  std::uint32_t claims_failed = 0; ///< In a row.
  standing_fault claim_fault;
  core::instant claim_not_before{};
  std::uint64_t wake_turn = 0; ///< Any other wake-up than the latest is void.

  bool extending = false;
  bool extension_armed = false;
  std::uint64_t extension_turn = 0; ///< Likewise.

  /// The receiver cannot be posted to at all, for a reason that only people can remove.
  standing_fault blocked;
  std::uint32_t blocked_in_a_row = 0;

  core::uuid_source ids{0};
  metrics::registration reported; ///< To scrapes of metrics.
};

/// A PUSHER: the worker of a queue whose policy has `push`. It claims tasks as any worker does,
/// posts each to the receiver, extends the leases meanwhile, and tells the queue what
/// `core::judge_push` makes of the answer. It decides nothing about tasks or leases.
///
/// Lifecycle: a child of its queue, which sends it each new policy (`follow_push`). Where the queue
/// moves to another node, so does the pushing; what was under way here is posted again there when
/// its lease has run out.
///
/// Failure: started again by its queue at that one's next look. Leases of posts that it has
/// forgotten run out.
/// Backpressure: `push.concurrency` posts of one queue, `push.requests_max` of the node. While the
/// queue refuses what it is told, the leases are extended and it is told again.
caf::behavior pusher(caf::stateful_actor<pusher_state>* self, context_ptr context, caf::actor queue,
                     core::queue_name queue_name, core::queue_policy policy);

} // namespace holdfast::actors
