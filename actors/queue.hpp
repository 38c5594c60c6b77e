#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/step.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace holdfast::actors {

/// The connections with which leases of a queue end, and these leases. They are not stored, so the
/// shard's host keeps them from one life of the queue to the next. Only the queue looks at them or
/// changes them, while it lives: the next life begins when the one before has ended.
struct tied_leases {
  using leases = std::set<std::pair<core::task_id, core::token>>;
  struct connection {
    caf::actor client;
    bool distant = false; ///< It is the worker's forwarder in another node.
    /// Also those whose ends are not durable yet: if the queue ends before, they hold still.
    leases held;
    std::set<std::uint64_t> waiting; ///< The claims that are called off with it, of this life.
  };
  std::unordered_map<caf::actor_addr, connection> connections; ///< Those that have claimed so.
  leases lost; ///< Of connections that are over; their ends are not durable yet.
};

/// A QUEUE: hosts the core of one queue with all its live tasks, and keeps its time: leases that
/// run out, tasks that become due, workers that wait for the next one.
///
/// Lifecycle: started by its shard's host at the first message for it, or with the node; loads the
/// queue with its live tasks, and puts requests off until then. One that does not exist says so and
/// ends. One that is removed ends when that is durable, and refuses all requests until then.
///
/// Failure: a refused write, a lost fence or a crash ends it; the shard's host starts it again from
/// the database. Requests under way are answered `unavailable`.
///
/// Backpressure: `overloaded` above the queue's `depth_max`; claims that wait are bounded.
///
/// `looks_all_up_until`: until then it asks the database for each id under which it is to make a
/// task, also for those that are too young to be known. `ties`: those of its earlier lives.
caf::actor spawn_queue(caf::event_based_actor* parent, context_ptr context, decider identity,
                       step_links links, std::shared_ptr<tied_leases> ties,
                       core::instant looks_all_up_until);

} // namespace holdfast::actors
