#include "app/demo/node_process.hpp"

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace holdfast::app::demo {

namespace {

using std::chrono::steady_clock;

/// Short against everything that is measured here, long against the cost of asking.
constexpr auto wait_step = std::chrono::milliseconds{5};
constexpr std::size_t log_tail_lines = 15;

int milliseconds_until(steady_clock::time_point when) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(when - steady_clock::now()).count();
  return left <= 0 ? 0 : static_cast<int>(left) + 1;
}

int end_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

/// The value of `key` in a line of `key=value` words.
std::string word_of(const std::string& line, const std::string& key) {
  std::istringstream words{line};
  for (std::string word; words >> word;)
    if (word.rfind(key + '=', 0) == 0)
      return word.substr(key.size() + 1);
  return {};
}

/// Becomes the node. Runs between fork and exec, where only what is safe in a signal handler may be
/// called: other threads may have held any lock.
[[noreturn]] void become(const char* program, char* const* argv, int output, int log) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::setpgid(0, 0); // Ctrl-C is for the demo; it then stops the node itself
  ::dup2(output, STDOUT_FILENO);
  ::dup2(log, STDERR_FILENO);
  ::close_range(STDERR_FILENO + 1, ~0U, 0); // sockets of CAF are not all closed on exec
  ::execv(program, argv);
  ::_exit(127);
}

} // namespace

node_process::node_process(std::string program, std::filesystem::path data_dir,
                           std::vector<std::string> arguments)
    : program_(std::move(program)),
      data_dir_(std::move(data_dir)),
      arguments_(std::move(arguments)) {}

node_process::~node_process() {
  kill();
  if (pid_ > 0)
    ended_within(std::chrono::seconds{10});
  if (output_ >= 0)
    ::close(output_);
}

core::outcome<bool> node_process::start(core::duration limit) {
  if (auto launched = launch(); !launched)
    return launched;
  return await_ready(limit);
}

core::outcome<bool> node_process::launch() {
  // A process that was killed holds its directory for some moments more.
  if (is_there() && !ended_within(std::chrono::seconds{10}))
    return core::failure{core::errc::already_exists, "the process before it still runs"};
  std::vector<std::string> words{"holdfast",         "node",   "--data-dir",
                                 data_dir_.string(), "--port", std::to_string(port_)};
  words.insert(words.end(), arguments_.begin(), arguments_.end());
  std::vector<char*> argv;
  for (auto& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);

  const auto log_path = data_dir_ / "node.log";
  const int log = ::open(log_path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  int ends[2] = {-1, -1};
  if (log < 0 || ::pipe2(ends, O_CLOEXEC) != 0) {
    const std::string why = std::strerror(errno);
    if (log >= 0)
      ::close(log);
    return core::failure{core::errc::unavailable, "cannot start the node: " + why};
  }
  const pid_t child = ::fork();
  if (child == 0)
    become(program_.c_str(), argv.data(), ends[1], log);
  const std::string why = child < 0 ? std::strerror(errno) : "";
  ::close(ends[1]);
  ::close(log);
  if (output_ >= 0)
    ::close(output_);
  output_ = ends[0];
  if (child < 0)
    return core::failure{core::errc::unavailable, "cannot start the node: " + why};
  const std::lock_guard lock{mutex_};
  pid_ = child;
  ended_.reset();
  return true;
}

core::outcome<bool> node_process::await_ready(core::duration limit) {
  const auto until = steady_clock::now() + limit;
  std::string said;
  while (said.find('\n') == std::string::npos) {
    pollfd wanted{output_, POLLIN, 0};
    if (::poll(&wanted, 1, milliseconds_until(until)) <= 0)
      return core::failure{core::errc::unavailable, "the node was not ready in time"};
    char bytes[256];
    const auto count = ::read(output_, bytes, sizeof bytes);
    if (count <= 0) {
      const auto code = ended_within(std::chrono::seconds{5});
      return core::failure{core::errc::unavailable,
                           "the node ended while starting, with exit code "
                               + (code ? std::to_string(*code) : std::string{"unknown"})};
    }
    said.append(bytes, static_cast<std::size_t>(count));
  }
  const auto port = word_of(said, "port");
  if (said.rfind("ready ", 0) != 0 || port.empty())
    return core::failure{core::errc::unavailable, "the node said something unexpected: " + said};
  port_ = static_cast<std::uint16_t>(std::stoul(port));
  return true;
}

bool node_process::is_there() {
  const std::lock_guard lock{mutex_};
  return pid_ > 0;
}

pid_t node_process::pid() {
  const std::lock_guard lock{mutex_};
  return pid_;
}

void node_process::kill() { signal(SIGKILL); }

void node_process::signal(int number) {
  const std::lock_guard lock{mutex_};
  if (pid_ > 0)
    ::kill(pid_, number);
}

std::optional<int> node_process::ended() {
  const std::lock_guard lock{mutex_};
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    ended_ = end_of(status);
    pid_ = -1;
  }
  return ended_;
}

std::optional<int> node_process::ended_within(core::duration limit) {
  const auto until = steady_clock::now() + limit;
  while (!ended() && steady_clock::now() < until)
    std::this_thread::sleep_for(wait_step);
  return ended_;
}

std::optional<int> node_process::stop(core::duration limit) {
  {
    const std::lock_guard lock{mutex_};
    if (pid_ > 0)
      ::kill(pid_, SIGTERM);
  }
  if (const auto code = ended_within(limit))
    return code;
  kill();
  return ended_within(std::chrono::seconds{10});
}

std::string node_process::log_tail() const {
  std::ifstream log{data_dir_ / "node.log"};
  std::vector<std::string> lines;
  for (std::string line; std::getline(log, line);) {
    lines.push_back(line);
    if (lines.size() > log_tail_lines)
      lines.erase(lines.begin());
  }
  std::string text;
  for (const auto& line : lines)
    text += "  " + line + '\n';
  return text;
}

} // namespace holdfast::app::demo
