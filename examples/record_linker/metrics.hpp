#pragma once

#include "core/time.hpp"
#include "messages/task_messages.hpp"

#include <cstdint>
#include <string>

/// The three numbers of a dashboard, from what a queue counts.
namespace linker {

using namespace holdfast;

struct metrics {
  std::uint64_t depth = 0;     ///< Tasks that are not over. Constant growth: too few workers.
  std::uint64_t executing = 0; ///< Of these, in the hands of a worker.
  double jobs_per_second = 0;  ///< That ended between the two counts, however they did.
  double error_percent = 0;    ///< Of all that ended: failed or dead.
  double dead_percent = 0;     ///< Of all that ended: in the dead letter queue.
};

/// `passed` is the time between the counts.
metrics metrics_of(const msg::queue_statistics& before, const msg::queue_statistics& now,
                   core::duration passed);

/// One line.
std::string to_string(const metrics& m);

} // namespace linker
