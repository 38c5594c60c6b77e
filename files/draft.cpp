#include "files/draft.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace holdfast::files {

core::failure failed_on(const std::string& path, int error) {
  const auto* what =
      error == ELOOP ? "is a symbolic link, which is not followed here" : std::strerror(error);
  return {error == EEXIST ? core::errc::already_exists : core::errc::invalid_argument,
          path + ": " + what};
}

std::string draft_name(const std::string& path) {
  std::array<std::uint8_t, 8> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size()))
    return {};
  constexpr std::string_view digits = "0123456789abcdef";
  auto name = path + '.';
  for (const auto byte : random) {
    name += digits[byte >> 4];
    name += digits[byte & 0x0f];
  }
  return name + ".new";
}

void sync_directory_of(const std::string& path) {
  const auto above = std::filesystem::path{path}.parent_path().string();
  const int directory =
      ::open(above.empty() ? "." : above.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0)
    return;
  ::fsync(directory);
  ::close(directory);
}

} // namespace holdfast::files
