#pragma once

#include "core/change.hpp"
#include "tests/sim/plant.hpp"

#include <caf/actor.hpp>

#include <functional>

/// The planted bugs that are about tasks.
namespace holdfast::sim {

const std::vector<plant>& task_plants();

/// What the bug does to a change on its way to the database; empty when it does nothing there.
std::function<void(core::change&)> task_mutation_named(const std::string& name, dice& random);

/// The connection, lying if the bug makes it lie.
std::unique_ptr<persistence::store> wrap_task_reads(const std::string& name,
                                                    std::unique_ptr<persistence::store> connection,
                                                    dice& random);

/// What stands before the gateway under this bug; null when nothing does.
caf::actor wrap_task_gateway(const std::string& name, caf::actor_system& system,
                             const caf::actor& gateway,
                             std::shared_ptr<persistence::memory_database> database);

} // namespace holdfast::sim
