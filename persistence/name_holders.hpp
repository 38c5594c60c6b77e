#pragma once

#include "core/name_claim.hpp"
#include "core/outcome.hpp"

#include <string>
#include <vector>

namespace holdfast::persistence {

/// The processes that are registered under the name of a node and whose lease is not over.
/// `unavailable` when the database does not answer.
core::outcome<std::vector<core::name_holder>> read_name_holders(const std::string& conninfo,
                                                                const std::string& name);

} // namespace holdfast::persistence
