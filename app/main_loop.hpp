#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace holdfast::app {

/// What wakes the main thread: SIGTERM and SIGINT, SIGHUP if it is wanted, and what other threads
/// post. One object per process, because a signal handler belongs to the process.
///
/// The first of the two signals is reported; the second ends the process at once with 128 + its
/// number, for the operator who does not want to wait. SIGPIPE is ignored: writing to a peer that
/// has gone is an error code, not the end.
class main_loop {
public:
  main_loop();
  ~main_loop();

  main_loop(const main_loop&) = delete;
  main_loop& operator=(const main_loop&) = delete;

  /// Has `task` run on the thread that calls `run_for`. From any thread.
  void post(std::function<void()> task);

  /// Runs what was posted; returns when a signal has come, `milliseconds` have passed, or something
  /// was run. -1 waits without bound.
  void run_for(int milliseconds);

  /// Forgets what was posted and has not run.
  void discard_posted();

  /// The signal that came, or 0.
  int signaled() const;

  /// From now on SIGHUP does not end the process: it has `handler` run by `run_for`.
  void on_hangup(std::function<void()> handler);

private:
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  std::function<void()> hangup_;
};

} // namespace holdfast::app
