#include "tests/support/child_program.hpp"

#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace holdfast::test {

child_program::child_program(const std::string& program,
                             const std::vector<std::string>& arguments) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close_range(STDERR_FILENO + 1, ~0U, 0); // sockets of CAF are not all closed on exec
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  if (pid_ < 0)
    throw std::runtime_error{"no process"};
  watch_ = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  if (watch_ < 0)
    throw std::runtime_error{"no descriptor of a process"};
}

child_program::~child_program() {
  signal(SIGKILL);
  ended_within(std::chrono::seconds{10});
  ::close(watch_);
}

void child_program::signal(int number) {
  if (pid_ > 0)
    ::kill(pid_, number);
}

std::optional<int> child_program::ended_within(std::chrono::seconds limit) {
  if (pid_ < 0)
    return {};
  pollfd wanted{watch_, POLLIN, 0};
  if (::poll(&wanted, 1, static_cast<int>(std::chrono::milliseconds{limit}.count())) <= 0)
    return {};
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace holdfast::test
