#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/step.hpp"

#include <caf/event_based_actor.hpp>

namespace holdfast::actors {

/// A QUEUE: hosts the core of one queue with all its live tasks, and keeps its time: leases that
/// run out, tasks that become due, workers that wait for the next one.
///
/// Lifecycle: started by its shard's host at the first message for it, or with the node; loads the
/// queue with its live tasks, and puts requests off until then. One that does not exist says so and
/// ends.
///
/// Failure: a refused write, a lost fence or a crash ends it; the shard's host starts it again from
/// the database. Requests under way are answered `unavailable`.
///
/// Backpressure: `overloaded` above the queue's `depth_max`; claims that wait are bounded.
///
/// `looks_all_up_until`: until then it asks the database for each id under which it is to make a
/// task, also for those that are too young to be known.
caf::actor spawn_queue(caf::event_based_actor* parent, context_ptr context, decider identity,
                       step_links links, core::instant looks_all_up_until = {});

} // namespace holdfast::actors
