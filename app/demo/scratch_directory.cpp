#include "app/demo/scratch_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

namespace holdfast::app::demo {

namespace {
constexpr auto removal_limit = std::chrono::seconds{5};
constexpr auto pause = std::chrono::milliseconds{50};
} // namespace

core::outcome<scratch_directory> scratch_directory::make() {
  std::error_code error;
  const auto base = std::filesystem::temp_directory_path(error);
  auto name = ((error ? "/tmp" : base) / "holdfast-demo-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr || ::chmod(name.c_str(), 0755) != 0)
    return core::failure{core::errc::unavailable,
                         "cannot make a directory like " + name + ": " + std::strerror(errno)};
  return scratch_directory{name};
}

scratch_directory::scratch_directory(scratch_directory&& other) noexcept
    : path_(std::exchange(other.path_, {})), keep_(other.keep_) {}

scratch_directory& scratch_directory::operator=(scratch_directory&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(keep_, other.keep_);
  return *this;
}

scratch_directory::~scratch_directory() {
  if (path_.empty() || keep_)
    return;
  // The server of a killed node may be writing its last files while we remove them.
  const auto until = std::chrono::steady_clock::now() + removal_limit;
  std::error_code error;
  do {
    std::filesystem::remove_all(path_, error);
    if (!std::filesystem::exists(path_, error))
      return;
    std::this_thread::sleep_for(pause);
  } while (std::chrono::steady_clock::now() < until);
}

} // namespace holdfast::app::demo
