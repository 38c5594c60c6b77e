#include "app/data_dir.hpp"

#include "files/private_file.hpp"

#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

namespace holdfast::app {

namespace {

std::filesystem::path node_file_path(const std::filesystem::path& directory) {
  return directory / "node.json";
}

core::failure unusable(const std::filesystem::path& what, const std::string& why) {
  return {core::errc::invalid_argument, what.string() + ": " + why};
}

} // namespace

bool node_file::alive() const { return pid > 0 && (::kill(pid, 0) == 0 || errno == EPERM); }

core::outcome<data_dir_lock> data_dir_lock::take(const std::filesystem::path& directory) {
  if (const auto made = files::make_directory(directory.string()); !made)
    return made.error();
  const auto path = directory / "node.lock";
  // It closes at exec: a private PostgreSQL would inherit the lock and hold it after our death.
  const int descriptor = files::open_lock(path.string());
  if (descriptor < 0)
    return unusable(path, std::strerror(errno));
  data_dir_lock lock{descriptor};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return lock;
  if (errno != EWOULDBLOCK)
    return unusable(path, std::strerror(errno));
  const auto other = read_node_file(directory);
  return core::failure{core::errc::already_exists,
                       "another process"
                           + (other ? " (pid " + std::to_string(other->pid) + ")" : "")
                           + " is running on " + std::filesystem::absolute(directory).string()};
}

data_dir_lock::data_dir_lock(data_dir_lock&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

data_dir_lock& data_dir_lock::operator=(data_dir_lock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

data_dir_lock::~data_dir_lock() {
  if (descriptor_ >= 0)
    ::close(descriptor_);
}

core::outcome<bool> write_node_file(const std::filesystem::path& directory, const node_file& node) {
  const nlohmann::json content{{"pid", node.pid},
                               {"address", node.address},
                               {"port", node.port},
                               {"incarnation", node.incarnation},
                               {"database", node.database}};
  constexpr mode_t for_owner = 0600;
  return files::write_whole(node_file_path(directory).string(), content.dump(2) + '\n', for_owner,
                            files::existing::replace);
}

core::outcome<node_file> read_node_file(const std::filesystem::path& directory) {
  const auto path = node_file_path(directory);
  std::ifstream in{path};
  if (!in && (errno == EACCES || errno == EPERM))
    return unusable(path, std::string{std::strerror(errno)}
                              + "; it is readable for the user of the node and for root");
  if (!in)
    return core::failure{core::errc::not_found,
                         path.string() + ": not there; no node runs on "
                             + std::filesystem::absolute(directory).string()};
  const std::string text{std::istreambuf_iterator<char>{in}, {}};
  const auto content = nlohmann::json::parse(text, nullptr, false);
  if (content.is_discarded())
    return unusable(path, "is no JSON");
  try {
    // A node of the version before says nothing of its address.
    return node_file{content.at("pid").get<pid_t>(), content.value("address", "127.0.0.1"),
                     content.at("port").get<std::uint16_t>(),
                     content.at("incarnation").get<std::string>(),
                     content.at("database").get<std::string>()};
  } catch (const nlohmann::json::exception& error) {
    return unusable(path, error.what());
  }
}

void remove_node_file(const std::filesystem::path& directory) {
  std::error_code ignored;
  std::filesystem::remove(node_file_path(directory), ignored);
}

} // namespace holdfast::app
