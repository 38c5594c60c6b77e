#pragma once

#include "tests/sim/clients.hpp"

#include <caf/actor_system.hpp>

namespace holdfast::sim {

/// Starts the producers, the workers and the operator of a run's tasks. Workers stop in the calm;
/// producers go on until they know what has become of every task, and the operator takes back what
/// stops the work.
void start_task_clients(caf::actor_system& system, field& f);

/// Starts workers who do whatever there is, until all is over.
void start_task_closers(caf::actor_system& system, field& f);

} // namespace holdfast::sim
