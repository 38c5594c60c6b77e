#pragma once

#include "bench/node_under_load.hpp"
#include "bench/pgbench.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace holdfast::bench {

struct task_load {
  std::size_t callers = 16; ///< At once.
  std::size_t queues = 1;   ///< Over which the callers spread.
  std::uint32_t batch = 1;  ///< Tasks in each request.
  std::chrono::milliseconds duration{};
};

struct task_result {
  double seconds = 0;
  std::uint64_t completed = 0; ///< Whole lives: enqueued, claimed and completed, each acknowledged.
  std::uint64_t commits = 0;   ///< By the writers, meanwhile.
  std::uint64_t failures = 0;  ///< Answers that were no success.
  std::vector<double> life_millis; ///< Of a batch, from the enqueue to the last acknowledgement.
};

/// Lets callers take tasks of 100 bytes through their whole life on queues of the node: each
/// enqueues a batch, claims as many, completes them, and begins again.
task_result live_tasks(node_under_load& node, const task_load& load);

/// Lets callers have tasks done one by one: each enqueues one for whichever of the workers waits,
/// sees it completed, and begins again. Of the result, `commits` is not counted.
task_result processed_tasks(node_under_load& node, std::size_t callers, std::size_t workers,
                            std::chrono::milliseconds duration);

struct start_result {
  std::vector<double> start_millis; ///< From the call that enqueues to the worker's receipt.
  double cpu_seconds = 0;           ///< Of this process.
  double seconds = 0;
};

/// Enqueues tasks one by one at a steady rate, for a worker that waits for them.
start_result start_tasks(node_under_load& node, double per_second,
                         std::chrono::milliseconds duration);

/// The same life by SQL alone, as the textbook has it: an insert, a claim by
/// `FOR UPDATE SKIP LOCKED` and a completion, in three transactions.
pgbench_result skip_locked(const std::string& conninfo, std::size_t clients,
                           std::chrono::seconds duration);

} // namespace holdfast::bench
