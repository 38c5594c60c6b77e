#pragma once

#include "examples/record_linker/entity_api.hpp"
#include "examples/record_linker/tables.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace linker {

/// What the node and the story have to agree on. The node is this program too, so the environment
/// tells it.
struct simulation {
  std::uint64_t seed = 1;
  double speed = 10;    ///< How many seconds of the world pass in one.
  std::string data_dir; ///< Of the node, whose private database has the application's tables.
};

simulation simulation_of_environment();
void set_environment(const simulation& which);

/// The tables in the database of the node.
std::shared_ptr<connection_pool> tables_of(const simulation& which);

/// The API at the end of a line; it keeps its books in the database.
std::shared_ptr<entity_api> api_of(const simulation& which, std::shared_ptr<connection_pool> books);

} // namespace linker
