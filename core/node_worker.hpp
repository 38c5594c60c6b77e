#pragma once

#include "core/ids.hpp"

#include <optional>
#include <string>

/// Workers that run inside a node: their names say in which process of it, so that whoever hosts
/// their tasks can tell when they have ended with it (docs/adr/0059).
namespace holdfast::core {

/// What the name of a worker inside this process begins with; `-` and an id of its own follow. Of
/// the node's name as much as there is room for.
std::string name_inside(const std::string& node, const incarnation_id& process);

/// The process in which the worker runs; empty for one that is a program of its own.
std::optional<incarnation_id> process_of(const worker_id& worker);

} // namespace holdfast::core
