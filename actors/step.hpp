#pragma once

#include "actors/context.hpp"
#include "actors/internal_messages.hpp"
#include "actors/step_links.hpp"

#include <caf/event_based_actor.hpp>

namespace holdfast::actors {

/// A STEP: hosts the core of one workflow step and its ready set, picks the unit for each
/// contributor, and is the supervisor of its units.
///
/// Lifecycle: started by its shard's host at the first message for the step, or at node start when
/// it may have work. First it sends the writer a barrier under its new generation, so that all that
/// earlier lives have decided is settled, then it loads; requests wait meanwhile. Answers
/// `not_found` and ends when there is no such step.
///
/// Units: loaded in groups along the order of arrival, spawned on demand, sent away when idle. A
/// unit actor that crashed is settled by a barrier and loaded again; after three crashes its unit
/// is paused and reported, and its siblings go on.
///
/// Documents: inputs and judgments that are too large for a row are stored before they are decided
/// about, and fetched before a lease is granted, or anything made of them. A unit whose input is
/// lost is paused and reported.
///
/// Timers: one, for the earliest end of a lease of any unit. Leases are not kept alive by anything
/// in memory: after a restart their ends come from the database.
///
/// Failure: a refused write or a lost fence ends the step and with it its units; the shard's host
/// starts it again.
///
/// Backpressure: at most `batching.high_water` requests wait for loading, then `overloaded`.
caf::actor spawn_step(caf::event_based_actor* parent, context_ptr context, decider identity,
                      step_links links);

} // namespace holdfast::actors
