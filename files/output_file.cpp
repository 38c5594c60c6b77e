#include "files/output_file.hpp"

#include "files/draft.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ext/stdio_filebuf.h>
#include <filesystem>
#include <utility>

namespace holdfast::files {

namespace {

using file_buffer = __gnu_cxx::stdio_filebuf<char>;

/// As many as Linux follows.
constexpr int links_max = 40;

core::failure foreign_link(const std::string& path) {
  return {
      core::errc::invalid_argument,
      path + ": is a symbolic link of another user, which is not followed; name the file itself"};
}

/// Where the entry leads to. Looked at and read through one descriptor, so that nobody can exchange
/// it in between.
core::outcome<std::string> behind_own_links(std::string path) {
  for (int followed = 0; followed < links_max; ++followed) {
    const int entry = ::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (entry < 0) {
      if (errno == ENOENT)
        return path;
      return failed_on(path, errno);
    }
    struct stat facts {};
    struct statfs system {};
    std::array<char, 4096> target{};
    const bool known = ::fstat(entry, &facts) == 0 && ::fstatfs(entry, &system) == 0;
    const bool link = known && S_ISLNK(facts.st_mode);
    const auto length = link ? ::readlinkat(entry, "", target.data(), target.size()) : 0;
    const int error = errno;
    ::close(entry);
    if (!known || length < 0)
      return failed_on(path, error);
    // What a descriptor of this process leads to has no other name, or had one.
    if (!link || system.f_type == PROC_SUPER_MAGIC)
      return path;
    if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
      return foreign_link(path);
    const std::filesystem::path next{std::string(target.data(), static_cast<std::size_t>(length))};
    path = next.is_absolute() ? next.string()
                              : (std::filesystem::path{path}.parent_path() / next).string();
  }
  return failed_on(path, ELOOP);
}

} // namespace

struct output_file::state {
  std::string path;  ///< Of the file itself.
  std::string draft; ///< Empty: it is written to as it is.
  file_buffer buffer;
  std::ostream stream;

  state(std::string file, std::string written_to, int descriptor)
      : path(std::move(file)),
        draft(std::move(written_to)),
        buffer(descriptor, std::ios::out | std::ios::binary),
        stream(&buffer) {}
  ~state() {
    if (!draft.empty())
      ::unlink(draft.c_str());
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
};

output_file::output_file(std::unique_ptr<state> opened) : state_(std::move(opened)) {}
output_file::output_file(output_file&&) noexcept = default;
output_file& output_file::operator=(output_file&&) noexcept = default;
output_file::~output_file() = default;

core::outcome<output_file> output_file::create(const std::string& path) {
  const auto file = behind_own_links(path);
  if (!file)
    return file.error();
  struct stat there {};
  const bool exists = ::stat(file->c_str(), &there) == 0;
  if (!exists && errno != ENOENT)
    return failed_on(*file, errno);
  if (exists && !S_ISREG(there.st_mode)) {
    const int descriptor = ::open(file->c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
      return failed_on(*file, errno);
    return output_file{std::make_unique<state>(*file, std::string{}, descriptor)};
  }
  auto draft = draft_name(*file);
  if (draft.empty())
    return failed_on(*file, errno);
  const int descriptor =
      ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return failed_on(*file, errno);
  // Whoever has kept their file from others wants that of the next one, too.
  if (exists && there.st_uid == ::geteuid())
    ::fchmod(descriptor, there.st_mode & 0777);
  return output_file{std::make_unique<state>(*file, std::move(draft), descriptor)};
}

std::ostream& output_file::stream() { return state_->stream; }

core::outcome<std::string> output_directory(const std::string& path) {
  // With a slash at its end the name of a link would mean what it leads to.
  auto directory = behind_own_links((std::filesystem::path{path} / "").parent_path().string());
  if (!directory)
    return directory;
  std::error_code failed;
  std::filesystem::create_directories(*directory, failed);
  if (failed)
    return core::failure{core::errc::invalid_argument, *directory + ": " + failed.message()};
  return directory;
}

core::outcome<bool> output_file::finish() {
  const auto& path = state_->path;
  errno = 0;
  if (!state_->stream.flush())
    return failed_on(path, errno != 0 ? errno : EIO); // 0: it was an earlier write that failed
  if (state_->draft.empty())
    return true;
  if (::fsync(state_->buffer.fd()) != 0 || ::rename(state_->draft.c_str(), path.c_str()) != 0)
    return failed_on(path, errno);
  state_->draft.clear();
  sync_directory_of(path);
  return true;
}

} // namespace holdfast::files
