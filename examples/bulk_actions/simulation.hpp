#pragma once

#include "examples/bulk_actions/bulk_run.hpp"
#include "examples/bulk_actions/rules.hpp"
#include "examples/shared/connection_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace bulk {

/// What the node and the story have to agree on. The node is this program too, so the environment
/// tells it.
struct simulation {
  std::size_t people = 4'000;
  std::uint16_t smtp_port = 25; ///< Of the mail server, on this machine.
  std::string data_dir;         ///< Of the node, whose private database has the tables.
};

simulation simulation_of_environment();
void set_environment(const simulation& which);

/// Small chunks, so that a story of seconds has many.
measure measure_of(const simulation& which);
std::filesystem::path exports_of(const simulation& which);

/// What the handlers in the node have.
tools tools_of(const simulation& which);

} // namespace bulk
