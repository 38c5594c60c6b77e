#include "examples/bulk_actions/smtp_sink.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace bulk {

namespace {

core::failure failed(const std::string& what, int code) {
  return {core::errc::unavailable, what + ": " + std::generic_category().message(code)};
}

/// Debian's Python, because it has Debian's packages.
int spawn(pid_t& pid, int input, int output, const std::string& file) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  std::string python = "/usr/bin/python3";
  std::string script = BULK_SMTP_SINK;
  std::string path = file;
  char* const arguments[]{python.data(), script.data(), path.data(), nullptr};
  const auto code = ::posix_spawn(&pid, python.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  return code;
}

/// The number that it prints when it has its port; 0 when it ends without.
std::uint16_t read_port(int from) {
  std::string text;
  char next = 0;
  while (::read(from, &next, 1) == 1 && next != '\n')
    text += next;
  return static_cast<std::uint16_t>(std::strtoul(text.c_str(), nullptr, 10));
}

} // namespace

core::outcome<smtp_sink> smtp_sink::start(const std::filesystem::path& directory) {
  // Closed in every program that is started from here: only so does the sink see our end.
  int input[2];
  int output[2];
  if (::pipe2(input, O_CLOEXEC) != 0)
    return failed("no pipe for the mail sink", errno);
  if (::pipe2(output, O_CLOEXEC) != 0)
    return failed("no pipe for the mail sink", errno);
  pid_t pid = -1;
  const auto file = directory / "mails.jsonl";
  const auto code = spawn(pid, input[0], output[1], file.string());
  ::close(input[0]);
  ::close(output[1]);
  if (code != 0)
    return failed("cannot start the mail sink", code);
  const auto port = read_port(output[0]);
  ::close(output[0]);
  smtp_sink made{pid, input[1], port, file};
  if (port == 0)
    return core::failure{core::errc::unavailable,
                         "the mail sink ended at once: is python3-aiosmtpd installed?"};
  return made;
}

smtp_sink::smtp_sink(pid_t pid, int input, std::uint16_t port, std::filesystem::path file)
    : pid_(pid), input_(input), port_(port), file_(std::move(file)) {}

smtp_sink::smtp_sink(smtp_sink&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::exchange(other.input_, -1)),
      port_(other.port_),
      file_(std::move(other.file_)) {}

smtp_sink::~smtp_sink() {
  if (pid_ < 0)
    return;
  ::close(input_);
  ::kill(pid_, SIGTERM);
  ::waitpid(pid_, nullptr, 0);
}

void smtp_sink::open() const {
  const char line = '\n';
  if (::write(input_, &line, 1) != 1)
    throw std::system_error{errno, std::generic_category(), "the mail sink is gone"};
}

std::vector<received_mail> smtp_sink::mails() const {
  std::vector<received_mail> read;
  std::ifstream lines{file_};
  for (std::string line; std::getline(lines, line);) {
    const auto mail = nlohmann::json::parse(line);
    read.push_back({mail.at("to").at(0).get<std::string>(), mail.at("id").get<std::string>(),
                    mail.at("subject").get<std::string>(), mail.at("text").get<std::string>()});
  }
  return read;
}

} // namespace bulk
