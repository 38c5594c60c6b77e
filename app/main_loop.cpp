#include "app/main_loop.hpp"

#include "core/invariant.hpp"

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <utility>

namespace holdfast::app {

namespace {

// A signal handler gets no argument of ours, so these must be reachable without one. Both are safe
// to touch inside a handler.
std::atomic<int> wake_pipe_end{-1};
std::atomic<int> first_signal{0};
std::atomic<int> wait_pipe_end{-1};
std::atomic<bool> hung_up{false};

void wake() {
  const char byte = 0;
  // A full pipe wakes the reader just as well.
  [[maybe_unused]] const auto written = ::write(wake_pipe_end, &byte, 1);
}

void on_signal(int number) {
  int none = 0;
  if (!first_signal.compare_exchange_strong(none, number))
    ::_exit(128 + number);
  wake();
}

void on_hangup_signal(int) {
  hung_up = true;
  wake();
}

} // namespace

main_loop::main_loop() {
  HOLDFAST_INVARIANT(wake_pipe_end == -1, "each command makes one main loop");
  int ends[2];
  HOLDFAST_INVARIANT(::pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0, "a new process has descriptors");
  wait_pipe_end = ends[0];
  wake_pipe_end = ends[1];
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART; // libraries below us do not expect interrupted calls
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

main_loop::~main_loop() {
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
  if (hangup_)
    ::signal(SIGHUP, SIG_DFL);
  ::close(wake_pipe_end.exchange(-1));
  ::close(wait_pipe_end.exchange(-1));
}

void main_loop::post(std::function<void()> task) {
  {
    const std::lock_guard lock{mutex_};
    posted_.push_back(std::move(task));
  }
  wake();
}

void main_loop::run_for(int milliseconds) {
  pollfd wanted{wait_pipe_end, POLLIN, 0};
  if (::poll(&wanted, 1, milliseconds) > 0) {
    char bytes[64];
    while (::read(wait_pipe_end, bytes, sizeof bytes) > 0) {
    }
  }
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock{mutex_};
    tasks.swap(posted_);
  }
  for (auto& task : tasks)
    task();
  if (hung_up.exchange(false))
    hangup_();
}

void main_loop::discard_posted() {
  const std::lock_guard lock{mutex_};
  posted_.clear();
}

void main_loop::on_hangup(std::function<void()> handler) {
  hangup_ = std::move(handler);
  struct sigaction action {};
  action.sa_handler = on_hangup_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGHUP, &action, nullptr);
}

int main_loop::signaled() const { return first_signal; }

} // namespace holdfast::app
