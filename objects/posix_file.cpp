#include "objects/posix_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace holdfast::objects {

namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_only_directory = 0700;
constexpr mode_t owner_only_file = 0600;

timespec to_timespec(core::instant at) {
  const auto micros = core::to_micros(at);
  const auto fraction = ((micros % 1'000'000) + 1'000'000) % 1'000'000;
  return {static_cast<time_t>((micros - fraction) / 1'000'000), static_cast<long>(fraction * 1000)};
}

core::instant to_instant(const timespec& at) {
  return core::from_micros(std::int64_t{at.tv_sec} * 1'000'000 + at.tv_nsec / 1000);
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

core::failure missing(const fs::path& path) {
  return {core::errc::not_found, path.string() + " is not there"};
}

core::outcome<descriptor> open_for_reading(const fs::path& path) {
  descriptor file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC)};
  if (file)
    return file;
  if (errno == ELOOP)
    return core::failure{core::errc::damaged, path.string() + " is a link, not a file"};
  return errno == ENOENT ? missing(path) : file_failure("open", path);
}

core::outcome<file_facts> facts_in(const struct stat& found, const fs::path& path) {
  if (!S_ISREG(found.st_mode))
    return core::failure{core::errc::damaged, path.string() + " is no regular file"};
  return file_facts{static_cast<std::uint64_t>(found.st_size), to_instant(found.st_mtim)};
}

} // namespace

descriptor::~descriptor() {
  if (number_ >= 0)
    ::close(number_);
}

core::failure file_failure(const std::string& what, const fs::path& path) {
  const int number = errno;
  return {core::errc::unavailable,
          "cannot " + what + " " + path.string() + ": " + std::strerror(number)};
}

core::outcome<descriptor> open_directory(const fs::path& path) {
  descriptor directory{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)};
  if (!directory)
    return file_failure("open the directory", path);
  return directory;
}

core::outcome<bool> sync_directory(const descriptor& directory, const fs::path& path) {
  if (::fsync(directory.number()) != 0)
    return file_failure("make durable what is in", path);
  return true;
}

core::outcome<bool> make_directory(const fs::path& path) {
  if (::mkdir(path.c_str(), owner_only_directory) != 0)
    return errno == EEXIST ? core::outcome<bool>{true} : file_failure("create", path);
  const auto parent = path.has_parent_path() ? path.parent_path() : fs::path{"."};
  const descriptor above{::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!above)
    return file_failure("open the directory", parent);
  return sync_directory(above, parent);
}

core::outcome<bool> write_new_file(const fs::path& path, std::string_view bytes,
                                   core::instant changed_at) {
  const descriptor file{
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, owner_only_file)};
  if (!file)
    return file_failure("create", path);
  const timespec times[2] = {to_timespec(changed_at), to_timespec(changed_at)};
  if (write_all(file.number(), bytes) && ::futimens(file.number(), times) == 0
      && ::fsync(file.number()) == 0)
    return true;
  auto why = file_failure("write", path);
  ::unlink(path.c_str());
  return why;
}

core::outcome<file_facts> facts_of(const fs::path& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) == 0)
    return facts_in(found, path);
  return errno == ENOENT ? missing(path) : file_failure("look at", path);
}

core::outcome<std::string> read_file(const fs::path& path, std::uint64_t bytes) {
  const auto file = open_for_reading(path);
  if (!file)
    return file.error();
  struct stat found {};
  if (::fstat(file->number(), &found) != 0)
    return file_failure("look at", path);
  const auto facts = facts_in(found, path);
  if (!facts)
    return facts.error();
  if (facts->bytes != bytes)
    return core::failure{core::errc::damaged, path.string() + " has " + std::to_string(facts->bytes)
                                                  + " bytes, not " + std::to_string(bytes)};
  std::string content(bytes, '\0');
  for (std::size_t at = 0; at < content.size();) {
    const auto count = ::read(file->number(), content.data() + at, content.size() - at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return file_failure("read", path);
    if (count == 0)
      return core::failure{core::errc::damaged,
                           path.string() + " became shorter while it was read"};
    at += static_cast<std::size_t>(count);
  }
  return content;
}

} // namespace holdfast::objects
