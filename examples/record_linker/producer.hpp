#pragma once

#include "core/outcome.hpp"
#include "examples/record_linker/node_port.hpp"
#include "examples/record_linker/records.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What users and operators ask for: quickly answered, done later by workers.
namespace linker {

/// How many tasks travel in one request.
inline constexpr std::size_t batch_size = 1'000;

/// What became of a request to match.
struct fan_out {
  std::size_t made = 0;
  std::size_t repeated = 0; ///< Had been asked for before.
  std::size_t refused = 0;  ///< By the queue, e.g. because it is full: left to the sweeper.
};

/// Makes a task for each row, `batch_size` at a time. A node that does not answer is a failure; the
/// rows that have no task then are left to the sweeper, or to who asks again.
core::outcome<fan_out> enqueue(task_port& node, const std::vector<link_row>& rows,
                               const std::string& trace, std::int16_t priority = 0);

/// "Match project P." `not_found` when there is no such project: the user's mistake, as opposed to
/// every other failure.
core::outcome<fan_out> match_project(link_store& store, task_port& node, std::uint32_t project,
                                     const std::string& trace, core::instant now);

/// Makes those dead letters live again that died of an outage. Who died otherwise would do so
/// again.
core::outcome<std::size_t> redrive_after_outage(node_port& node);

} // namespace linker
