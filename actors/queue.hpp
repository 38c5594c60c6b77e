#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/step_links.hpp"
#include "actors/tied_leases.hpp"

#include <caf/event_based_actor.hpp>

#include <memory>

namespace holdfast::actors {

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
