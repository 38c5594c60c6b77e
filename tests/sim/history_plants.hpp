#pragma once

#include "tests/sim/plant.hpp"

#include <memory>
#include <string>
#include <vector>

/// The planted bugs that show when the database has forgotten commits.
namespace holdfast::sim {

const std::vector<plant>& history_plants();

/// Numbers that the nodes of one run have seen, where a bug needs them.
struct seen_numbers;
std::shared_ptr<seen_numbers> make_seen_numbers();

/// The connection of a node, lying if the bug makes it lie.
std::unique_ptr<persistence::store>
wrap_history(const std::string& name, std::unique_ptr<persistence::store> connection,
             std::shared_ptr<persistence::memory_database> database,
             std::shared_ptr<seen_numbers> seen);

} // namespace holdfast::sim
