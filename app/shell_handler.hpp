#pragma once

#include "client/task_handler.hpp"

#include <cstddef>
#include <string>

namespace holdfast::app {

/// Exit codes of a command that say more than "it failed": those of sysexits.h.
inline constexpr int exit_data_error = 65; ///< Trying again cannot help.
inline constexpr int exit_try_later = 75;  ///< Another service asked to come back later.

struct shell_options {
  std::string command; ///< For `/bin/sh -c`.
  core::queue_name queue;
  bool result_is_text = false;         ///< The output becomes a JSON string.
  core::duration retry_after{0};       ///< After `exit_try_later`.
  std::size_t output_bytes_max = 0;    ///< Of a result.
  std::size_t error_bytes_kept = 2000; ///< The end of stderr goes into the error's detail.
  core::duration kill_after = std::chrono::seconds{1}; ///< From SIGTERM to SIGKILL.
};

/// Runs a command for each task: the body on its stdin, the result from its stdout, the outcome by
/// its exit code. It learns the task from `TASK_ID`, `TASK_TYPE`, `TASK_QUEUE`, `TASK_ATTEMPT`,
/// `TASK_MAX_ATTEMPTS`, `TASK_KEY`, `TASK_STATE` and `TASK_DATA` of its environment. It has a
/// process group of its own, which ends when the lease does. SIGPIPE must be ignored.
class shell_handler : public client::task_handler {
public:
  explicit shell_handler(shell_options options) : options_(std::move(options)) {}

  outcome run(const client::task_context& task) override;

private:
  shell_options options_;
};

} // namespace holdfast::app
