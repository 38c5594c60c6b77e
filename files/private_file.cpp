#include "files/private_file.hpp"

#include "files/draft.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace holdfast::files {

namespace {

core::failure wrong_with(const std::string& path, const std::string& what) {
  return {core::errc::invalid_argument, path + ": " + what};
}

/// Closes a descriptor.
class open_file {
public:
  explicit open_file(int number) : number_(number) {}
  ~open_file() {
    if (number_ >= 0)
      ::close(number_);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_;
};

std::optional<std::string> objection_to_secret(const struct stat& file) {
  if (file.st_uid != ::geteuid() && file.st_uid != 0)
    return "belongs to another user, who can change it; it must be this user's or root's";
  if ((file.st_mode & S_IRWXO) != 0)
    return "every user of this machine can read or write it; chmod 600 it";
  if ((file.st_mode & S_IWGRP) != 0)
    return "its group can write it; chmod 600 it";
  return std::nullopt;
}

core::outcome<std::string> read_regular(const std::string& path, std::size_t bytes_max,
                                        bool is_secret) {
  // Without O_NONBLOCK a pipe in the place of the file would have us wait for its writer.
  const open_file file{::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
  if (!file)
    return failed_on(path, errno);
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0)
    return failed_on(path, errno);
  if (!S_ISREG(facts.st_mode))
    return wrong_with(path, "is no file");
  if (is_secret)
    if (auto why = objection_to_secret(facts))
      return wrong_with(path, *why);
  std::string content;
  std::array<char, 4096> piece{};
  while (true) {
    const auto got = ::read(file.number(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return failed_on(path, errno);
    if (got == 0)
      return content;
    content.append(piece.data(), static_cast<std::size_t>(got));
    if (content.size() > bytes_max)
      return core::failure{core::errc::too_large,
                           path + ": has more than " + std::to_string(bytes_max) + " bytes"};
  }
}

bool write_all(int file, std::string_view content) {
  while (!content.empty()) {
    const auto written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(file) == 0;
}

} // namespace

core::outcome<std::string> read_secret(const std::string& path, std::size_t bytes_max) {
  return read_regular(path, bytes_max, true);
}

core::outcome<std::string> read_plain(const std::string& path, std::size_t bytes_max) {
  return read_regular(path, bytes_max, false);
}

core::outcome<bool> write_whole(const std::string& path, std::string_view content, mode_t mode,
                                existing there) {
  const auto draft = draft_name(path);
  if (draft.empty())
    return failed_on(path, errno);
  int error = 0;
  {
    const open_file file{
        ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)};
    if (!file)
      return failed_on(draft, errno);
    if (!write_all(file.number(), content) || ::fchmod(file.number(), mode) != 0)
      error = errno;
  }
  // A hard link is what fails where a rename would replace.
  if (error == 0
      && (there == existing::replace ? ::rename(draft.c_str(), path.c_str())
                                     : ::link(draft.c_str(), path.c_str()))
             != 0)
    error = errno;
  if (error != 0 || there == existing::keep)
    ::unlink(draft.c_str());
  if (error != 0)
    return failed_on(path, error);
  sync_directory_of(path);
  return true;
}

int open_lock(const std::string& path) {
  return ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
}

core::outcome<bool> make_directory(const std::string& path) {
  // Each one by itself: under a umask that lets others write, those above would let them exchange
  // it.
  std::filesystem::path whole;
  for (const auto& part : std::filesystem::path{path}) {
    whole /= part;
    if (part.empty() || part == "/")
      continue;
    const int error = ::mkdir(whole.c_str(), 0755) == 0 ? 0 : errno;
    struct stat facts {};
    if (error != 0 && ::stat(whole.c_str(), &facts) != 0)
      return wrong_with(whole.string(), std::string{"cannot be created: "} + std::strerror(error));
  }
  return check_directory(path);
}

core::outcome<bool> check_directory(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0)
    return failed_on(path, errno);
  if (!S_ISDIR(facts.st_mode))
    return wrong_with(path, "is no directory");
  if (facts.st_uid != ::geteuid())
    return wrong_with(path, "belongs to user " + std::to_string(facts.st_uid)
                                + ", who can replace every file in it; chown it to user "
                                + std::to_string(::geteuid())
                                + ", as which this program runs, or run it as its owner");
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return wrong_with(path, "others than its owner can write there; chmod go-w it");
  return true;
}

} // namespace holdfast::files
