#include "app/demo/scratch_directory.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace holdfast::app::demo {

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
  std::error_code ignored;
  if (!path_.empty() && !keep_)
    std::filesystem::remove_all(path_, ignored);
}

} // namespace holdfast::app::demo
