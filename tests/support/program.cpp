#include "tests/support/program.hpp"

#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

namespace holdfast::test {

namespace {

using std::chrono::steady_clock;

struct pipe_ends {
  pipe_ends() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      throw std::runtime_error{"no pipe"};
    read = ends[0];
    write = ends[1];
  }
  ~pipe_ends() {
    ::close(read);
    if (write >= 0)
      ::close(write);
  }
  void close_write() {
    ::close(write);
    write = -1;
  }

  int read = -1;
  int write = -1;
};

/// Reads what is there; false at the end of the stream.
bool drain(int descriptor, std::string& into) {
  char bytes[4096];
  const auto count = ::read(descriptor, bytes, sizeof bytes);
  if (count > 0)
    into.append(bytes, static_cast<std::size_t>(count));
  return count > 0;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (auto& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> clean_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, "HOLDFAST_", 9) != 0)
      variables.emplace_back(*variable);
  return variables;
}

} // namespace

program_end run_program(const std::string& program, const std::vector<std::string>& arguments,
                        std::chrono::seconds limit) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto variables = clean_environment();
  const auto argv = pointers_to(words);
  const auto envp = pointers_to(variables);
  pipe_ends out;
  pipe_ends err;
  const pid_t child = ::fork();
  if (child < 0)
    throw std::runtime_error{"no process"};
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    ::execve(program.c_str(), argv.data(), envp.data());
    ::_exit(127);
  }
  out.close_write();
  err.close_write();

  program_end end;
  const auto until = steady_clock::now() + limit;
  bool in_time = true;
  pollfd wanted[]{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  while (wanted[0].fd >= 0 || wanted[1].fd >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
    if (left.count() <= 0 || ::poll(wanted, 2, static_cast<int>(left.count())) <= 0) {
      in_time = false;
      ::kill(child, SIGKILL);
      break;
    }
    if (wanted[0].revents != 0 && !drain(out.read, end.out))
      wanted[0].fd = -1;
    if (wanted[1].revents != 0 && !drain(err.read, end.err))
      wanted[1].fd = -1;
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (in_time)
    end.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

} // namespace holdfast::test
