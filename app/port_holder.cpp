#include "app/port_holder.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace holdfast::app {

namespace {

namespace fs = std::filesystem;

/// A line of /proc/net/tcp about a socket that listens.
struct listening {
  std::string inode;
  uid_t user = 0;
};

std::optional<listening> listener_in(const char* table, std::uint16_t port) {
  std::ifstream lines{table};
  std::string line;
  std::getline(lines, line); // the names of the columns
  while (std::getline(lines, line)) {
    std::istringstream columns{line};
    std::string number, local, remote, state, queues, timer, retries, user, timeout, inode;
    columns >> number >> local >> remote >> state >> queues >> timer >> retries >> user >> timeout
        >> inode;
    const auto colon = local.rfind(':');
    if (state != "0A" || colon == std::string::npos)
      continue;
    if (std::stoul(local.substr(colon + 1), nullptr, 16) == port)
      return listening{inode, static_cast<uid_t>(std::stoul(user))};
  }
  return std::nullopt;
}

bool is_number(const std::string& text) {
  return !text.empty()
         && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c); });
}

bool has_socket(const fs::path& process, const std::string& inode) {
  const auto wanted = "socket:[" + inode + ']';
  std::error_code failed;
  for (fs::directory_iterator file{process / "fd", failed}, end; !failed && file != end;
       file.increment(failed)) {
    std::error_code ignored;
    if (fs::read_symlink(file->path(), ignored).string() == wanted)
      return true;
  }
  return false;
}

} // namespace

std::optional<port_holder> holder_of(std::uint16_t port) {
  auto found = listener_in("/proc/net/tcp", port);
  if (!found)
    found = listener_in("/proc/net/tcp6", port);
  if (!found)
    return std::nullopt;
  port_holder holder{0, {}, found->user};
  std::error_code failed;
  for (fs::directory_iterator process{"/proc", failed}, end; !failed && process != end;
       process.increment(failed)) {
    const auto name = process->path().filename().string();
    if (!is_number(name) || !has_socket(process->path(), found->inode))
      continue;
    holder.pid = static_cast<pid_t>(std::stol(name));
    std::ifstream program{process->path() / "comm"};
    std::getline(program, holder.program);
    break;
  }
  return holder;
}

} // namespace holdfast::app
