#pragma once

#include "core/outcome.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace holdfast::app::demo {

/// A node in a process of its own, with a private database: `holdfast node`.
/// Its log goes to `<data_dir>/node.log`.
///
///   stopped ── start ──► running ── kill, or a crash ──► ended ── start ──► running ...
///
/// Belongs to the main thread (the node ends when the thread that started it does), except for
/// `kill`.
class node_process {
public:
  /// `program` is the path of `holdfast`; `arguments` follow `node --data-dir <data_dir>`.
  node_process(std::string program, std::filesystem::path data_dir,
               std::vector<std::string> arguments);
  /// Kills it if it is still running.
  ~node_process();

  node_process(const node_process&) = delete;
  node_process& operator=(const node_process&) = delete;

  /// Another program, from the next start on.
  void set_program(std::string program) { program_ = std::move(program); }

  /// Starts the node and waits until it says that it is ready. From the second time on it gets the
  /// port that it had; who was killed before is waited for.
  core::outcome<bool> start(core::duration limit);

  /// SIGKILL, now. From any thread; harmless when it has ended.
  void kill();
  /// The same with another signal.
  void signal(int number);

  /// How it ended, if it has: an exit code, or 128 + the signal.
  std::optional<int> ended();
  /// Waits for its end.
  std::optional<int> ended_within(core::duration limit);

  /// SIGTERM, and how it ended; killed when that takes longer than `limit`.
  std::optional<int> stop(core::duration limit);

  std::uint16_t port() const { return port_; }
  /// Of the process that runs; -1 where none does.
  pid_t pid();
  /// The last lines of its log, for a report of what went wrong.
  std::string log_tail() const;

private:
  bool is_there();
  core::outcome<bool> launch();
  core::outcome<bool> await_ready(core::duration limit);

  std::string program_;
  std::filesystem::path data_dir_;
  std::vector<std::string> arguments_;
  std::uint16_t port_ = 0;
  int output_ = -1;  ///< Our end of its standard output.
  std::mutex mutex_; ///< Guards `pid_`: it must not be signaled after it was reaped.
  pid_t pid_ = -1;
  std::optional<int> ended_;
};

} // namespace holdfast::app::demo
