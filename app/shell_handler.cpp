#include "app/shell_handler.hpp"

#include "core/mended_text.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace holdfast::app {

namespace {

/// Between two looks at the lease while the command is silent.
constexpr int look_milliseconds = 100;

/// The ends of a pipe; closed at exec, so that no command inherits those of another.
struct pipe_ends {
  int read = -1;
  int write = -1;

  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
  static void close(int& end) {
    if (end >= 0)
      ::close(std::exchange(end, -1));
  }
  pipe_ends() = default;
  pipe_ends(const pipe_ends&) = delete;
  pipe_ends& operator=(const pipe_ends&) = delete;
  ~pipe_ends() {
    close(read);
    close(write);
  }
};

/// The environment of this process with the facts about the task.
std::vector<std::string> environment_of(const msg::leased_task& task,
                                        const core::queue_name& queue) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (std::strncmp(*entry, "TASK_", 5) != 0)
      all.emplace_back(*entry);
  const std::vector<std::pair<const char*, std::string>> facts{
      {"ID", core::to_string(task.task)},
      {"TYPE", task.type},
      {"QUEUE", queue},
      {"ATTEMPT", std::to_string(task.attempt)},
      {"MAX_ATTEMPTS", std::to_string(task.max_attempts)},
      {"KEY", task.key},
      {"STATE", task.state},
      {"DATA", task.data}};
  for (const auto& [name, value] : facts)
    all.push_back(std::string{"TASK_"} + name + '=' + value);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (auto& text : texts)
    pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// A command that runs. Its process has ended, and everything of its group, when this is gone.
class running_command {
public:
  /// 0, or an error of the system.
  int start(const std::string& command, std::vector<std::string> environment) {
    if (!in_.open() || !out_.open() || !err_.open())
      return errno;
    posix_spawn_file_actions_t files;
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_adddup2(&files, in_.read, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, out_.write, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, err_.write, STDERR_FILENO);
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    sigset_t none;
    sigset_t ours;
    ::sigemptyset(&none);
    ::sigemptyset(&ours);
    for (const int number : {SIGPIPE, SIGTERM, SIGINT})
      ::sigaddset(&ours, number);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &ours);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
                                                | POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> words{"sh", "-c", command};
    const auto arguments = pointers_to(words);
    const auto variables = pointers_to(environment);
    const int failed = ::posix_spawn(&process_, "/bin/sh", &files, &attributes, arguments.data(),
                                     variables.data());
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
    pipe_ends::close(in_.read);
    pipe_ends::close(out_.write);
    pipe_ends::close(err_.write);
    if (failed != 0)
      process_ = -1;
    else
      ::fcntl(in_.write, F_SETFL, O_NONBLOCK);
    return failed;
  }

  running_command() = default;
  running_command(const running_command&) = delete;
  running_command& operator=(const running_command&) = delete;
  ~running_command() {
    if (process_ > 0) {
      signal(SIGKILL);
      ::waitpid(process_, nullptr, 0);
    }
  }

  void signal(int number) const { ::kill(-process_, number); }

  /// Writes what is left of `body`, reads what is there, and waits a moment if there is nothing.
  void exchange(std::string_view& body, std::string& output, std::string& errors) {
    if (body.empty())
      pipe_ends::close(in_.write);
    pollfd wanted[]{{in_.write, POLLOUT, 0}, {out_.read, POLLIN, 0}, {err_.read, POLLIN, 0}};
    ::poll(wanted, 3, look_milliseconds); // one that is closed is -1, which poll passes over
    if (wanted[0].revents != 0) {
      const auto put = ::write(in_.write, body.data(), body.size());
      if (put > 0)
        body.remove_prefix(static_cast<std::size_t>(put));
      else if (put < 0 && errno != EAGAIN && errno != EINTR)
        body = {}; // it does not read its input, which is its own affair
    }
    if (wanted[1].revents != 0)
      take(out_.read, output);
    if (wanted[2].revents != 0)
      take(err_.read, errors);
  }

  /// Whether the shell has ended; then `status` is that of `waitpid`. Processes that it has left
  /// running may hold its pipes open: these are read as far as there is something.
  bool ended(int& status, std::string& output, std::string& errors) {
    if (::waitpid(process_, &status, WNOHANG) != process_)
      return false;
    drain(out_.read, output);
    drain(err_.read, errors);
    signal(SIGKILL); // whatever is left of its group
    process_ = -1;
    return true;
  }

private:
  static bool take(int& end, std::string& to) {
    char bytes[4096];
    const auto got = ::read(end, bytes, sizeof bytes);
    if (got > 0)
      to.append(bytes, static_cast<std::size_t>(got));
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
      pipe_ends::close(end);
    return got > 0;
  }
  static void drain(int& end, std::string& to) {
    if (end < 0)
      return;
    ::fcntl(end, F_SETFL, O_NONBLOCK);
    while (end >= 0 && take(end, to)) {
    }
  }

  pipe_ends in_;
  pipe_ends out_;
  pipe_ends err_;
  pid_t process_ = -1;
};

/// The end of `text`, within `most` bytes.
std::string tail_of(const std::string& text, std::size_t most) {
  return core::mended_text(text.size() > most ? text.substr(text.size() - most) : text, most);
}

client::outcome permanent(std::string code, std::string detail) {
  client::failed why;
  why.code = std::move(code);
  why.detail = std::move(detail);
  why.kind = core::failure_kind::permanent;
  return why;
}

client::outcome completed(std::string output, bool as_text) {
  if (as_text) {
    if (!output.empty() && output.back() == '\n')
      output.pop_back();
    return client::done{nlohmann::json(core::mended_text(output, output.size() * 3)).dump()};
  }
  if (output.find_first_not_of(" \t\r\n") == std::string::npos)
    return client::done{};
  if (!nlohmann::json::accept(output))
    return permanent("RESULT_NOT_JSON",
                     "the command wrote no JSON to its standard output: " + output.substr(0, 200));
  return client::done{std::move(output)};
}

} // namespace

client::outcome shell_handler::run(const client::task_context& task) {
  running_command command;
  if (const int failed =
          command.start(options_.command, environment_of(task.task(), options_.queue));
      failed != 0)
    return client::failed{"COMMAND_NOT_STARTED", std::strerror(failed)};
  std::string_view body{task.task().body};
  std::string output;
  std::string errors;
  int status = 0;
  std::chrono::steady_clock::time_point kill_at{};
  while (!command.ended(status, output, errors)) {
    command.exchange(body, output, errors);
    if (errors.size() > 2 * options_.error_bytes_kept)
      errors.erase(0, errors.size() - options_.error_bytes_kept);
    if (output.size() > options_.output_bytes_max)
      return permanent("RESULT_TOO_LARGE", "the command wrote more than "
                                               + std::to_string(options_.output_bytes_max)
                                               + " bytes to its standard output");
    if (!task.canceled())
      continue;
    const auto now = std::chrono::steady_clock::now();
    if (kill_at == std::chrono::steady_clock::time_point{}) {
      kill_at = now + options_.kill_after;
      command.signal(SIGTERM);
    } else if (now >= kill_at) {
      return client::wait_until{}; // the command is killed with its group
    }
  }
  if (task.canceled() && !(WIFEXITED(status) && WEXITSTATUS(status) == 0))
    return client::wait_until{};
  if (output.size() > options_.output_bytes_max)
    return permanent("RESULT_TOO_LARGE", "the command wrote too much to its standard output");
  const auto detail = tail_of(errors, options_.error_bytes_kept);
  if (WIFSIGNALED(status))
    return client::failed{"SIGNAL_" + std::to_string(WTERMSIG(status)), detail};
  const int code = WEXITSTATUS(status);
  if (code == 0)
    return completed(std::move(output), options_.result_is_text);
  client::failed why{"EXIT_" + std::to_string(code), detail};
  if (code == exit_data_error)
    why.kind = core::failure_kind::permanent;
  if (code == exit_try_later) {
    why.kind = core::failure_kind::rate_limited;
    why.retry_after = options_.retry_after;
  }
  return why;
}

} // namespace holdfast::app
