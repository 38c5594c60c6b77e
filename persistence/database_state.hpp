#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <string>

namespace holdfast::persistence {

/// The facts about a database that help to find its faults.
struct database_state {
  core::instant now;                ///< Its clock, when it answered.
  std::uint32_t schema_version = 0; ///< The last migration; 0: it has no schema of ours.
};

/// `unavailable` when the database cannot be reached, or refuses.
core::outcome<database_state> read_database_state(const std::string& conninfo);

} // namespace holdfast::persistence
